import type { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control, Row } from "../connect/control.ts";
import { schemaChanged } from "../connect/failures.ts";
import { ENTRY, sumOfEntries } from "./log-entries.ts";
import { LOG } from "./journal-sql.ts";
import { requireSame } from "../put-back/put-back.ts";
import type { SchemaWatch } from "../schema/schema-watch.ts";

/** The most entries that have been read but not yet deleted. Each read scans them again. */
const MOST_READ = 2000;

/** Reads the undo log in the database. Reads each entry once, and also finds entries of transactions that commit late. */
export class JournalLog {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #watch: SchemaWatch;
  /** All entries up to this number have been read. No open transaction can still commit one of them. */
  #floor = 0n;
  #previous = 0n;
  #last = 0n;
  /** Numbers of the entries that were read and are above `#floor`. */
  #beyond = new Set<string>();
  /** Numbers of the entries that were read and are still in the log. */
  #there: bigint[] = [];

  /** `before`: the log of a closed connection. Reading continues after its last entry. */
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
   * Returns the changes logged since the last read. With `apart`, reads only while no session is in the middle of a write. Entries of an open
   * transaction are locked, so the read then fails at once with an error for which `isBusy` returns `true`.
   *
   * @throws SeqqaError `SCHEMA_CHANGED`, `ROW_TOO_LONG`
   */
  async read(apart: boolean): Promise<RowSums> {
    const [rows = [], tables = []] = await this.#control.batch([this.entries(apart), this.#watch.sql]);
    const altered = this.#watch.difference(tables) ?? (await this.#watch.altered(this.#control));
    if (altered !== undefined) throw schemaChanged(this.#control.store, altered);
    return this.take(rows, apart);
  }

  /** Returns a query for entries that may be unread. With `apart`, the query locks them, and fails at once if an open transaction has written one. */
  entries(apart: boolean): string {
    return `select ${ENTRY} from ${LOG} where seq > ${this.#floor}${apart ? " for update nowait" : ""}`;
  }

  /** Adds the entries of a read and returns their changes. @throws SeqqaError `ROW_TOO_LONG` */
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
   * Returns statements that delete all entries and wait for open transactions that wrote one. They fail with `WRONG_COUNT`, or with an error for
   * which `isBusy` returns `true`, if the log has an unread entry. After their commit, {@link raise} may be called.
   */
  removalOfAll(): readonly string[] {
    let before = this.#floor;
    for (const seq of this.#there) if (seq <= before) before = seq - 1n;
    return [`delete from ${LOG} where seq > ${before}`, requireSame("row_count()", this.#there.length)];
  }

  /** Raises `#floor` to the last entry of the previous call. Every transaction that had an entry number by then has ended since. */
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

  get present(): readonly bigint[] {
    return this.#there;
  }

  /** Returns statements that delete read entries. Call {@link forget} after they were executed. */
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
