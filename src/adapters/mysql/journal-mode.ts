import { randomUUID } from "node:crypto";
import { SeqqaError } from "../../model/errors.ts";
import type { Gate, LastLook, NoGate, Observed, SystemTraits } from "../../model/system.ts";
import { MultisetMirror, type RowSums, type Segment } from "../../systems/multiset-mirror.ts";
import { UNGATED } from "../../systems/delegating-system.ts";
import { markInvalid } from "../../systems/store-errors.ts";
import type { Catalog, Table } from "./catalog.ts";
import { Writing, type Control, type Row } from "./control.ts";
import { dumpDatabase } from "./dump.ts";
import { BUSY_LIMIT_MS, errnoOf, incoherent, isBusy, notPutBack } from "./failures.ts";
import { install, installedToken, uninstall } from "./install.ts";
import { JournalLog } from "./journal-log.ts";
import { keepTables, keptStatements } from "./journal-sql.ts";
import { Looker } from "./looker.ts";
import type { MysqlMode, QueryRow } from "./mode.ts";
import { MysqlGate } from "./mysql-gate.ts";
import { imageOf, isImage, rowsOfImage, type MultisetImage } from "./multiset-image.ts";
import { imagesOf, observeAll, observeNet } from "./observe.ts";
import { batches, putBackStatements, WRONG_COUNT } from "./put-back.ts";
import { putBackAndUninstall } from "./recover.ts";
import { SchemaWatch } from "./schema-watch.ts";
import type { Selection } from "./selection.ts";

export interface JournalChoice {
  readonly selection: Selection;
  readonly borrowed: boolean;
  /** Whether writes of the target can be held; default: no. */
  readonly gated?: boolean | undefined;
  /** Of the same store, closed for a restart of the target. */
  readonly previous?: JournalMode | undefined;
  /** How long open write transactions of others are waited for, in milliseconds; default 5000. */
  readonly limitMs?: number | undefined;
}

/** What is known of the store beside the mirror, and outlives a restart of the target. */
interface Knowledge {
  readonly token: string;
  readonly tables: readonly Table[];
  readonly watch: SchemaWatch;
  readonly log: JournalLog;
  mirror: MultisetMirror;
  /** Borrowed: the entries of the log that made each segment, and of all before the root. */
  entries: Map<Segment, bigint[]>;
  roots: number;
}

/**
 * Puts back what other sessions committed, by an undo log that row triggers write in the transactions of the target. Reading is one round trip, and a
 * put-back another.
 */
export class JournalMode implements MysqlMode {
  readonly traits: SystemTraits = { portable: true, commits: true };
  readonly gate: Gate | NoGate;
  readonly #control: Control;
  readonly #looker: Looker;
  readonly #selection: Selection;
  readonly #borrowed: boolean;
  readonly #limitMs: number;
  readonly #known: Knowledge;
  /** Once the store is not what we know, nothing is answered any more. */
  #broken: SeqqaError | undefined;

