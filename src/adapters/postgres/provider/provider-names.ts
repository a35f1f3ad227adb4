import type { DatabaseNaming } from "../../../stores/database-names.ts";

/** PostgreSQL truncates longer names. Copies for a lane's checkpoints have the name of the lane's database and a suffix. */
export const NAMING: DatabaseNaming = { longest: 63, template: "template", longestAddition: "_c9999", lane: /^\d+_\d+/ };

/** The name of a run's database: its template, a lane's database, or a copy for a lane's checkpoint. */
const PATTERN = /^seqqa_([0-9a-f]{4,})_(?:template_[a-z0-9_]+|[a-z0-9_]+_lane\d+_\d+)/;

/** Returns the id of the run that a database belongs to, or `undefined` if no run created it. */
export function runOf(database: string): string | undefined {
  return PATTERN.exec(database)?.[1];
}
