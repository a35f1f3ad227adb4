import { SeqqaError } from "../../../model/errors.ts";
import type { KeptCounters, LastLook, NoGate, Observed, StoreScope, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { keptAtEnd } from "../../../stores/external/external-store.ts";
import { UNGATED } from "../../../stores/delegating-adapter.ts";
import { writeKept } from "../../../stores/external/kept-file.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import { OURS, type Catalog, type Sequence, type Table } from "../schema/catalog.ts";
import { alteration, catalogDifference, catalogText, type CatalogText } from "../schema/catalog-text.ts";
import type { Control } from "../connect/control.ts";
import { Writing } from "../connect/control.ts";
import { pairsOf } from "./counter-sql.ts";
import { dumpDatabase } from "../read/dump.ts";
import { BUSY_LIMIT_MS, codeOf, incoherent, isBusy, notPutBack, schemaChanged } from "../connect/failures.ts";
import { sumsOf, tellingBy } from "./ignored-values.ts";
import { install, isInstalled } from "./install.ts";
import { Lease } from "./lease.ts";
import { endsRun, LogReader } from "./log-reader.ts";
import { Looker } from "../read/looker.ts";
import { fixesToImage, imageOf, isImage, wholeImage, type MultisetSnapshot } from "./multiset-snapshot.ts";
import { MOST_ROWS, MultisetMirror, type RowSums, type Segment } from "../../../stores/journal/multiset-mirror.ts";
import type { PostgresMode, QueryRow } from "../connect/mode.ts";
import { observeAll, observeCounters, observeMirror } from "../read/observe.ts";
import { Places } from "./places.ts";
import { PostgresGate } from "../gate/postgres-gate.ts";
import { DDL_STATE, INCOHERENT_STATE } from "../put-back/put-back-sql.ts";
import { putBackKept } from "../put-back/put-back-kept.ts";
import { columnsOf, PUT, replyOf, type Look, type Row } from "../put-back/put-call.ts";
import type { Selection } from "../read/selection.ts";
import { UnrestoredSequences } from "./unrestored-sequences.ts";
import { Vacuum } from "./vacuum.ts";

export interface JournalChoice {
  readonly selection: Selection;
  readonly borrowed: boolean;
  /** Returns how many requests the run has sent to the target, or `undefined` while a request is in progress. */
  readonly asked?: (() => number | undefined) | undefined;
  /** Called with the rows of an external store that were written while the run had a request in progress. */
  readonly wrote?: StoreScope["wrote"];
  /** Sequences that restores leave unchanged, in addition to the sequences whose values clients may keep in memory. Default: none. */
  readonly unrestored?: readonly Sequence[] | undefined;
  /** `true` if the external store is opened only to detect writes of other clients. Default `false`. */
  readonly watching?: boolean | undefined;
  /** `true` if the gate can hold writes of the target. Default `false`. */
  readonly gated?: boolean | undefined;
  readonly previous?: JournalMode | undefined;
  /** The longest time to wait for open write transactions of other sessions, in milliseconds. Default 5000. */
  readonly limitMs?: number | undefined;
}

/**
 * The checkpoint mode `journal`, which undoes committed changes of other sessions. Row triggers write an undo log in the same transactions as the
 * target's changes. Reading the log takes one function call, and a restore takes another.
 */
export class JournalMode implements PostgresMode {
  readonly traits: StoreTraits;
  readonly gate: PostgresGate | NoGate;
  readonly #control: Control;
  readonly #looker: Looker;
  readonly #selection: Selection;
  readonly #tables: readonly Table[];
  readonly #sequences: readonly Sequence[];
  readonly #unrestored: UnrestoredSequences;
  readonly #indexOf: ReadonlyMap<string, number>;
  readonly #catalog: CatalogText;
  readonly #token: string;
  readonly #borrowed: boolean;
  readonly #watching: boolean;
  readonly #lease: Lease | undefined;
  readonly #reader: LogReader;
  readonly #limitMs: number;
  readonly #places: Places;
  readonly #vacuum: Vacuum;
  #mirror: MultisetMirror;
  /** The number of recorded steps that led to the root state. */
  #base: number;
  /**
   * The error after which this store can no longer be used, for example because its rows differ from the recorded changes. Every later operation
   * throws this error. `undefined` if there was no such error.
   */
  #broken: SeqqaError | undefined;

  private constructor(control: Control, catalog: Catalog, digest: CatalogText, token: string, choice: JournalChoice) {
    this.traits = { portable: true, commits: true, canLeaveCounters: !choice.borrowed };
    this.#unrestored = new UnrestoredSequences(control, choice.unrestored ?? []);
    this.#control = control;
    this.#looker = new Looker(control.store);
    this.#selection = choice.selection;
    this.#tables = catalog.tables;
    this.#sequences = catalog.sequences.filter(({ cached }) => !cached);
    this.#indexOf = new Map(catalog.tables.map(({ oid }, index) => [oid, index]));
    this.#catalog = digest;
    this.#token = token;
    this.#borrowed = choice.borrowed;
    this.#watching = choice.watching === true;
    this.#lease = choice.borrowed ? new Lease(control) : undefined;
    this.#reader = new LogReader({
      control,
      tables: catalog.tables,
      borrowed: choice.borrowed,
      asked: choice.asked,
      wrote: choice.wrote,
      watching: choice.watching,
    });
    this.#limitMs = choice.limitMs ?? BUSY_LIMIT_MS;
    this.gate = choice.gated === true ? new PostgresGate(control, this.#limitMs) : UNGATED;
    const { previous } = choice;
    const continues = previous !== undefined && previous.#token === token;
    this.#places = continues ? previous.#places : new Places();
    this.#vacuum = new Vacuum(control, catalog.tables, choice.borrowed);
    this.#mirror = continues ? previous.#mirror : new MultisetMirror("{}", tellingBy(catalog.tables));
    this.#base = continues ? previous.#base : 0;
  }

  /**
   * Installs the journal. After a restart of the target, continues with the existing journal if the schema is unchanged. Checkpoints then stay valid,
   * and the target's writes during start-up count as ordinary changes.
   */
  static async open(control: Control, catalog: Catalog, choice: JournalChoice): Promise<JournalMode> {
    const { previous } = choice;
    if (
      previous !== undefined &&
      (previous.gate.kind === "gate") === (choice.gated === true) &&
      (await isInstalled(control, previous.#token))
    ) {
      const digest = await schemaText(control);
      if (catalogDifference(previous.#catalog, digest) === undefined) {
        await control.rows(`update ${OURS}.owner set pid = pg_backend_pid()`);
        return new JournalMode(control, catalog, digest, previous.#token, choice);
      }
    }
    const token = await install(control, catalog, { borrowed: choice.borrowed, gated: choice.gated === true }, choice.limitMs);
    let mode: JournalMode | undefined;
    try {
      mode = new JournalMode(control, catalog, await schemaText(control), token, choice);
      // With `watching`, the caller reads the undo log later: the first read must report the writes of other clients.
      if (choice.watching !== true) await mode.#read(false);
    } catch (error) {
      if (mode !== undefined) mode.#lease?.stop();
      // The run has sent no request yet, so there is nothing to restore.
      await control.patiently(() => control.rows(`drop schema ${OURS} cascade`), choice.limitMs).catch(() => undefined);
      throw error;
    }
    mode.#mirror = new MultisetMirror(mode.#mirror.counters, tellingBy(mode.#tables));
    return mode;
  }

  root(): Promise<Observed> {
    return this.#alone(() =>
      this.#control.transaction(async () => {
        // Read the undo log and the rows in one transaction with one snapshot, so that both contain the same writes.
        await this.#read(true);
        const tables: [Table, string[]][] = [];
        for (const table of this.#tables.filter(this.#selection.tables)) {
          const rows = await this.#control.rowsOf(table);
          tables.push([table, rows.map(([row]) => row as string)]);
          await this.#lease?.renew();
        }
        await this.#unrestored.root();
        const { counters } = this.#mirror;
        this.#base += this.#mirror.top.depth + 1;
        this.#mirror = new MultisetMirror(counters, tellingBy(this.#tables));
        return {
          kind: "rows" as const,
          tables: observeAll(tables),
          counters: observeCounters(this.#sequences, pairsOf(counters, this.#sequences.length), undefined, this.#selection),
        };
      }, "isolation level repeatable read"),
    );
  }

  mark(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#read(true);
      return this.#mirror.top;
    });
  }

  position(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#mirror.top;
    });
  }

  changed(mark: unknown): Promise<boolean> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#mirror.top !== mark;
    });
  }

  observe(): Promise<Observed> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#observed();
    });
  }

  capture(): Promise<MultisetSnapshot> {
    return this.#alone(async () => {
      await this.#read(false);
      return { ...imageOf(this.#tables, this.#sequences, this.#mirror), ...(await this.#unrestored.reached()) };
    });
  }

  captureWhole(): Promise<MultisetSnapshot | undefined> {
    if (this.#borrowed) return Promise.resolve(undefined);
    return this.#alone(async () => {
      const rows = await this.#allRows();
      const { counters } = this.#mirror;
      if (rows === undefined) return undefined;
      return { ...wholeImage(this.#tables, this.#sequences, rows, counters), ...(await this.#unrestored.reached()) };
    });
  }

  /** Reads the undo log and all rows. Returns `undefined` if there are more than `most` rows. */
  #allRows(most: number = MOST_ROWS): Promise<RowSums | undefined> {
    return this.#control.transaction(async () => {
      await this.#read(true);
      if (most !== Infinity) {
        // Count first, because the rows of a large store would fill the memory.
        let left = most;
        for (const { sqlName } of this.#tables) {
          const [[count] = []] = await this.#control.rows(`select count(*)::text from (select 1 from only ${sqlName} limit ${left + 1}) t`);
          if ((left -= Number(count)) < 0) return undefined;
        }
      }
      const all = sumsOf(this.#tables);
      for (const [index, table] of this.#tables.entries())
        for (const [row] of await this.#control.rowsOf(table)) all.add(index, row as string, 1);
      return all;
    }, "isolation level repeatable read");
  }

  get keptCounters(): KeptCounters | undefined {
    return this.#unrestored.described(() => this.#alone(() => this.#unrestored.restore()));
  }

  lastLook(): LastLook | undefined {
    // A snapshot also needs the present values of these sequences.
    if (this.#unrestored.any) return undefined;
    return {
      mark: this.#mirror.top,
      observe: () => this.#observed(),
      capture: () => imageOf(this.#tables, this.#sequences, this.#mirror),
      restore: (mark) => this.#restore(mark as Segment, this.#mirror.top),
    };
  }

  async restore(mark: unknown): Promise<void> {
    await this.#restore(mark as Segment);
  }

  /** Restores a state. With `seen`, restores only if the store is still in the state `seen`, and otherwise returns `false`. */
  #restore(segment: Segment, seen?: Segment): Promise<boolean> {
    return this.#alone(async () => {
      const mirror = this.#mirror;
      if (!mirror.holds(segment)) throw markInvalid();
      if (seen === segment) await this.#read(true);
      if (seen !== undefined && mirror.top !== seen) return false;
      if (seen === segment) return true;
      const keep = segment.depth;
      const count = this.#reader.count();
      const look = await this.#put(mirror.changesTo(segment), mirror.countersAt(segment), { keep, depth: keep, seen: seen !== undefined });
      if (look === undefined) {
        // The new writes cancel each other out, so the store is still in the state `seen`. Try again.
        if (mirror.top === seen) throw new Writing("another session");
        return false;
      }
      mirror.popTo(segment);
      await this.#takeInPut(look, count);
      return true;
    });
  }

  write(image: unknown): Promise<void> {
    if (!isImage(image))
      throw new TypeError('PostgresAdapter.write() got a value that does not come from capture() of a database with checkpoint "journal".');
    return this.#alone(async () => {
      const mirror = this.#mirror;
      const wanted = fixesToImage(this.#control.store, this.#tables, this.#sequences, image);
      if (image.isWhole === true) {
        // A whole snapshot contains all rows. Subtract the rows of the root state: the present rows without the changes since the root state.
        for (const { table, row, by } of (await this.#allRows(Infinity))!.deltas()) wanted.rows.add(table, row, -by);
        for (const { table, row, by } of mirror.net.deltas()) wanted.rows.add(table, row, by);
      }
      const changes = mirror.changesTo(mirror.bottom);
      const deltas = wanted.rows.deltas();
      for (const { table, row, by } of deltas) changes.add(table, row, by);
      // If the written state is the root state, no step is recorded. Otherwise one step is recorded.
      const depth = deltas.length === 0 && wanted.counters === mirror.rootCounters ? 0 : 1;
      const count = this.#reader.count();
      const look = await this.#put(changes, wanted.counters, { keep: 0, depth, kept: wanted.rows });
      await this.#unrestored.raise(image.reached ?? []);
      mirror.popTo(mirror.bottom);
      mirror.push(wanted.rows, wanted.counters);
      await this.#takeInPut(look as Look, count);
    });
  }

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    return this.#looker.query(sql, values);
  }

  dump(): Promise<string> {
    return this.#control.inTurn(() =>
      this.#control.transaction(() => dumpDatabase(this.#control.client), "isolation level repeatable read read only"),
    );
  }

  async close(leaveNothing: boolean): Promise<void> {
    this.#lease?.stop();
    if (this.gate.kind === "gate") await this.gate.release();
    return this.#control.inTurn(async () => {
      await this.#looker.close();
      try {
        if (leaveNothing) await this.#leave();
      } finally {
        await this.#control.close();
      }
    });
  }

  /** Restores the database at the end of the run. In an external store, rows that other clients changed are reported and not restored. */
  async #leave(): Promise<void> {
    if (this.#broken?.code === "LEASE_OVER") throw this.#broken;
    const isReadable = this.#broken === undefined || this.#broken.code === "SCHEMA_CHANGED";
    const lastLook = this.#borrowed && isReadable ? (): Promise<void> => this.#reader.record(this.#step) : undefined;
    const leftover = await putBackKept(this.#control, { leased: this.#borrowed, lastLook, limitMs: this.#limitMs });
    if (leftover.keep.length > 0 && !this.#watching) throw keptAtEnd(leftover.store, leftover.keep, writeKept(leftover));
  }

  /** Reads the undo log. With `apart`, throws if another session has an open write transaction. */
  async #read(apart: boolean): Promise<void> {
    await this.#takeIn(await this.#reader.read(apart, this.#step));
  }

  get #step(): number {
    return this.#base + this.#mirror.top.depth + 1;
  }

  /**
   * Records the log entries in the result of a restore as known changes. Reads the log again if other clients may have made the entries. `count`: the
   * number of requests that the run had sent before the restore.
   */
  async #takeInPut(look: Look, count: number | undefined): Promise<void> {
    if (this.#reader.accepts(look, count)) await this.#takeIn(look);
    else await this.#read(false);
  }

  async #takeIn({ counters, entries }: Look): Promise<void> {
    const changes = sumsOf(this.#tables);
    const altered: string[] = [];
    let shape: string | undefined;
    for (const [rel, o, n, place] of entries) {
      const table = this.#indexOf.get(rel as string);
      if (table === undefined) {
        altered.push(o ?? "an unknown table");
        if (typeof n === "string") shape = n;
        continue;
      }
      if (typeof o === "string") changes.add(table, o, -1);
      if (typeof n === "string") changes.add(table, n, 1);
      if (typeof place === "string" && typeof n === "string") this.#places.saw(table, n, place);
    }
    this.#mirror.push(changes, counters === this.#mirror.counters ? this.#mirror.counters : counters);
    this.#vacuum.count(entries.length);
    if (altered.length > 0) await this.#look(altered, shape);
  }

  /**
   * Throws if a schema statement in the undo log really changed the schema. `shape`: the new hash of the system catalogs. `undefined` if the hash is
   * unchanged or was not compared.
   */
  async #look(statements: readonly string[], shape: string | undefined): Promise<void> {
    const detail = alteration(statements, this.#catalog, await schemaText(this.#control));
    if (detail !== undefined) throw (this.#broken = schemaChanged(this.#control.store, detail));
    if (shape !== undefined) await this.#control.rows(`update ${OURS}.owner set shape = $1`, [shape]);
    // The statement did not change the schema. Delete its entry, because a later run would otherwise refuse to restore the data.
    if (this.#borrowed) await this.#control.rows(`delete from ${OURS}.kept where rel = 0`);
  }

  /**
   * Changes rows and sequences, and reads the undo log afterwards. `keep`: the number of recorded steps to keep. `depth`: the number of steps of the
   * resulting state. With `seen`: if a session has written something since the last read, changes nothing and returns `undefined`.
   */
  async #put(
    changes: RowSums,
    counters: string,
    { keep, depth, kept, seen = false }: { keep: number; depth: number; kept?: RowSums; seen?: boolean },
  ): Promise<Look | undefined> {
    const { rel, img, w, parts } = columnsOf(this.#tables, changes);
    const [placeRel, place]: [string[], string[]] = [[], []];
    for (let i = 0; i < rel.length; i++) {
      const table = this.#indexOf.get(rel[i]!)!;
      if (w[i]! > 0 || this.#tables[table]!.key.length > 0) continue;
      for (const one of this.#places.of(table, img[i]!)) {
        placeRel.push(rel[i]!);
        place.push(one);
      }
    }
    const ours = this.#borrowed && kept !== undefined ? columnsOf(this.#tables, kept) : { rel: null, img: null, w: null };
    const before = seen ? this.#mirror.counters : null;
    const step = this.#base + depth + 1;
    const quiet = this.#reader.isQuiet;
    const values = [rel, img, w, placeRel, place, counters, this.#base + keep, ours.rel, ours.img, ours.w, step, before, parts, quiet];
    let rows: Row[];
    try {
      rows = await this.#control.rows(PUT, values, "seqqa_put");
    } catch (cause) {
      const error = this.#reader.explain(cause);
      if (codeOf(error) !== DDL_STATE) {
        // The transaction failed and changed nothing. The cause may be a write that was committed after the last read. The undo log now contains this
        // write.
        const { top } = this.#mirror;
        if (!(error instanceof SeqqaError) && !isBusy(error)) await this.#read(false);
        if (this.#mirror.top !== top) throw new Writing("another session");
        throw this.#putError(error, kept !== undefined);
      }
      // The undo log contains a schema statement. `#read` throws if the statement changed the schema. Otherwise the caller tries the restore again.
      await this.#read(false);
      throw new Stale();
    }
    const reply = replyOf(rows);
    if (reply.kind === "busy") throw new Writing(reply.who);
    if (reply.kind === "written") {
      await this.#read(false);
      if (seen) return undefined;
      throw new Stale();
    }
    for (const [oid, row, at, count] of reply.placed) {
      const table = this.#indexOf.get(oid as string)!;
      if (typeof row === "string") this.#places.saw(table, row, at as string);
      else this.#vacuum.wrote(table, Number(count));
    }
    return reply.look;
  }

  #observed(): Observed {
    return observeMirror(this.#tables, this.#sequences, this.#mirror, this.#selection);
  }

  /** @param isWrite `true` if a snapshot was being written. It may not fit the root state of this lane, so the store can still be used. */
  #putError(error: unknown, isWrite: boolean): unknown {
    if (isBusy(error) || error instanceof SeqqaError) return error;
    const code = String(codeOf(error));
    const isIncoherent = code === INCOHERENT_STATE;
    const why = isIncoherent ? incoherent(this.#control.store, (error as Error).message) : notPutBack(this.#control.store, error);
    if (!isWrite || !(isIncoherent || CONFLICT.test(code))) this.#broken = why;
    return why;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#control.inTurn(async () => {
      for (let tries = 1; ; tries++) {
        if (this.#broken !== undefined) throw this.#broken;
        try {
          const result = await this.#control.patiently(work, this.#limitMs);
          await this.#vacuum.due();
          return result;
        } catch (error) {
          if (error instanceof SeqqaError && endsRun(error)) this.#broken = error;
          if (!(error instanceof Stale) || tries > 3) throw error;
        }
      }
    });
  }
}

/** Matches the SQLSTATE of a violated constraint, such as a row that exists already. */
const CONFLICT = /^23/;

/** Thrown if the undo log had unread entries that may affect the operation. The caller then tries the operation again. */
class Stale extends Error {}

/**
 * Returns hashes of the schema. If the role is not a superuser, there are no event triggers, so the result has additional hashes, which change when
 * rows are rewritten.
 */
function schemaText({ client, rights }: Control): Promise<CatalogText> {
  return catalogText(client, !rights.superuser);
}
