import { isDeepStrictEqual } from "node:util";
import type { RowImages } from "../../../model/stores/leftover.ts";
import { hasOwnValue, unreadRows } from "../../../stores/external/external-store.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { errnoOf } from "../connect/failures.ts";
import { quoteName } from "../connect/sql-text.ts";
import { condition, fieldsOf, imageOfValue } from "./columns.ts";
import { readShape, shapeOf } from "./journal-sql.ts";
import type { KeptRow } from "./undo-rows.ts";

/** The numbers of the server's errors for DEFAULT() of a column without a default, or with an expression as its default. */
const NO_DEFAULT: ReadonlySet<unknown> = new Set([1364, 3772, 3773]);

/**
 * Returns the table to which the recorded rows of a run belong. If the rows cannot be restored, `lost` says why. Columns that were added after the
 * run had begun are not restored. `present`: the table as it is now. `shape`: the {@link shapeOf} text of the table when the run began.
 */
export function presentTable(name: string, present: Table | undefined, shape: string): Table {
  const was = readShape(shape);
  const lost = (why: string): Table => ({ ...EMPTY, ...was, name, lost: `table "${name}" ${why}` });
  if (present === undefined) return lost("was dropped");
  const kept = { ...present, ignored: was.ignored };
  if (shapeOf({ ...kept, key: was.key }).split(":")[0] === shape.split(":")[0]) return kept;
  const at = was.columns.map(({ name: column }) => present.columns.findIndex((one) => one.name === column));
  const isSame =
    was.columns.length > 0 && at.every((to, i) => to > (at[i - 1] ?? -1) && isDeepStrictEqual(present.columns[to], was.columns[i]));
  const added = present.columns.flatMap((_, i) => (at.includes(i) ? [] : [i]));
  // Without a key, the values of all columns identify a row.
  if (!isSame || present.key.length === 0 || present.key.some((i) => added.includes(i))) return lost("was altered");
  return { ...present, ignored: [...was.ignored.map((i) => at[i]!), ...added], added };
}

const EMPTY: Pick<Table, "sqlName" | "engine" | "shown" | "constrained" | "counted"> = {
  sqlName: "",
  engine: "",
  shown: [],
  constrained: [],
  counted: undefined,
};

/** Returns a recorded row as a row of the present table: columns that were added later are NULL. */
export function widened({ columns, added = [] }: Table, image: string): string {
  if (added.length === 0) return image;
  const fields = fieldsOf(image);
  return columns.map((_, i) => (added.includes(i) ? "-" : fields.shift()!)).join();
}

/**
 * Finds rows that the run inserted, and that have a value other than the default in a column that was added later. A restore would delete this value.
 * Removes these rows from `undo` and returns them.
 */
export async function withOwnValues(control: Control, undo: Set<KeptRow>): Promise<KeptRow[]> {
  const kept: KeptRow[] = [];
  for (const row of undo) {
    const { columns, key, sqlName, name, added = [] } = row.table;
    if (row.root !== null || row.now === null || added.length === 0) continue;
    const fields = fieldsOf(row.now);
    // Compare the images of the values, since a collation may count different texts as equal.
    const isDefault = added.map((at) => {
      const [column, name] = [columns[at]!, quoteName(columns[at]!.name)];
      return `${imageOfValue(column, name)} <=> ${imageOfValue(column, `default(${name})`)}`;
    });
    const where = [...key.map((at) => condition(columns[at]!, fields[at]!)), ...isDefault].join(" and ");
    const found = await control.rows(`select 1 from ${sqlName} where ${where}`).catch((error: unknown) => {
      if (NO_DEFAULT.has(errnoOf(error))) return [];
      throw error;
    });
    if (found.length > 0) continue;
    undo.delete(row);
    kept.push({ ...row, why: hasOwnValue(name) });
  }
  return kept;
}

/** Returns the changed rows of a table whose rows cannot be restored. `why`: the reason. */
export function recordedRows(table: Table, why: string, sum: ReadonlyMap<string, number>): RowImages[] {
  return unreadRows(table.name, why, sum, (image) =>
    table.columns.length === fieldsOf(image).length
      ? { key: shownKey(table, image), row: rowImage(table, image) }
      : { key: image, row: { row: image } },
  );
}
