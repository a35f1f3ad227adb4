import { RowSums, type MultisetMirror } from "../../../stores/journal/multiset-mirror.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { Queries } from "../connect/control.ts";
import { LOG } from "../journal/journal-sql.ts";
import { ENTRY, sumOfEntries } from "../journal/log-entries.ts";
import { imagesOf } from "../read/observe.ts";
import { quoteName } from "../connect/sql-text.ts";

/** Finds out which rows the target changed, with queries on the shared connection. */
export interface ChangeReader {
  /** The number of the last log entry that was read. A restore sets this number to its value at the savepoint. */
  position: bigint;
  read(mirror: MultisetMirror): Promise<RowSums>;
  /** Makes the current state the root state. `empty`: `true` if earlier log entries are committed, so that they can be deleted. */
  begin(empty: boolean): Promise<void>;
}

/** Finds changes in the undo log that triggers write. A rollback removes log entries together with the logged changes. */
export class LogReader implements ChangeReader {
  position = 0n;
  readonly #shared: Queries;
  readonly #catalog: Catalog;
  readonly #log: string;

  constructor(shared: Queries, catalog: Catalog) {
    this.#shared = shared;
    this.#catalog = catalog;
    this.#log = `${quoteName(shared.store.database)}.${LOG}`;
  }

  async read(): Promise<RowSums> {
    // Use an explicit LIMIT, because the target may have changed the setting `sql_select_limit`.
    const rows = await this.#shared.rows(
      `select ${ENTRY} from ${this.#log} where seq > ${this.position} order by seq limit 18446744073709551615`,
    );
    const last = rows[rows.length - 1]?.[0];
    // InnoDB does not use the numbers of rolled back entries again, so new entries always have higher numbers.
    if (last !== undefined && last !== null) this.position = BigInt(last);
    return sumOfEntries(this.#shared.store, this.#catalog.tables, rows);
  }

  async begin(empty: boolean): Promise<void> {
    if (empty) await this.#shared.rows(`delete from ${this.#log}`);
    const [[last] = [null]] = await this.#shared.rows(`select max(seq) from ${this.#log}`);
    this.position = BigInt(last ?? this.position);
  }
}

/** Finds changes by reading all tables, if triggers cannot log all changes of this schema. The cost grows with the size of the database. */
export class FullReader implements ChangeReader {
  readonly position = 0n;
  readonly #shared: Queries;
  readonly #catalog: Catalog;
  #root = new RowSums();

  constructor(shared: Queries, catalog: Catalog) {
    this.#shared = shared;
    this.#catalog = catalog;
  }

  async read(mirror: MultisetMirror): Promise<RowSums> {
    const sums = await this.#everything();
    for (const { table, row, by } of this.#root.deltas()) sums.add(table, row, -by);
    for (const { table, row, by } of mirror.net.deltas()) sums.add(table, row, -by);
    return sums;
  }

  async begin(): Promise<void> {
    this.#root = await this.#everything();
  }

  async #everything(): Promise<RowSums> {
    const sums = new RowSums();
    for (const [i, table] of this.#catalog.tables.entries()) for (const row of await imagesOf(this.#shared, table)) sums.add(i, row, 1);
    return sums;
  }
}
