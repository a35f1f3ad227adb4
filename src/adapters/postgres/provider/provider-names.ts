import type { DatabaseNaming } from "../../../stores/provider/database-names.ts";

/**
 * The rules for names of databases. PostgreSQL truncates names that are longer than 63 bytes. The name of a copy of a lane's database is the lane's
 * name plus a suffix.
 */
export const NAMING: DatabaseNaming = { longest: 63, template: "template", longestAddition: "_c9999", lane: /^\d+_\d+/ };

/** Matches the name of a database that a run created: its template, the database of a lane, or a copy of a lane's database. */
const PATTERN = /^seqqa_([0-9a-f]{4,})_(?:template_[a-z0-9_]+|[a-z0-9_]+_lane\d+_\d+)/;

/** Returns the id of the run that created a database, or `undefined` if no run created it. */
export function runOf(database: string): string | undefined {
  return PATTERN.exec(database)?.[1];
}
