import { createHash } from "node:crypto";
import type { DatabaseNaming } from "../../../stores/provider/database-names.ts";

export const NAMING: DatabaseNaming = { longest: 64, template: "t", longestAddition: "", lane: /^\d+_\d+$/ };

/** Matches the name of a database that a run created: its template, or the database of a lane. */
const PATTERN = /^seqqa_([0-9a-f]{4,})_(?:t_[a-z0-9_]+|[a-z0-9_]+_lane\d+_\d+)$/;

/** Returns the id of the run that created a database, or `undefined` if no run created it. */
export function runOf(database: string): string | undefined {
  return PATTERN.exec(database)?.[1];
}

/** Returns the prefix of the names of the locks that a live run holds. A run holds one lock for each of its stores, on the server of the store. */
export function runLock(runId: string): string {
  return `seqqa run ${createHash("sha256").update(runId).digest("hex").slice(0, 32)}`;
}
