import type { Database } from "better-sqlite3";
import type { RowImages } from "../../../model/stores/leftover.ts";
import type { ExactRow, RowKey } from "../../../stores/index.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";
import { quoteName, tokenize } from "../connect/sql-text.ts";
import { keptRows, layoutOf, type RecordedTable } from "./kept-rows.ts";
import { TableIo } from "./table-io.ts";
import { planOf, type TablePlan } from "./table-plan.ts";
import { hasTriggers } from "./triggers.ts";
import type { UndoLog } from "./undo-log.ts";

/**
 * Returns the table to which the recorded rows of a run belong. If the rows cannot be restored, `lost` says why. Columns that were added after the run
 * had begun are left alone. The triggers of the schema must be hidden from the connection. `index`: the number of the table in the undo log.
 */
export function presentTable(db: Database, { name, layout }: RecordedTable, index: number): TablePlan {
  const was = recordedPlan(name, layout, index);
  const present = planOf(db, name, index);
  if (present === undefined) return { ...was, lost: `table "${name}" was dropped or renamed` };
  if (typeof present === "string") return { ...was, lost: `table "${name}" was altered (${present})` };
  const [width, shown] = [was.stored.length, was.columns.length];
  const plan = { ...present, stored: was.stored, columns: present.columns.slice(0, shown), ignoredAt: was.ignoredAt };
  if (layoutOf({ ...plan, stored: present.stored.slice(0, width) }) !== layoutOf(was))
    return { ...was, lost: `table "${name}" was altered` };
  const recreated = hasTriggers(db, name, index) ? undefined : `table "${name}" was dropped and created again`;
  // Rows that were copied to the new table have new row ids.
  if (recreated !== undefined && was.shownFrom === 1) return { ...was, lost: recreated };
  const fitting = { ...plan, recreated, untouched: untouched(db, name, present.stored.slice(width)) };
  try {
    void new TableIo(db, fitting);
    return fitting;
  } catch (error) {
    // For example, an index that was created after the run uses a function that only the target defines.
    return { ...was, lost: `table "${name}" was altered (${error instanceof Error ? error.message : String(error)})` };
  }
}

/** Returns a table as it was when the run began. */
function recordedPlan(name: string, layout: string, index: number): TablePlan {
  const [stored, keyAt, withoutRowid, ignoredAt = []] = JSON.parse(layout) as [string[], number[], boolean, number[] | undefined];
  // The name of a hidden rowid has no quotes.
  const shownFrom = stored[0]?.startsWith('"') === false ? 1 : 0;
  const columns = stored.slice(shownFrom).map((column) => ({ name: column.slice(1, -1).replaceAll('""', '"') }));
  return { index, name, sqlName: quoteName(name), stored, keyAt, shownFrom, columns, observed: true, uniques: [], withoutRowid, ignoredAt };
}

function untouched(db: Database, table: string, added: readonly string[]): string | undefined {
  if (added.length === 0) return undefined;
  const defaults = new Map(
    db
      .prepare<[string], { name: string; value: string | null }>("select name, dflt_value as value from pragma_table_xinfo(?)")
      .all(table)
      .map(({ name, value }) => [quoteName(name), defaultSql(value ?? "null")]),
  );
  return added.map((column) => `${column} is (${defaults.get(column) ?? "null"}) collate binary`).join(" and ");
}

const CONSTANTS = new Map([
  ["true", "1"],
  ["false", "0"],
  ...["null", "current_time", "current_date", "current_timestamp"].map((word) => [word, word] as const),
]);

/**
 * Returns the SQL expression of a column default, which is given as the schema spells it. In a DEFAULT clause, a single name is a string. In other
 * SQL, this name would be a column.
 */
function defaultSql(text: string): string {
  const [token, ...more] = tokenize(text);
  if (token === undefined || more.length > 0 || (token.kind !== "name" && token.kind !== "quoted")) return text;
  const constant = token.kind === "name" ? CONSTANTS.get(token.value.toLowerCase()) : undefined;
  return constant ?? `'${token.value.replaceAll("'", "''")}'`;
}

/** Returns the rows that the run or another client changed in tables whose rows cannot be restored. The log must be up to date. */
export function lostRows(db: Database, log: UndoLog): RowImages[] {
  const rows: RowImages[] = [];
  const met = new Map<TableIo, Set<RowKey>>();
  const add = (io: TableIo, row: ExactRow, root: ExactRow | null, recorded: ExactRow | null): void => {
    const { plan } = io;
    const known = met.get(io) ?? new Set();
    met.set(io, known);
    if (plan.lost === undefined || known.has(io.keyFrom(io.key(row)))) return;
    known.add(io.keyFrom(io.key(row)));
    const images = { root: rowImage(plan, root), recorded: rowImage(plan, recorded), now: undefined };
    rows.push({ table: plan.name, key: shownKey(plan, row), ...images, why: plan.lost });
  };
  for (const { table, root, recorded } of keptRows(db, log.tables)) add(log.tables[table]!, (root ?? recorded)!, root, recorded);
  for (const { io, image, existed } of log.lost) add(io, image, existed ? image : null, existed ? image : null);
  return rows;
}
