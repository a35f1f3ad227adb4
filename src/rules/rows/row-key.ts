import { SeqqaError } from "../../model/errors.ts";
import { cellOf, columnName, type ColumnName, type SqlNames } from "./table-names.ts";

/** A row with its key: the names and values of the columns that identify it. */
export interface KeyedRow {
  readonly key: Readonly<Record<string, string>>;
  readonly row: Readonly<Record<string, unknown>>;
}

const EXAMPLE = '{ key: ["order_id", "line"] }';

/**
 * Returns the columns that identify the rows of a table, as the option `key` of a rule names them. Default: `id`.
 * @throws SeqqaError `RULE_INVALID` if the option is neither a name nor a list of names
 */
export function keyColumns(rule: string, table: string, key: string | readonly string[] = []): readonly ColumnName[] {
  const columns = typeof key === "string" ? [key] : key;
  if (!Array.isArray(columns) || columns.some((column) => typeof column !== "string")) {
    throw new SeqqaError("RULE_INVALID", `${rule}: \`key\` must be the name of a column, or a list of names.`, {
      exitStatus: 2,
      hint: `Write for example: ${EXAMPLE}`,
    });
  }
  if (columns.length > 0) return columns.map((column) => columnName(rule, `${table}.${column}`));
  return [
    {
      ...columnName(rule, `${table}.id`),
      remedy: `Name the columns that identify a row in the options of the rule, for example ${EXAMPLE}.`,
    },
  ];
}

/**
 * Reads columns of a table, and returns the rows by their key. Values of different types, such as `1` and `"1"`, are different keys.
 * @throws SeqqaError `RULE_INVALID` if two rows have the same key
 */
export async function rowsByKey(
  names: SqlNames,
  key: readonly ColumnName[],
  columns: readonly ColumnName[],
): Promise<ReadonlyMap<string, KeyedRow>> {
  const read = [...key, ...columns];
  const rows = await names.rows(`SELECT ${read.map(({ column }) => names.name(column)).join(", ")} FROM ${names.table(read[0]!)}`, read);
  const found = new Map<string, KeyedRow>();
  for (const row of rows) {
    const cells = key.map(({ column }) => cellOf(row, column));
    const id = JSON.stringify(cells.map((cell) => [typeof cell, textOf(cell)]));
    if (found.has(id)) {
      const list = key.map(({ column }) => column).join(", ");
      const hint = `The rule compares each row with the same row before the step. Name all columns that identify a row, for example ${EXAMPLE}.`;
      throw names.invalid(`two rows of ${read[0]!.table} have the same key (${list})`, hint);
    }
    found.set(id, { key: Object.fromEntries(key.map(({ column }, at) => [column, textOf(cells[at])])), row });
  }
  return found;
}

export const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : typeof value === "object" ? JSON.stringify(value) : String(value);
