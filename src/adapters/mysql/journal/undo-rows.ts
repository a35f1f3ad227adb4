import { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Catalog, ForeignKey, Table } from "../schema/catalog.ts";
import { fieldsOf, literal } from "./columns.ts";
import type { Control } from "../connect/control.ts";
import { errnoOf, isBusy, isDenied } from "../connect/failures.ts";
import { batches, putBackStatements, WRONG_COUNT } from "../put-back/put-back.ts";
import { refusedRow } from "../../../stores/external/external-store.ts";
import { quoteName } from "../connect/sql-text.ts";

/**
 * A row of an external store as three row images: when the run began (`root`), when the run last recorded changes, and now. `null`: the row did not
 * exist.
 */
export interface KeptRow {
  /** The position of the table in the catalog's list of tables. */
  readonly at: number;
  readonly table: Table;
  readonly root: string | null;
  readonly recorded: string | null;
  readonly now: string | null;
  /** The reason why the row is kept although it has the values that the run recorded. */
  readonly why?: string | undefined;
}

const AT_ONCE = 100;

/**
 * Restores rows within the open transaction. Skips a row if restoring it would violate a constraint, because of rows that are not restored. Removes
 * skipped rows from `rows` and returns them.
 *
 * @throws an error of the server with `WRONG_COUNT` if a row no longer exists
 */
export async function undoRows(control: Control, catalog: Catalog, rows: Set<KeptRow>): Promise<KeptRow[]> {
  const kept: KeptRow[] = [];
  for (let oneByOne = false; rows.size > 0;) {
    await control.rows("savepoint seqqa_undo");
    const probes = probesOf(catalog, rows);
    const before = await orphansOf(control, probes);
    const refused = await write(control, catalog, rows, oneByOne);
    let inTheWay: readonly KeptRow[] | undefined = refused === undefined ? undefined : [...refused.keys()];
    if (refused?.size === 0) {
      const after = await orphansOf(control, probes);
      const hit = probes.filter((_, i) => after[i]! > before[i]!);
      // If a child row was restored and its parent row was deleted, `hit` contains both rows. Skip only the parent row.
      const parents = hit.filter(({ isParent }) => isParent);
      inTheWay = (parents.length > 0 ? parents : hit).flatMap((probe) => probe.rows);
      if (hit.length === 0) {
        await control.rows("release savepoint seqqa_undo");
        break;
      }
    }
    await control.rows("rollback to savepoint seqqa_undo");
    // Writing all rows with few statements is fast, but the server does not say which row it refused. Write the rows one by one to find the refused
    // row.
    if (inTheWay === undefined) oneByOne = true;
    for (const row of new Set(inTheWay)) {
      const why = refused?.get(row);
      rows.delete(row);
      kept.push(why === undefined ? row : { ...row, why });
    }
  }
  return kept;
}

/**
 * Writes all rows, deletions first. Returns the rows that the server refused, each with the reason, or `undefined` if it is unknown which row was
 * refused.
 */
async function write(
  control: Control,
  { tables }: Catalog,
  rows: ReadonlySet<KeptRow>,
  oneByOne: boolean,
): Promise<ReadonlyMap<KeptRow, string> | undefined> {
  const changes = new RowSums();
  for (const { at, root, now } of rows) {
    if (now !== null) changes.add(at, now, -1);
    if (root !== null && !oneByOne) changes.add(at, root, 1);
  }
  try {
    for (const part of batches(putBackStatements(tables, changes))) if (part.length > 0) await control.rows(part.join(";\n"));
  } catch (error) {
    if (oneByOne || !isRefusal(control, error)) throw error;
    return undefined;
  }
  const refused = new Map<KeptRow, string>();
  if (!oneByOne) return refused;
  for (const row of rows) {
    if (row.root === null) continue;
    const change = new RowSums();
    change.add(row.at, row.root, 1);
    try {
      await control.rows(putBackStatements(tables, change)[0]!);
    } catch (error) {
      if (!isRefusal(control, error)) throw error;
      refused.set(row, refusedRow(messageOf(error)));
    }
  }
  return refused;
}

/** Returns `true` if the server refuses the row because of its values: a unique index, a CHECK or a partition. */
function isRefusal(control: Control, error: unknown): boolean {
  return !control.lost && !isBusy(error) && !isDenied(error) && errnoOf(error) !== WRONG_COUNT && errnoOf(error) !== 0;
}

/** Returns the server's message without the values of the row, which the file with the earlier values contains. */
function messageOf(error: unknown): string {
  return (error as Error).message.replace(/^Duplicate entry '.*' for key/s, "Duplicate entry for key").replace(/ for value .*$/s, "");
}

/** A query that counts child rows without a parent row. `rows`: the rows whose restore could leave child rows without a parent. */
interface Probe {
  readonly sql: string;
  readonly rows: KeptRow[];
  readonly isParent: boolean;
}

function probesOf({ tables, keys }: Catalog, rows: ReadonlySet<KeptRow>): Probe[] {
  const probes = new Map<string, Probe>();
  for (const key of keys) {
    for (const row of rows) {
      const { name } = row.table;
      if (name === key.parent && row.now !== null) add(row, key, key.parentColumns, row.now, true);
      if (name === key.child && row.root !== null) add(row, key, key.childColumns, row.root, false);
    }
  }
  return [...probes.values()];

  function add(row: KeptRow, key: ForeignKey, names: readonly string[], image: string, isParent: boolean): void {
    const values = valuesOf(tables[row.at]!, names, image);
    if (values !== undefined && values.includes("NULL")) return;
    const sql = orphans(key, values);
    const id = `${isParent} ${sql}`;
    const probe = probes.get(id);
    if (probe === undefined) probes.set(id, { sql, rows: [row], isParent });
    else probe.rows.push(row);
  }
}

/**
 * Returns the values of these columns in a row image, as SQL literals. Returns `undefined` if a column is generated, because row images do not
 * contain generated columns.
 */
function valuesOf({ columns }: Table, names: readonly string[], image: string): string[] | undefined {
  const fields = fieldsOf(image);
  const at = names.map((name) => columns.findIndex((column) => column.name === name));
  return at.includes(-1) ? undefined : at.map((i) => literal(columns[i]!, fields[i]!));
}

function orphans({ child, childColumns, parent, parentColumns }: ForeignKey, values: readonly string[] | undefined): string {
  const own = childColumns.map((name) => `c.${quoteName(name)}`);
  const which = own.map((name, i) => (values === undefined ? `${name} is not null` : `${name} = ${values[i]!}`)).join(" and ");
  const match = parentColumns.map((name, i) => `p.${quoteName(name)} = ${own[i]!}`).join(" and ");
  return `select count(*) from ${quoteName(child)} c where ${which} and not exists (select 1 from ${quoteName(parent)} p where ${match})`;
}

async function orphansOf(control: Control, probes: readonly Probe[]): Promise<number[]> {
  const counts: number[] = [];
  for (let i = 0; i < probes.length; i += AT_ONCE) {
    const part = probes.slice(i, i + AT_ONCE);
    const found = await control.batch([...part.map(({ sql }) => sql), "do 0"]);
    for (let n = 0; n < part.length; n++) counts.push(Number(found[n]?.[0]?.[0]));
  }
  return counts;
}
