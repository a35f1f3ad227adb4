import { rmSync } from "node:fs";
import { join } from "node:path";
import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { cloneSqliteFile, requireDatabase } from "../copy/clone-file.ts";
import { sqlitePath } from "../connect/sqlite-path.ts";

/** Creates the file of each lane in the directory of the run. The directory is deleted with the run, so dead runs leave no files elsewhere. */
export class SqliteProvider implements StoreProvider {
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
