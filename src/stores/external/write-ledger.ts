import { rmSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";
import type { WrittenRow } from "../../model/stores/leftover.ts";
import { namedRows } from "./external-store.ts";
import { writeKept } from "./kept-file.ts";

/** Largest number of readings with writes that the ledger remembers, and largest number of rows that it remembers of one reading. */
const MOST_READINGS = 2_000;
const MOST_ROWS = 1_000;

/** The execution of one action, or of anything else that writes (`action` is then `undefined`). */
interface Execution {
  readonly action: string | undefined;
  /** The tables that were written, each with its store. */
  readonly tables: Set<string>;
  readings: number;
}

interface Reading {
  readonly store: string;
  readonly rows: readonly WrittenRow[];
  readonly execution: Execution;
  /** `true` for the first reading after the action. Later readings contain late writes. */
  readonly isFirst: boolean;
}

/** Rows that were saved in a file because another client may have written them. */
interface Saved {
  readonly rows: Map<string, WrittenRow>;
  file: string;
  /** The rows of `rows` that no action explains. The other rows were only saved because they may explain a difference. */
  readonly unexplained: Set<string>;
}

/** Rows that were just saved. */
export interface Saving {
  /** The paths of the files with the rows. */
  readonly files: readonly string[];
  /** Removes the rows from the files, because their cause is known. */
  readonly takeBack: () => void;
}

/**
 * The writes to the external stores of a lane that fell into the time of requests. Restores undo these writes. If there is reason to believe that
 * another client made some of these writes, the ledger saves their rows in a file (one for each store), so that they are not lost.
 */
export class WriteLedger {
  /** `false` while calls are executed at the same time or with failing writes, so that writes say nothing about a single action. */
  isCounting = true;
  readonly #readings: Reading[] = [];
  /** For each action: the tables that it wrote, each with the number of executions that wrote it. */
  readonly #counts: Map<string, Map<string, number>> = new Map();
  readonly #saved: Map<string, Saved> = new Map();
  #execution: Execution = executionOf(undefined);

  /** Notes that an action begins. */
  begin(action: string): void {
    this.#execution = executionOf(this.isCounting ? action : undefined);
  }

  /** Notes rows that a store read. The function is passed to stores as {@link StoreScope.wrote}. */
  readonly saw = (store: string, rows: readonly WrittenRow[]): void => {
    if (rows.length === 0) return;
    const execution = this.#execution;
    this.#readings.push({ store, rows: rows.slice(0, MOST_ROWS), execution, isFirst: execution.readings++ === 0 });
    if (this.#readings.length > MOST_READINGS) this.#readings.splice(0, MOST_READINGS / 2);
    const { action, tables } = execution;
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

  /** Forgets that the present action wrote these tables, because it did not write them when it was executed again. */
  forget(action: string, tables: ReadonlySet<string>): void {
    for (const table of tables) if (this.#counts.get(action)?.get(table) === 1) this.#counts.get(action)!.delete(table);
  }

  /**
   * Saves the rows of tables that only one execution of an action has written. `tables`: the tables to save. Default: all tables.
   */
  saveSeldom(tables?: ReadonlySet<string>): Saving {
    return this.#save(({ store, rows, execution: { action } }) => {
      const counts = this.#counts.get(action ?? "");
      return rows.filter(({ table }) => {
        const name = placeOf(store, table);
        return counts?.get(name) === 1 && tables?.has(name) !== false;
      });
    });
  }

  /** Saves the rows that were written late: the rows of the last reading, and of all but the first reading of the present execution. */
  saveLate(): Saving {
    const last = this.#readings.at(-1);
    return this.#save((reading) => (reading === last || (reading.execution === this.#execution && !reading.isFirst) ? reading.rows : []));
  }

  /**
   * Saves the rows that may explain why two executions of the same steps differ: the rows of {@link saveSeldom}, or else all rows that were written
   * only once with these values. Returns the paths of the files.
   */
  saveDiffering(): readonly string[] {
    const { files } = this.saveSeldom();
    if (files.length > 0) return files;
    const times = new Map<string, number>();
    for (const { store, rows } of this.#readings)
      for (const row of rows) times.set(idOf(store, row), (times.get(idOf(store, row)) ?? 0) + 1);
    return this.#save(({ store, rows }) => rows.filter((row) => times.get(idOf(store, row)) === 1), false).files;
  }

  /** Returns the error for the rows that were saved. `undefined` if no row was saved. */
  get problem(): SeqqaError | undefined {
    for (const [store, { rows, file, unexplained }] of this.#saved) {
      const named = [...rows].flatMap(([id, row]) => (unexplained.has(id) ? [row] : []));
      if (named.length === 0) continue;
      return new SeqqaError(
        "ROWS_UNDONE",
        `Rows of ${store} were written during this run, and no action explains the writes: ${namedRows(named)}. seqqa undid the writes, and wrote the values of the rows to ${file}.`,
        {
          hint: "Another client, a timer or job of the target, or unfinished work of an action may have written the rows. If another client wrote them, repeat its writes with the values in the file. Stop other clients and jobs that use the store during a run, or use a copy (`db_url`).",
          exitStatus: 3,
        },
      );
    }
    return undefined;
  }

  #save(choose: (reading: Reading) => readonly WrittenRow[], isUnexplained = true): Saving {
    const added: (readonly [store: string, id: string])[] = [];
    for (const reading of this.#readings) {
      const { store } = reading;
      for (const row of choose(reading)) {
        const saved = this.#saved.get(store) ?? { rows: new Map<string, WrittenRow>(), unexplained: new Set<string>(), file: "" };
        this.#saved.set(store, saved);
        const id = idOf(store, row);
        if (isUnexplained) saved.unexplained.add(id);
        if (saved.rows.has(id)) continue;
        saved.rows.set(id, row);
        added.push([store, id]);
      }
    }
    const stores = new Set(added.map(([store]) => store));
    for (const store of stores) this.#write(store);
    return {
      files: [...stores].map((store) => this.#saved.get(store)!.file),
      takeBack: () => {
        for (const [store, id] of added) {
          this.#saved.get(store)?.rows.delete(id);
          this.#saved.get(store)?.unexplained.delete(id);
        }
        for (const store of stores) this.#write(store);
      },
    };
  }

  /** Writes the file of a store again. */
  #write(store: string): void {
    const saved = this.#saved.get(store);
    if (saved === undefined) return;
    const before = saved.file;
    const keep = [...saved.rows.values()].map(({ table, key, was, now }) => ({ table, key, root: was, recorded: now, now: was }));
    if (keep.length === 0) this.#saved.delete(store);
    else saved.file = writeKept({ store, sinceMs: 0, recordedMs: Date.now(), undo: [], keep });
    if (before !== "") rmSync(before, { force: true });
  }
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
