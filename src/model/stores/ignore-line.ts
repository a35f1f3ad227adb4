import { readFieldOfKind } from "./field-of-kind.ts";

/** The suffix of a field that means whole rows: rows of a table were added or removed. */
export const ROWS = ".*";

/** Matches fields that only the World can ignore: paths into the context, into a client, or into a store without tables. */
const OF_WORLD = /^(?:context|clients|systems)\./;
/** Matches the prefix of tables with keys of another Redis database, as in `db3_string`. */
const OTHER_DATABASE = /^db(\d+)_/;

/**
 * Returns the lines that leave fields out of states, with the place where to write each: `ignore: ["orders.seen"] in seqqa.yaml, under systems`. A
 * field that ends with {@link ROWS} stands for its table, or for keys if all keys of a type share one table.
 */
export function ignoreLines(fields: readonly string[]): string {
  const rows = new Set(fields.filter((field) => field.includes(ROWS)).map(tableOf));
  const entries = fields.filter((field) => field.includes(ROWS) || !rows.has(tableOf(field))).map(entryOf);
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

function tableOf(field: string): string {
  const name = readFieldOfKind(field)?.field ?? field;
  return name.slice(0, name.lastIndexOf("."));
}

function entryOf(field: string): string {
  const ofKind = readFieldOfKind(field);
  if (ofKind === undefined) return field.endsWith(ROWS) ? field.slice(0, -ROWS.length) : field;
  const key = ofKind.kind["key"];
  if (!ofKind.field.endsWith(ROWS) || key === undefined) return field;
  const database = OTHER_DATABASE.exec(ofKind.field)?.[1];
  return `${database === undefined ? "" : `db${database}:`}${key.replaceAll(/[?[\]\\]/g, "\\$&")}`;
}
