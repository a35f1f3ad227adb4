import { rmSync } from "node:fs";
import { joinedErrors, SeqqaError } from "../../model/errors.ts";
import type { WrittenRow } from "../../model/stores/leftover.ts";
import { namedRows } from "./external-store.ts";
import { writeKept } from "./kept-file.ts";

/**
 * The ledger forgets rows of earlier executions if it contains more than this number of rows, until it contains at most `LESS_ROWS`. Rows of the
 * present execution are never forgotten.
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
  /** For each table that only one execution of the action wrote: the number of rows of this reading that the ledger has forgotten. */
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
  /** Counts of rows that should be in `rows`, but that the ledger had already forgotten. */
  readonly missing: Set<Forgotten>;
  /**
   * The keys of those rows in `rows` whose writes no action explains. The other rows were saved because they may explain why two executions differ.
   */
  readonly unexplained: Set<string>;
}

/** The result of saving rows. */
export interface Saving {
  /** The paths of the files with the rows. */
  readonly files: readonly string[];
  /** `true` if the files did not contain all of these rows before. */
  readonly isNew: boolean;
  /**
   * Completes a saving. For tables for which `isKnown` returns `true`, the cause of the writes is known, so rows that this saving added to the files
   * are removed again. All other rows will be reported as unexplained.
   */
  readonly settle: (isKnown: (table: string) => boolean) => void;
}

/** Returns `true` if a row must be saved. `row` is `undefined` for rows of the table that the ledger has forgotten. */
type Choice = (reading: Reading, table: string, row: WrittenRow | undefined) => boolean;

/**
 * The writes to the external stores of a lane while the run had a request in progress. Restores undo these writes, because the target probably made
 * them. If another client may have made some of the writes, the ledger saves their rows in a file (one for each store), so that the data is not lost.
 */
export class WriteLedger {
  /** `false` while calls are executed at the same time or with failing writes, because it is then unknown which action made a write. */
  isCounting = true;
  #readings: Reading[] = [];
  /** The total number of rows in `#readings`. */
  #held = 0;
  /** For each action: the tables that it wrote, each with the number of executions that wrote it. */
  readonly #counts: Map<string, Map<string, number>> = new Map();
  readonly #saved: Map<string, Saved> = new Map();
  #execution: Execution = executionOf(undefined);

  /** Notes that an action begins. */
  begin(action: string): void {
    this.#execution = executionOf(this.isCounting ? action : undefined);
  }

  /** Notes that checks begin. Writes that are seen later are not assigned to the action. */
  end(): void {
    this.#execution.action = undefined;
  }

  /** Records rows that a store has found to be written. The function is passed to stores as {@link StoreScope.wrote}. */
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

  /** Returns the tables that the present execution of the action has written, but that no earlier execution of this action has written. */
  get newTables(): ReadonlySet<string> {
    const { action, tables } = this.#execution;
    const counts = this.#counts.get(action ?? "");
    return new Set([...tables].filter((table) => counts?.get(table) === 1));
  }

  /**
   * Forgets that an action wrote those of the given tables that only one of its executions wrote. Returns these tables. Called after the action was
   * executed again, to see which tables it really writes.
   */
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

  /** Saves the rows that were written late: the rows of the last reading, and the rows of all readings of the present execution except the first. */
  saveLate(): Saving {
    const last = this.#readings.at(-1);
    return this.#save((reading) => reading === last || (reading.execution === this.#execution && !reading.isFirst));
  }

  /**
   * Saves the rows that may explain why two executions of the same steps differ: the rows of {@link saveSeldom} and, if all of these were already
   * saved, also all rows that were written only once with the same values. Returns the paths of the files.
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

  /** The error for the saved rows that no action explains; `undefined` if there are none. */
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

  /** Forgets rows of earlier executions, the oldest first. Begins with rows of tables that several executions of the same action have written. */
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
          // Keep at least one row of each reading, so that a message can name it.
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

  /** Writes the file of a store again, or deletes the file if it would contain no rows. */
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
