import { isDeepStrictEqual } from "node:util";
import type { RowImage, RowImages } from "../../../model/stores/leftover.ts";
import { hasOwnValue, unreadRows } from "../../../stores/external/external-store.ts";
import type { Control } from "../connect/control.ts";
import { rowFields } from "../connect/sql-text.ts";
import { readOwnerFacts } from "../put-back/owner-facts.ts";
import { PART, partStatements } from "../put-back/owner-put-sql.ts";
import { createPutFunction, putFunction } from "../put-back/put-back-sql.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";
import { OWN_PATH, USER_PATH } from "../read/user-path.ts";
import type { Table } from "../schema/catalog.ts";
import type { Layout } from "./journal-sql.ts";
import type { Change } from "./kept-rows.ts";

/**
 * Returns the table to which the recorded rows of a run can be restored, or the reason why the rows cannot be restored. Columns that were added after
 * the run had begun are not restored. `present`: the table as it is now. `isRewritten`: `true` if a statement changed rows of the table without
 * triggers.
 */
export function presentTable(present: Table | undefined, was: Layout, isRewritten: boolean): Table | string {
  if (present === undefined) return `table "${was.name}" was dropped`;
  if (present.fullName !== was.name) return `table "${was.name}" was renamed`;
  const [columns, added] = [present.columns.slice(0, was.columns.length), present.columns.slice(was.columns.length)];
  const altered = `table "${was.name}" was altered`;
  if (!isDeepStrictEqual(columns, was.columns)) return altered;
  // Without a key, the values of all columns identify a row.
  if (was.key.length > 0 ? !isDeepStrictEqual(present.key, was.key) : added.length > 0) return altered;
  if (added.length === 0)
    return isRewritten || !isDeepStrictEqual(present.types, was.types) ? altered : { ...present, key: was.key, ignored: was.ignored };
  if (was.types.some((type) => !present.types.includes(type))) return altered;
  const names = added.map(({ name }) => name);
  return { ...present, ignored: [...was.ignored, ...names], added: names };
}

/** Returns recorded rows as rows of the present table: columns that were added later are NULL. */
export function widened({ columns, added = [] }: Table, sum: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (added.length === 0) return sum;
  const rows = new Map<string, number>();
  for (const [image, by] of sum) {
    const row = `${image.slice(0, -1)}${",".repeat(Math.max(0, columns.length - rowFields(image).length))})`;
    rows.set(row, (rows.get(row) ?? 0) + by);
  }
  return rows;
}

/**
 * Returns rows that the run inserted, and that have a value in a column that was added later, other than the value that the column had in all existing
 * rows when it was added. A restore would delete this value.
 */
export async function withOwnValues(control: Control, table: Table, undo: readonly Change[]): Promise<ReadonlyMap<Change, string>> {
  const { columns, added = [] } = table;
  const inserted = undo.filter(({ root, now }) => root === null && now !== null);
  if (added.length === 0 || inserted.length === 0) return new Map();
  const found = await control.rows(
    "select attname, (attmissingval::text::text[])[1] from pg_attribute where attrelid = $1::oid and attgenerated = '' and attname = any($2::text[])",
    [table.oid, added],
  );
  const missing = found.map(([name, value]) => [columns.findIndex((column) => column.name === name), value] as const);
  const own = inserted.filter(({ now }) => {
    const fields = rowFields(now!);
    return missing.some(([at, value]) => fields[at] !== value);
  });
  return new Map(own.map((change) => [change, hasOwnValue(table.fullName)]));
}

/** Replaces the functions that restore rows, for tables whose columns or triggers have changed. The connection must be in a transaction. */
export async function renewFunctions(control: Control, tables: readonly Table[]): Promise<void> {
  const statements = tables
    .filter(({ added = [] }) => added.length > 0)
    .flatMap((table) => [`drop function if exists ${putFunction(table)}(text[], text[], tid[])`, createPutFunction(table)]);
  const [there] = await control.rows(`select to_regclass('${PART}')`);
  if (!control.rights.replica && typeof there?.[0] === "string")
    statements.push(...partStatements(tables, await readOwnerFacts(control.client)));
  if (statements.length > 0) await control.rows([USER_PATH, ...statements, OWN_PATH].join(";\n"));
}

/** Returns the changed rows of a table whose rows cannot be restored. `why`: the reason. `kept`, `log`: see `changesOf`. */
export function recordedRows(
  was: Layout,
  present: Table | undefined,
  why: string,
  kept: ReadonlyMap<string, number>,
  log: ReadonlyMap<string, number>,
): RowImages[] {
  const describe = (image: string): { key: string; row: RowImage | null } => {
    const count = rowFields(image).length;
    const columns = [was.columns, present?.columns ?? []].find(({ length }) => length === count);
    // The columns of the row are unknown, because several statements changed the table.
    if (columns === undefined) return { key: image, row: { row: image } };
    const table = { columns, key: was.key } as Table;
    return { key: shownKey(table, image), row: rowImage(table, image) };
  };
  const sum = new Map(kept);
  for (const [image, by] of log) sum.set(image, (sum.get(image) ?? 0) + by);
  return unreadRows(was.name.replace(/^public\./, ""), why, sum, describe);
}