  private constructor(control: Control, known: Knowledge, choice: JournalChoice) {
    this.#control = control;
    this.#looker = new Looker(control.store);
    this.#selection = choice.selection;
    this.#borrowed = choice.borrowed;
    this.#limitMs = choice.limitMs ?? BUSY_LIMIT_MS;
    this.gate = choice.gated === true ? new MysqlGate(control, known.tables, this.#limitMs) : UNGATED;
    this.#known = known;
  }

  /**
   * Installs what is needed. After a restart of the target it goes on from before, if the target left the schema as it was: marks stay valid,
   * and what the target wrote at its start is an ordinary change.
   */
  static async open(control: Control, catalog: Catalog, choice: JournalChoice): Promise<JournalMode> {
    const { previous } = choice;
    const before = previous === undefined ? undefined : previous.#known;
    const gated = choice.gated === true;
    const asBefore = (previous?.gate.kind === "gate") === gated;
    if (before !== undefined && asBefore && (await installedToken(control)) === before.token) {
      const altered = before.watch.difference(await control.rows(before.watch.sql)) ?? (await before.watch.altered(control, true));
      if (altered === undefined) {
        const known = { ...before, log: new JournalLog(control, before.tables, before.watch, before.log) };
        return new JournalMode(control, known, choice);
      }
    }
    const token = randomUUID();
    await uninstall(control);
    try {
      await install(control, catalog, { token, borrowed: choice.borrowed, gated });
    } catch (error) {
      await uninstall(control).catch(() => undefined);
      throw error;
    }
    const watch = await SchemaWatch.open(control);
    if (choice.borrowed) await control.rows(keepTables(watch.reading));
    const { tables } = catalog;
    const log = new JournalLog(control, tables, watch);
    return new JournalMode(control, { token, tables, watch, log, mirror: new MultisetMirror(""), entries: new Map(), roots: 0 }, choice);
  }

  root(): Promise<Observed> {
    return this.#alone(async () => {
      const { tables, mirror } = this.#known;
      const contents: [Table, string[]][] = [];
      for (;;) {
        await this.#read(true);
        const seen = mirror.top;
        contents.length = 0;
        await this.#control.snapshot(async () => {
          for (const table of tables.filter(this.#selection)) contents.push([table, await imagesOf(this.#control, table)]);
        });
        // What was written meanwhile may or may not be in the rows.
        await this.#read(true);
        if (mirror.top === seen) break;
      }
      this.#known.mirror = new MultisetMirror("");
      this.#known.entries = new Map();
      this.#known.roots++;
      return observeAll(contents);
    });
  }

  mark(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#read(true);
      if (!this.#borrowed && this.#known.log.tooLong) await this.#remove([...this.#known.log.present]);
      return this.#known.mirror.top;
    });
  }

  position(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#known.mirror.top;
    });
  }

  changed(mark: unknown): Promise<boolean> {
    return this.#alone(async () => {
      await this.#read(false);
      return this.#known.mirror.top !== mark;
    });
  }

  observe(): Promise<Observed> {
    return this.#alone(async () => {
      await this.#read(false);
      return observeNet(this.#known.tables, this.#known.mirror.net, this.#selection);
    });
  }

  capture(): Promise<MultisetImage> {
    return this.#alone(async () => {
      await this.#read(false);
      return imageOf(this.#known.tables, this.#known.mirror.net);
    });
  }

  lastLook(): LastLook {
    const { tables, mirror } = this.#known;
    return {
      mark: mirror.top,
      observe: () => observeNet(tables, mirror.net, this.#selection),
      capture: () => imageOf(tables, mirror.net),
      restore: (mark) => this.#restore(mark as Segment, mirror.top),
    };
  }

  async restore(mark: unknown): Promise<void> {
    await this.#restore(mark as Segment);
  }

  /** `seen`: restores only from this state; `false` when the store was in another one, and nothing was restored. */
  #restore(segment: Segment, seen?: Segment): Promise<boolean> {
    return this.#alone(async () => {
      const { mirror } = this.#known;
      if (!mirror.holds(segment)) throw markInvalid();
      // Hardly ever was something written since: then the reading before is left out.
      const from = mirror.top === seen && seen !== segment;
      if (from && (await this.#put(mirror.changesTo(segment), segment, { seen: true }))) return true;
      await this.#read(true);
      if (seen !== undefined && mirror.top !== seen) return false;
      if (mirror.top !== segment) await this.#put(mirror.changesTo(segment), segment);
      return true;
    });
  }

  write(image: unknown): Promise<void> {
    if (!isImage(image)) throw new TypeError("MysqlAdapter.write takes what capture() of a journalled database returned.");
    return this.#alone(async () => {
      const { mirror } = this.#known;
      const wanted = rowsOfImage(this.#control.store, this.#known.tables, image);
      const put = (seen: boolean): Promise<boolean> => {
        const changes = mirror.changesTo(mirror.bottom);
        for (const { table, row, by } of wanted.deltas()) changes.add(table, row, by);
        return this.#put(changes, mirror.bottom, { kept: wanted, seen });
      };
      if (await put(true)) return;
      await this.#read(true);
      await put(false);
    });
  }

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    return this.#looker.query(sql, values);
  }

  dump(): Promise<string> {
    return this.#control.inTurn(() => dumpDatabase(this.#control, false));
  }

  async close(leaveNothing: boolean): Promise<void> {
    if (this.gate.kind === "gate") await this.gate.release();
    return this.#control.inTurn(async () => {
      await this.#looker.close();
      try {
        if (leaveNothing) await putBackAndUninstall(this.#control, this.#limitMs);
      } finally {
        await this.#control.close();
      }
    });
  }

  async #read(apart: boolean): Promise<void> {
    const { log } = this.#known;
    await this.#takeIn(() => log.read(apart));
  }

  async #takeIn(reading: () => Promise<RowSums>): Promise<void> {
    const { log, mirror, entries } = this.#known;
    const had = log.present.length;
    let sums: RowSums;
    try {
      sums = await reading();
    } catch (error) {
      if (error instanceof SeqqaError && error.code !== "STORE_LOST") this.#broken = error;
      throw error;
    }
    mirror.push(sums, "");
    // What cancelled out belongs to the present state as well as to any other.
    if (this.#borrowed && log.present.length > had) {
      entries.set(mirror.top, [...(entries.get(mirror.top) ?? []), ...log.present.slice(had)]);
    }
  }

  /**
   * Changes the store in one transaction, takes the entries that it undoes out of the log, and reads what was logged meanwhile. `seen`: only where
   * nothing was written since the last reading; `false`: something was, or may have been, and nothing is changed.
   */
  async #put(changes: RowSums, to: Segment, { kept, seen = false }: { kept?: RowSums; seen?: boolean } = {}): Promise<boolean> {
    const { log, mirror, entries, tables, roots } = this.#known;
    const undone = this.#borrowed ? this.#entriesAbove(to) : [...log.present];
    const all = seen && !this.#borrowed;
    const statements = [
      "start transaction",
      // First, so that nothing of the target waits for us while we wait for it.
      ...(all ? log.removalOfAll() : seen ? log.nothingNew() : []),
      ...putBackStatements(tables, changes),
      ...(all ? [] : log.removal(undone)),
      ...(this.#borrowed && to.depth === 0 ? keptStatements(roots, kept) : []),
      "commit",
    ];
    const rows = await this.#change(statements, seen);
    if (rows === undefined) return false;
    if (seen) log.raise();
    log.forget(undone);
    for (const segment of entries.keys()) if (segment.depth > to.depth) entries.delete(segment);
    mirror.popTo(to);
    if (kept !== undefined) mirror.push(kept, "");
    await this.#takeIn(async () => log.take(rows, false));
    return true;
  }

  /** Entries of the log after a transaction. `undefined`: it failed, may do so, and was rolled back. */
  async #change(statements: readonly string[], mayFail: boolean): Promise<Row[] | undefined> {
    const parts = batches(statements);
    try {
      for (const part of parts.slice(0, -1)) await this.#control.rows(part.join(";\n"));
      return (await this.#control.batch([...parts.at(-1)!, this.#known.log.entries(false)])).at(-1)!;
    } catch (error) {
      if (!this.#control.lost) await this.#control.rows("rollback");
      if (isBusy(error) || error instanceof SeqqaError) throw error;
      if (mayFail) return undefined;
      // Nothing was changed. Somebody who wrote and committed between our look at the log and at the rows is in the log by now.
      const before = this.#known.mirror.top;
      await this.#read(false);
      if (this.#known.mirror.top !== before) throw new Writing();
      if (errnoOf(error) === WRONG_COUNT) throw new Stale();
      throw (this.#broken = notPutBack(this.#control.store, error));
    }
  }

  #entriesAbove(to: Segment): bigint[] {
    return [...this.#known.entries].filter(([segment]) => segment.depth > to.depth).flatMap(([, entries]) => entries);
  }

  async #remove(entries: readonly bigint[]): Promise<void> {
    for (const sql of this.#known.log.removal(entries)) await this.#control.rows(sql);
    this.#known.log.forget(entries);
  }

  /** One operation at a time, waiting for those who write. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#control.inTurn(async () => {
      for (let tries = 1; ; tries++) {
        if (this.#broken !== undefined) throw this.#broken;
        try {
          return await this.#control.patiently(work, this.#limitMs);
        } catch (error) {
          if (!(error instanceof Stale)) throw error;
          if (tries > 3) throw (this.#broken = incoherent(this.#control.store, "a row that is to be taken out is not there"));
        }
      }
    });
  }
}

/** A row that was to go was not there: something may have been written since the log was read, so once more. */
class Stale extends Error {}
