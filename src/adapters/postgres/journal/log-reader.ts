import type { SeqqaError } from "../../../model/errors.ts";
import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { AskedSince, foreignRows, ForeignWrite, type ForeignRow } from "../../../stores/external/external-store.ts";
import { OURS, type Table } from "../schema/catalog.ts";
import { Writing, type Control } from "../connect/control.ts";
import { schemaChanged } from "../connect/failures.ts";
import { sumsOf } from "./ignored-values.ts";
import { isLeaseOver, leaseOverOn } from "./lease.ts";
import { lookOf, type Look, type Row } from "../put-back/put-call.ts";
import { rowImage, shownKey } from "../read/shown-row.ts";

/** Matches the server's message about a table or sequence that was dropped after seqqa had read the schema. The error has no code of its own. */
const DROPPED = /could not open relation with OID \d+/;
const READ = `select rel, o, n, place from ${OURS}.read($1, $2, $3)`;

export interface LogReading {
  readonly control: Control;
  readonly tables: readonly Table[];
  readonly borrowed: boolean;
  /** Returns how many requests the run has sent to the target, or `undefined` while a request is in progress. */
  readonly asked: (() => number | undefined) | undefined;
  readonly wrote: StoreScope["wrote"];
  /** `true` if the external store is opened only to detect writes of other clients. */
  readonly watching: boolean | undefined;
}

/** Reads the undo log. In an external store, distinguishes writes of the run from writes of other clients. */
export class LogReader {
  readonly #how: LogReading;
  readonly #asked: AskedSince;

  constructor(how: LogReading) {
    this.#how = how;
    this.#asked = new AskedSince(how.asked);
  }

  /** `true` if the run has sent no request since the last read and none is in progress. New log entries were then made by other clients. */
  get isQuiet(): boolean {
    return this.#asked.isQuiet;
  }

  count(): number | undefined {
    return this.#how.asked?.();
  }

  /**
   * Returns the log entries since the last read. With `apart`, throws `Writing` if another session has an open write transaction. `step`: the number
   * with which the entries are recorded.
   *
   * @throws Writing; SeqqaError `LEASE_OVER`, `FOREIGN_WRITE`
   */
  async read(apart: boolean, step: number): Promise<Look> {
    for (;;) {
      const count = this.count();
      const [[, counters, busy], ...entries] = await this.#rows(apart, step, this.isQuiet);
      if (typeof busy === "string") throw new Writing(busy);
      const look = lookOf(counters as string, entries);
      if (this.accepts(look, count)) return look;
    }
  }

  /**
   * Checks that the run itself made the log entries of a read. `count`: the number of requests of the run before the read.
   *
   * @returns `false` if the run sent a request during the read, so that the caller must read the log again
   * @throws SeqqaError `FOREIGN_WRITE`
   */
  accepts({ entries, foreign }: Look, count: number | undefined): boolean {
    const store = `the database ${this.#how.control.store.shown}`;
    if (foreign && this.isQuiet) throw new ForeignWrite(store, this.#named(entries));
    if (!foreign && entries.length > 0) this.#how.wrote?.(store, this.#named(entries));
    // If the run sent a request during the read, the entries may lack the writes of this request. The run then still counts as active.
    if (!foreign && count === this.count()) this.#asked.looked();
    return !foreign;
  }

  /** Records the last log entries of the run. Writes of other clients stay in the undo log. @throws SeqqaError `LEASE_OVER` */
  async record(step: number): Promise<void> {
    const [, ...entries] = await this.#rows(false, step, this.isQuiet);
    if (lookOf("", entries).foreign && !this.isQuiet) await this.#rows(false, step, false);
  }

  /**
   * Returns the error to throw for a failed statement: `LEASE_OVER` if the lease has expired, `SCHEMA_CHANGED` if a table or sequence was dropped,
   * otherwise `error` itself.
   */
  explain(error: unknown): unknown {
    const { borrowed, control } = this.#how;
    if (DROPPED.test((error as Error).message)) return schemaChanged(control.store, "a table or sequence was dropped");
    return borrowed && isLeaseOver(error) ? leaseOverOn(control) : error;
  }

  async #rows(apart: boolean, step: number, quiet: boolean): Promise<readonly [Row, ...Row[]]> {
    try {
      const rows: readonly Row[] = await this.#how.control.rows(READ, [apart, step, quiet], "seqqa_read");
      return rows as readonly [Row, ...Row[]];
    } catch (error) {
      throw this.explain(error);
    }
  }

  #named(entries: readonly Row[]): ForeignRow[] {
    const { tables } = this.#how;
    const sums = sumsOf(tables);
    for (const [rel, o, n] of entries) {
      const table = tables.findIndex(({ oid }) => oid === rel);
      if (table < 0) continue;
      if (typeof o === "string") sums.add(table, o, -1);
      if (typeof n === "string") sums.add(table, n, 1);
    }
    return foreignRows(
      sums.deltas().map(({ table: at, row, by }) => {
        const table = tables[at]!;
        return { table: table.name, key: shownKey(table, row), by, image: rowImage(table, row) };
      }),
    );
  }
}

/** Returns `true` for errors after which the store can no longer be used in this run. */
export function endsRun({ code }: SeqqaError): boolean {
  return code === "LEASE_OVER" || code === "FOREIGN_WRITE";
}
