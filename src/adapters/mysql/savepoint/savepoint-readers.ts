import { RowSums, type MultisetMirror } from "../../../stores/multiset-mirror.ts";
import type { Catalog } from "../schema/catalog.ts";
import type { Queries } from "../connect/control.ts";
import { LOG } from "../journal/journal-sql.ts";
import { ENTRY, sumOfEntries } from "../journal/log-entries.ts";
import { imagesOf } from "../read/observe.ts";
import { quoteName } from "../connect/sql-text.ts";

/** Sees changes, on the connection of the target. */
export interface ChangeReader {
  /** The position up to which it has read; goes back with a rollback. */
  position: bigint;
  /** Returns the changes since the last reading. */
  read(mirror: MultisetMirror): Promise<RowSums>;
  /** Takes the present state for the root. `empty`: everything seen before is committed, and of no use. */
  begin(empty: boolean): Promise<void>;
}

/** Reads changes from the log of the journal's triggers, which is rolled back along with the rows that it describes. */
export class LogReader implements ChangeReader {
  position = 0n;
  readonly #lent: Queries;
  readonly #catalog: Catalog;
  readonly #log: string;

  constructor(lent: Queries, catalog: Catalog) {
    this.#lent = lent;
    this.#catalog = catalog;
    this.#log = `${quoteName(lent.store.database)}.${LOG}`;
  }

  async read(): Promise<RowSums> {
    // The limit is explicit, since a target may have set sql_select_limit.
    const rows = await this.#lent.rows(
      `select ${ENTRY} from ${this.#log} where seq > ${this.position} order by seq limit 18446744073709551615`,
    );
    const last = rows[rows.length - 1]?.[0];
    // Numbers of entries that were rolled back are not given again.
    if (last !== undefined && last !== null) this.position = BigInt(last);
    return sumOfEntries(this.#lent.store, this.#catalog.tables, rows);
  }

  async begin(empty: boolean): Promise<void> {
    if (empty) await this.#lent.rows(`delete from ${this.#log}`);
    const [[last] = [null]] = await this.#lent.rows(`select max(seq) from ${this.#log}`);
    this.position = BigInt(last ?? this.position);
  }
}

/** Reads everything to find changes, for schemas whose changes no triggers can follow. The cost grows with the size of the database. */
export class FullReader implements ChangeReader {
  readonly position = 0n;
  readonly #lent: Queries;
  readonly #catalog: Catalog;
  #root = new RowSums();

  constructor(lent: Queries, catalog: Catalog) {
    this.#lent = lent;
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
    for (const [i, table] of this.#catalog.tables.entries()) for (const row of await imagesOf(this.#lent, table)) sums.add(i, row, 1);
    return sums;
  }
}
