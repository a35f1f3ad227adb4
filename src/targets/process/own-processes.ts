import { identify } from "./process-identity.ts";
import type { RunDirectory } from "../run-directory.ts";
import type { TargetProcess } from "./target-process.ts";

/**
 * The processes that a run has started and not ended, in the order of their start. Its directory lists them too, so that they are found when the run
 * was killed.
 */
export class OwnProcesses {
  readonly #directory: RunDirectory;
  readonly #processes = new Set<TargetProcess>();

  constructor(directory: RunDirectory) {
    this.#directory = directory;
  }

  [Symbol.iterator](): IterableIterator<TargetProcess> {
    return this.#processes.values();
  }

  add(process: TargetProcess): void {
    this.#processes.add(process);
    const identity = identify(process.pid);
    if (identity !== undefined) this.#directory.register(identity);
  }

  /** Removes a process that has ended. */
  remove(process: TargetProcess): void {
    this.#processes.delete(process);
    this.#directory.unregister(process.pid);
  }

  async end(process: TargetProcess): Promise<void> {
    await process.stop();
    this.remove(process);
  }
}
