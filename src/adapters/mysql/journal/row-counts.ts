import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Control } from "../connect/control.ts";
import type { Table } from "../schema/catalog.ts";
import { LOG } from "./journal-sql.ts";

/** The largest share of the run's time that may be spent on counting rows. */
const PART = 0.05;

/**
 * Detects TRUNCATE by comparing the number of rows in each table with the undo log. Only needed if the database user lacks the PROCESS privilege and
 * therefore cannot read the ids of tables. Rows are counted at intervals. A restore never undoes TRUNCATE, so a later count also finds an earlier
 * TRUNCATE.
 */
export class RowCounts {
  readonly #tables: readonly Table[];
  readonly #sql: string;
  /** The number of rows of each table in the root state. `undefined` until rows could be counted. */
  #root: readonly number[] | undefined;
  #next = 0;

  constructor(tables: readonly Table[]) {
    this.#tables = tables;
    // A single statement reads the tables and the undo log as they were at one point in time.
    this.#sql = `select ${[LOG, ...tables.map(({ sqlName }) => sqlName)].map((name) => `(select count(*) from ${name})`).join(",")}`;
  }

  /**
   * Returns a description of a table whose rows the undo log does not explain, or `undefined`. `net`: the row changes since the root state. `logged`:
   * the number of log entries that were read and not deleted. If the log contains a different number of entries, `net` lacks some row changes, so
   * nothing is compared.
   */
  async differing(control: Control, net: RowSums, logged: number): Promise<string | undefined> {
    const begun = performance.now();
    if (begun < this.#next) return undefined;
    const [row = []] = await control.rows(this.#sql);
    const now = performance.now();
    this.#next = now + (now - begun) / PART;
    const [entries, ...counts] = row.map(Number);
    if (entries !== logged) return undefined;
    const root = counts.map((count, i) => count - added(net, i));
    this.#root ??= root;
    const table = this.#tables.find((_, i) => root[i] !== this.#root![i]);
    return table === undefined ? undefined : `Table "${table.name}"`;
  }

  /** Makes the state after the row changes `net` the root state. */
  rooted(net: RowSums): void {
    this.#root = this.#root?.map((count, i) => count + added(net, i));
  }

  /** The names of all tables with the number of their rows. `undefined` if rows could not be counted yet. */
  get known(): [table: string, rows: number][] | undefined {
    return this.#root?.map((count, i) => [this.#tables[i]!.name, count]);
  }
}

function added(net: RowSums, table: number): number {
  let sum = 0;
  for (const by of net.of(table).values()) sum += by;
  return sum;
}
