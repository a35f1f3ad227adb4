import type { DatabaseNaming } from "../../../stores/database-names.ts";

/** PostgreSQL cuts longer names off. A lane's checkpoints make databases beside its own, with longer names. */
export const NAMING: DatabaseNaming = { longest: 63, template: "template", longestAddition: "_c9999", lane: /^\d+_\d+/ };

/** A database of a run: its template, a lane's, or one that a lane's checkpoints made beside that. */
const PATTERN = /^seqqa_([0-9a-f]{4,})_(?:template_[a-z0-9_]+|[a-z0-9_]+_lane\d+_\d+)/;

/** Returns the run that a database belongs to; `undefined` for everything that no run made. */
export function runOf(database: string): string | undefined {
  return PATTERN.exec(database)?.[1];
}
