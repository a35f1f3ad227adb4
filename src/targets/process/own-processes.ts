import { identify } from "./process-identity.ts";
import type { RunDirectory } from "../run-directory.ts";
import type { TargetProcess } from "./target-process.ts";

/**
 * The processes that a run has started, in the order of their start. A file in the run's directory also lists the processes. If the run is killed,
 * another run uses this file to end the processes.
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
