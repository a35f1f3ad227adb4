import { rmSync } from "node:fs";
import { joinedErrors, SeqqaError } from "../../model/errors.ts";
import type { WrittenRow } from "../../model/stores/leftover.ts";
import { namedRows } from "./external-store.ts";
import { writeKept } from "./kept-file.ts";

/**
 * Largest number of rows that the ledger remembers of earlier executions, and the number to which it then forgets rows. All rows of the present
 * execution are remembered.
 */
const MOST_ROWS = 50_000;
const LESS_ROWS = 40_000;

/** The execution of one action, or of anything else that writes (`action` is then `undefined`). */
interface Execution {
  action: string | undefined;
  /** The tables that were written, each with its store. */
  readonly tables: Set<string>;
  readings: number;
}

interface Forgotten {
  count: number;
}

interface Reading {
  readonly store: string;
  rows: readonly WrittenRow[];
  /** The number of forgotten rows of each table that only one execution of the action wrote. */
  readonly forgotten: Map<string, Forgotten>;
  readonly action: string | undefined;
  readonly execution: Execution;
  /** `true` for the first reading after the action. Later readings contain late writes. */
  readonly isFirst: boolean;
}

/** Rows that were saved in a file because another client may have written them. */
interface Saved {
  readonly rows: Map<string, WrittenRow>;
  /** The path of the file. Does not change, because messages name it. */
  file: string | undefined;
  /** The numbers of rows that should be in `rows`, but were forgotten before. */
  readonly missing: Set<Forgotten>;
  /** The rows of `rows` that no action explains. The other rows were only saved because they may explain a difference. */
  readonly unexplained: Set<string>;
}

/** Rows that were just saved. */
export interface Saving {
  /** The paths of the files with the rows. */
  readonly files: readonly string[];
  /** `true` if the files did not contain all of these rows before. */
  readonly isNew: boolean;
  /**
   * Removes the rows of the tables for which `isKnown` returns `true` from the files, because the cause of these writes is known, and reports the
   * other rows as unexplained.
   */
  readonly settle: (isKnown: (table: string) => boolean) => void;
}

/** Chooses rows to save. `row`: `undefined` for rows of the table that the ledger has forgotten. */
type Choice = (reading: Reading, table: string, row: WrittenRow | undefined) => boolean;

/**
 * The writes to the external stores of a lane that fell into the time of requests. Restores undo these writes. If there is reason to believe that
 * another client made some of these writes, the ledger saves their rows in a file (one for each store), so that they are not lost.
 */
export class WriteLedger {
  /** `false` while calls are executed at the same time or with failing writes, so that writes say nothing about a single action. */
  isCounting = true;
  #readings: Reading[] = [];
  /** The number of rows of `#readings`. */
  #held = 0;
  /** For each action: the tables that it wrote, each with the number of executions that wrote it. */
  readonly #counts: Map<string, Map<string, number>> = new Map();
  readonly #saved: Map<string, Saved> = new Map();
  #execution: Execution = executionOf(undefined);

  /** Notes that an action begins. */
  begin(action: string): void {
    this.#execution = executionOf(this.isCounting ? action : undefined);
  }

  /** Notes that checks begin. Their writes, and later writes, say nothing about the action. */
  end(): void {
    this.#execution.action = undefined;
  }

