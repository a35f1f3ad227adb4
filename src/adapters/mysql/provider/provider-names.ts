import { createHash } from "node:crypto";
import type { DatabaseNaming } from "../../../stores/database-names.ts";

export const NAMING: DatabaseNaming = { longest: 64, template: "t", longestAddition: "", lane: /^\d+_\d+$/ };

/** A database of a run: its template or a lane's. */
const PATTERN = /^seqqa_([0-9a-f]{4,})_(?:t_[a-z0-9_]+|[a-z0-9_]+_lane\d+_\d+)$/;

/** Returns the run that a database belongs to; `undefined` for everything that no run made. */
export function runOf(database: string): string | undefined {
  return PATTERN.exec(database)?.[1];
}

/** Returns the name of the lock that a living run holds, on whichever server its stores are. */
export function runLock(runId: string): string {
  return `seqqa run ${createHash("sha256").update(runId).digest("hex").slice(0, 32)}`;
}
