import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control, Row } from "../connect/control.ts";
import { schemaChanged } from "../connect/failures.ts";
import { ENTRY, sumOfEntries } from "./log-entries.ts";
import { LOG } from "./journal-sql.ts";
import { requireSame } from "../put-back/put-back.ts";
import type { SchemaWatch } from "../schema/schema-watch.ts";

/**
 * The maximum number of log entries that were read but not deleted. If more entries were read, they are deleted, because each read scans them again.
 */
const MOST_READ = 2000;

/** Reads the undo log of the database. Returns each entry once. Also finds entries with low numbers whose transactions commit late. */
export class JournalLog {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #watch: SchemaWatch;
  /** All log entries up to this number have been read. No open transaction can add an entry with such a number. */
  #floor = 0n;
  #previous = 0n;
  #last = 0n;
  /** The numbers of entries above `#floor` that have been read. */
  #beyond = new Set<string>();
  /** The numbers of entries that have been read but not deleted from the log. */
  #there: bigint[] = [];

  /** `before`: the `JournalLog` of a closed connection to the same database. The new `JournalLog` continues after the last entry of `before`. */
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
   * Returns the row changes that were logged since the last read. With `apart`, reads only if no other session has an open write transaction.
   * Otherwise fails with an error for which `isBusy` returns `true`, because the entries of an open transaction are locked.
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
   * Returns a query for the log entries that may be unread. With `apart`, the query locks the entries. If an open transaction has written an entry,
   * the query then fails immediately.
   */
  entries(apart: boolean): string {
    return `select ${ENTRY} from ${LOG} where seq > ${this.#floor}${apart ? " for update nowait" : ""}`;
  }

  /** Records that the result of a query {@link entries} was read, and returns the row changes of the result. @throws SeqqaError `ROW_TOO_LONG` */
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
   * Returns SQL statements that delete all log entries. The statements wait for open transactions that wrote an entry. If the log has an unread
   * entry, the statements fail with `WRONG_COUNT` or with an error for which `isBusy` returns `true`. After their commit, {@link raise} may be
   * called.
   */
  removalOfAll(): readonly string[] {
    let before = this.#floor;
    for (const seq of this.#there) if (seq <= before) before = seq - 1n;
    return [`delete from ${LOG} where seq > ${before}`, requireSame("row_count()", this.#there.length)];
  }

  /**
   * Raises `#floor` to the last entry that was read before the previous call of `raise`. Transactions that could still add lower numbers have ended
   * since that call.
   */
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

  /** Returns SQL statements that delete these log entries. After the statements were executed, {@link forget} must be called. */
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
