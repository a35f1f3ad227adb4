import { identify } from "./process-identity.ts";
import type { RunDirectory } from "../run-directory.ts";
import type { TargetProcess } from "./target-process.ts";

/**
 * The running processes of a run, in the order of their start. The run's directory lists them too, so that another run can end them if this one is
 * killed.
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

  remove(process: TargetProcess): void {
    this.#processes.delete(process);
    this.#directory.unregister(process.pid);
  }

  async end(process: TargetProcess): Promise<void> {
    await process.stop();
    this.remove(process);
  }
}
