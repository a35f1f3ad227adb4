import type { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control, Row } from "../connect/control.ts";
import { schemaChanged } from "../connect/failures.ts";
import { ENTRY, sumOfEntries } from "./log-entries.ts";
import { LOG } from "./journal-sql.ts";
import { requireSame } from "../put-back/put-back.ts";
import type { SchemaWatch } from "../schema/schema-watch.ts";

/** The most entries that are read and not removed yet: each reading would look at them again. */
const MOST_READ = 2000;

/** Reads the log in the database, without reading an entry twice and without losing what commits late. */
export class JournalLog {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #watch: SchemaWatch;
  /** Entries up to here were read, and no session can be about to commit one. */
  #floor = 0n;
  #previous = 0n;
  /** The last entry that was read. */
  #last = 0n;
  /** Read entries beyond the floor. */
  #beyond = new Set<string>();
  /** Read entries that are still in the log. */
  #there: bigint[] = [];

  /** `before`: the log of a connection that was closed; reading continues from there. */
  constructor(control: Control, tables: readonly Table[], watch: SchemaWatch, before?: JournalLog) {
    this.#control = control;
    this.#tables = tables;
    this.#watch = watch;
    if (before === undefined) return;
    this.#floor = before.#floor;
    this.#previous = before.#previous;
    this.#last = before.#last;
    this.#beyond = before.#beyond;
    this.#there = before.#there;
  }

  /**
   * Returns the changes that were logged since the last reading. `apart`: only while no session is in the middle of a write. Entries of an open
   * transaction are locked, so that asking for them fails at once (an error that `isBusy`).
   *
   * @throws SeqqaError `SCHEMA_CHANGED`, `ROW_TOO_LONG`
   */
  async read(apart: boolean): Promise<RowSums> {
    const [rows = [], tables = []] = await this.#control.batch([this.entries(apart), this.#watch.sql]);
    const altered = this.#watch.difference(tables) ?? (await this.#watch.altered(this.#control));
    if (altered !== undefined) throw schemaChanged(this.#control.store, altered);
    return this.take(rows, apart);
  }

  /**
   * Returns a statement that asks for the entries which may be new. `apart`: it locks them, or fails at once where an open transaction has made one.
   */
  entries(apart: boolean): string {
    return `select ${ENTRY} from ${LOG} where seq > ${this.#floor}${apart ? " for update nowait" : ""}`;
  }

  /** Takes in the entries of a reading. @throws SeqqaError `ROW_TOO_LONG` */
  take(rows: readonly Row[], apart: boolean): RowSums {
    const fresh = rows.filter(([seq]) => !this.#beyond.has(seq!));
    const sums = sumOfEntries(this.#control.store, this.#tables, fresh);
    for (const [seq] of fresh) {
      this.#beyond.add(seq!);
      const at = BigInt(seq!);
      this.#there.push(at);
      if (at > this.#last) this.#last = at;
    }
    if (apart) this.raise();
    return sums;
  }

  /**
   * Returns statements that remove all entries. They fail (with `WRONG_COUNT`, or an error that `isBusy`) if there is an entry that was not read, and
   * wait for an open transaction that has made one. Once they have committed, {@link raise} may be called.
   */
  removalOfAll(): readonly string[] {
    let before = this.#floor;
    for (const seq of this.#there) if (seq <= before) before = seq - 1n;
    return [`delete from ${LOG} where seq > ${before}`, requireSame("row_count()", this.#there.length)];
  }

  /** Raises the floor to the last entry of the previous call: a session that had taken a number at that time has committed or gone since. */
  raise(): void {
    if (this.#previous > this.#floor) {
      this.#floor = this.#previous;
      for (const seq of this.#beyond) if (BigInt(seq) <= this.#floor) this.#beyond.delete(seq);
    }
    this.#previous = this.#last;
  }

  get tooLong(): boolean {
    return this.#there.length > MOST_READ;
  }

  /** Entries that are read and still in the log. */
  get present(): readonly bigint[] {
    return this.#there;
  }

  /** Returns statements that remove read entries; once they are done, {@link forget} is called. */
  removal(entries: readonly bigint[]): string[] {
    const sorted = [...entries].sort((a, b) => (a < b ? -1 : 1));
    const ranges: [bigint, bigint][] = [];
    for (const seq of sorted) {
      const range = ranges[ranges.length - 1];
      if (range !== undefined && range[1] + 1n === seq) range[1] = seq;
      else ranges.push([seq, seq]);
    }
    const statements: string[] = [];
    for (let i = 0; i < ranges.length; i += 200) {
      const part = ranges.slice(i, i + 200).map(([from, to]) => (from === to ? `seq = ${from}` : `seq between ${from} and ${to}`));
      statements.push(`delete from ${LOG} where ${part.join(" or ")}`);
    }
    return statements;
  }

  forget(entries: readonly bigint[]): void {
    const gone = new Set(entries);
    this.#there = this.#there.filter((seq) => !gone.has(seq));
  }
}