  /** Notes rows that a store read. The function is passed to stores as {@link StoreScope.wrote}. */
  readonly saw = (store: string, rows: readonly WrittenRow[]): void => {
    if (rows.length === 0) return;
    const execution = this.#execution;
    const { action, tables } = execution;
    this.#readings.push({ store, rows, forgotten: new Map(), action, execution, isFirst: execution.readings++ === 0 });
    this.#held += rows.length;
    if (this.#held > MOST_ROWS) this.#forgetRows();
    if (action === undefined) return;
    const counts = this.#counts.get(action) ?? new Map<string, number>();
    this.#counts.set(action, counts);
    for (const { table } of rows) {
      const name = placeOf(store, table);
      if (tables.has(name)) continue;
      tables.add(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };

  /** Returns the tables that the present action has written, but no earlier execution of this action. */
  get newTables(): ReadonlySet<string> {
    const { action, tables } = this.#execution;
    const counts = this.#counts.get(action ?? "");
    return new Set([...tables].filter((table) => counts?.get(table) === 1));
  }

  /** Forgets that an action wrote those of these tables that it did not write when it was executed again. Returns the forgotten tables. */
  forget(action: string, tables: ReadonlySet<string>): ReadonlySet<string> {
    const counts = this.#counts.get(action);
    const seldom = new Set([...tables].filter((table) => counts?.get(table) === 1));
    for (const table of seldom) counts?.delete(table);
    return seldom;
  }

  /**
   * Saves the rows of tables that only one execution of an action has written. `isAsked`: selects actions and tables. Default: all.
   * `isUnexplained`: `false` if it is not yet known if the action wrote the rows.
   */
  saveSeldom(isAsked: (action: string, table: string) => boolean = () => true, isUnexplained = true): Saving {
    return this.#save(
      (reading, table) => this.#isSeldom(reading, table) && isAsked(reading.action!, placeOf(reading.store, table)),
      isUnexplained,
    );
  }

  /** Saves the rows that were written late: the rows of the last reading, and of all but the first reading of the present execution. */
  saveLate(): Saving {
    const last = this.#readings.at(-1);
    return this.#save((reading) => reading === last || (reading.execution === this.#execution && !reading.isFirst));
  }

  /**
   * Saves the rows that may explain why two executions of the same steps differ: the rows of {@link saveSeldom}, or else all rows that were written
   * only once with these values. Returns the paths of the files.
   */
  saveDiffering(): readonly string[] {
    const seldom = this.saveSeldom();
    if (seldom.isNew) return seldom.files;
    const times = new Map<string, number>();
    for (const { store, rows } of this.#readings)
      for (const row of rows) times.set(idOf(store, row), (times.get(idOf(store, row)) ?? 0) + 1);
    const { files } = this.#save(({ store }, _table, row) => row !== undefined && times.get(idOf(store, row)) === 1, false);
    return [...new Set([...seldom.files, ...files])];
  }

  /** Returns the error for the rows that were saved. `undefined` if no row was saved. */
  get problem(): SeqqaError | undefined {
    let problem: SeqqaError | undefined;
    for (const [store, saved] of this.#saved) {
      const { rows, file, unexplained } = saved;
      const named = [...rows].flatMap(([id, row]) => (unexplained.has(id) ? [row] : []));
      if (named.length === 0) continue;
      const missing = missingOf(saved);
      const says = missing === 0 ? "" : ` The file is incomplete: ${missing} rows are missing.`;
      const one = new SeqqaError(
        "ROWS_UNDONE",
        `Rows of ${store} were written during this run, and no action explains the writes: ${namedRows(named)}. seqqa undid the writes, and wrote the values of the rows to ${file}.${says}`,
        {
          hint: "Another client, a timer or job of the target, or unfinished work of an action may have written the rows. If another client wrote them, repeat its writes with the values in the file. Stop other clients and jobs that use the store during a run, or use a copy (`db_url`).",
          exitStatus: 3,
        },
      );
      problem = joinedErrors(problem, one);
    }
    return problem;
  }

  #isSeldom({ store, action }: Reading, table: string): boolean {
    return action !== undefined && this.#counts.get(action)?.get(placeOf(store, table)) === 1;
  }

  /** Forgets the oldest rows of earlier executions. First forgets rows of tables that several executions of their action have written. */
  #forgetRows(): void {
    for (const isSeldomToo of [false, true]) {
      if (this.#held <= LESS_ROWS) break;
      for (const reading of this.#readings) {
        if (this.#held <= LESS_ROWS) break;
        if (reading.execution === this.#execution) continue;
        const kept: WrittenRow[] = [];
        for (const row of reading.rows) {
          const isSeldom = this.#isSeldom(reading, row.table);
          if (!isSeldom) continue;
          // Keep one row of each reading, so that a message can name it.
          if (!isSeldomToo || kept.length === 0) {
            kept.push(row);
            continue;
          }
          if (this.#saved.get(reading.store)?.rows.has(idOf(reading.store, row)) === true) continue;
          const forgotten = reading.forgotten.get(row.table) ?? { count: 0 };
          forgotten.count++;
          reading.forgotten.set(row.table, forgotten);
        }
        this.#held -= reading.rows.length - kept.length;
        reading.rows = kept;
      }
    }
    this.#readings = this.#readings.filter(({ rows }) => rows.length > 0);
  }

  #save(choose: Choice, isUnexplained = true): Saving {
    const chosen: {
      readonly store: string;
      readonly table: string;
      readonly id: string;
      readonly isAdded: boolean;
      readonly isMarked: boolean;
    }[] = [];
    for (const reading of this.#readings) {
      const { store } = reading;
      for (const row of reading.rows) {
        const { table } = row;
        if (!choose(reading, table, row)) continue;
        const saved = this.#savedOf(store);
        const id = idOf(store, row);
        const isMarked = isUnexplained && !saved.unexplained.has(id);
        if (isMarked) saved.unexplained.add(id);
        const isAdded = !saved.rows.has(id);
        if (isAdded) saved.rows.set(id, row);
        chosen.push({ store, table: placeOf(store, table), id, isAdded, isMarked });
      }
      for (const [table, forgotten] of reading.forgotten)
        if (choose(reading, table, undefined)) this.#savedOf(store).missing.add(forgotten);
    }
    const write = (): void => {
      for (const store of new Set(chosen.flatMap((one) => (one.isAdded ? [one.store] : [])))) this.#write(store);
    };
    write();
    return {
      files: [...new Set(chosen.map(({ store }) => this.#savedOf(store).file!))],
      isNew: chosen.some(({ isAdded }) => isAdded),
      settle: (isKnown) => {
        for (const { store, table, id, isAdded, isMarked } of chosen) {
          const { rows, unexplained } = this.#savedOf(store);
          if (!isKnown(table)) unexplained.add(id);
          else if (isMarked) unexplained.delete(id);
          if (isKnown(table) && isAdded) rows.delete(id);
        }
        write();
      },
    };
  }

  #savedOf(store: string): Saved {
    const saved = this.#saved.get(store) ?? { rows: new Map(), unexplained: new Set(), missing: new Set(), file: undefined };
    this.#saved.set(store, saved);
    return saved;
  }

  /** Writes the file of a store again, or removes the file if it would contain no row. */
  #write(store: string): void {
    const saved = this.#savedOf(store);
    const keep = [...saved.rows.values()].map(({ table, key, was, now }) => ({ table, key, root: was, recorded: now, now: was }));
    if (keep.length > 0)
      saved.file = writeKept(
        { store, sinceMs: 0, recordedMs: Date.now(), undo: [], keep, missing: missingOf(saved) },
        undefined,
        saved.file,
      );
    else if (saved.file !== undefined) rmSync(saved.file, { force: true });
  }
}

function missingOf({ missing }: Saved): number {
  return [...missing].reduce((sum, { count }) => sum + count, 0);
}

function executionOf(action: string | undefined): Execution {
  return { action, tables: new Set(), readings: 0 };
}

function placeOf(store: string, table: string): string {
  return `${store}\n${table}`;
}

function idOf(store: string, { table, key, was, now }: WrittenRow): string {
  const plain = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
  return JSON.stringify([store, table, key, was, now], plain);
}
