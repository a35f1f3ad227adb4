import { join } from "node:path";
import { rmSync } from "node:fs";
import { SeqqaError } from "../../../model/errors.ts";
import type { Cleaned, Cleaning, StoreKind, StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { check } from "../connect/check.ts";
import { connect } from "../connect/connect.ts";
import { planTables } from "../journal/table-plan.ts";
import { sqlitePath } from "../connect/sqlite-path.ts";
import { recover } from "../journal/take-over.ts";
import { cloneSqliteFile, requireDatabase } from "../copy/clone-file.ts";

/** Provides SQLite stores for lanes: one file per lane. */
export const stores: StoreKind = { createProvider: (options) => new SqliteProvider(options), clean, check, disturb };

/** Restores an external file if a dead run left changes in it. */
async function clean(url: string, how: Cleaning = {}): Promise<Cleaned> {
  const file = sqlitePath(url);
  // Opening the file would create it.
  requireDatabase(file);
  try {
    const leftover = await recover(file, how);
    return { removed: leftover === undefined ? [] : [`tables and triggers of a dead run in ${file}`], leftover };
  } catch (error) {
    if (error instanceof SeqqaError && error.code === "STORE_IN_USE") return { removed: [], inUse: error.message };
    throw error;
  }
}

async function disturb(url: string): Promise<string | undefined> {
  const db = connect(sqlitePath(url));
  try {
    const plans = planTables(db, undefined);
    const tables = typeof plans === "string" ? [] : plans;
    for (const { sqlName, name, keyAt, stored } of tables) {
      const key = keyAt.map((at) => stored[at]).join(", ");
      try {
        const { changes } = db.prepare(`delete from ${sqlName} where (${key}) = (select ${key} from ${sqlName} limit 1)`).run();
        if (changes > 0) return `removed a row of ${name}`;
      } catch {
        // The row cannot be deleted, e.g. because of a foreign key, a trigger or a missing function. Try the next table.
      }
    }
    return undefined;
  } finally {
    db.close();
  }
}

/** Creates the file of each lane in the directory of the run. The directory is deleted with the run, so dead runs leave no files elsewhere. */
class SqliteProvider implements StoreProvider {
  readonly #template: string;
  readonly #name: string;
  readonly #directory: string;
  readonly #files = new Map<number, string>();

  constructor({ name, url, runId, directory }: StoreProviderOptions) {
    this.#template = sqlitePath(url);
    // Encode the store's name for use in a file name, because it may contain any character.
    this.#name = `${runId}-${encodeURIComponent(name)}`;
    this.#directory = directory;
  }

  prepare(): Promise<void> {
    return done(() => requireDatabase(this.#template));
  }

  provide(lane: number, generation: number): Promise<string> {
    return done(() => {
      this.#remove(lane);
      // The file name contains the generation, because a dying process may still write to the file of an earlier generation.
      const file = join(this.#directory, `${this.#name}-lane${lane}-${generation}.sqlite`);
      this.#files.set(lane, file);
      cloneSqliteFile(this.#template, file);
      return `sqlite:${file}`;
    });
  }

  release(lane: number): Promise<void> {
    return done(() => this.#remove(lane));
  }

  close(): Promise<void> {
    return done(() => {
      for (const lane of this.#files.keys()) this.#remove(lane);
    });
  }

  #remove(lane: number): void {
    const file = this.#files.get(lane);
    if (file === undefined) return;
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
    this.#files.delete(lane);
  }
}

/** Calls `work` at once and turns an error into a rejected promise. */
async function done<T>(work: () => T): Promise<T> {
  return work();
}
