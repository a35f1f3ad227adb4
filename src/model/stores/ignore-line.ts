import { readFieldOfKind } from "./field-of-kind.ts";

/** The suffix of a field that means whole rows of a table, because rows were added or removed. */
export const ROWS = ".*";

/** Matches fields that only the World can ignore: paths into the context, into a client, or into a store without tables. */
const OF_WORLD = /^(?:context|clients|systems)\./;
/** Matches the prefix of tables with keys of another Redis database, as in `db3_string`. */
const OTHER_DATABASE = /^db(\d+)_/;

/**
 * Returns the lines that leave fields out of states, with the place where to write each: `ignore: ["orders.seen"] in seqqa.yaml, under systems`. For
 * a field that ends with {@link ROWS}, the line contains the table. For Redis, where all keys of a type share one table, it contains the pattern of
 * the keys.
 */
export function ignoreLines(fields: readonly string[]): string {
  const rows = new Set(fields.filter(isRows).map(tableOf));
  const entries = fields.filter((field) => isRows(field) || !rows.has(tableOf(field))).map(ignoreEntry);
  const line = (some: readonly string[], where: string): readonly string[] =>
    some.length === 0 ? [] : [`ignore: [${[...new Set(some)].map((one) => JSON.stringify(one)).join(", ")}] ${where}`];
  return [
    ...line(
      entries.filter((one) => !OF_WORLD.test(one)),
      "in seqqa.yaml, under systems",
    ),
    ...line(
      entries.filter((one) => OF_WORLD.test(one)),
      "of the World",
    ),
  ].join(" and ");
}

/** Returns `true` if a field means whole rows of a table. In a path into a value, `.*` means the values of all keys. */
export function isRows(field: string): boolean {
  return !OF_WORLD.test(field) && (readFieldOfKind(field)?.field ?? field).endsWith(ROWS);
}

function tableOf(field: string): string {
  const name = readFieldOfKind(field)?.field ?? field;
  return name.slice(0, name.lastIndexOf("."));
}

/** Returns the entry of `ignore` that leaves out a field: `orders.seen`, `orders` for `orders.*`, or the pattern of keys for rows of one kind. */
export function ignoreEntry(field: string): string {
  if (!isRows(field)) return field;
  const ofKind = readFieldOfKind(field);
  if (ofKind === undefined) return field.slice(0, -ROWS.length);
  const key = ofKind.kind["key"];
  if (key === undefined) return field;
  const database = OTHER_DATABASE.exec(ofKind.field)?.[1];
  return `${database === undefined ? "" : `db${database}:`}${key.replaceAll(/[?[\]\\]/g, "\\$&")}`;
}
