import { randomBytes } from "node:crypto";
import { loadStores } from "../../adapters/load-store.ts";
import type { SystemSpec } from "../../targets/lanes/lane-spec.ts";
import { defaultBase, RunDirectory } from "../../targets/run-directory.ts";
import { onEveryExit } from "../../targets/process/exit-hooks.ts";
import { Ports } from "../../targets/lanes/ports.ts";
import { StoreProviders } from "../../targets/stores/store-providers.ts";
import { sweepDeadRuns } from "../../targets/sweep.ts";
import type { CheckedOptions } from "../options/check-options.ts";

/** The copies of one world. */
export interface WorldCopies {
  readonly systems: readonly SystemSpec[];
  /** Removes the copies. Can be called repeatedly. */
  end(): Promise<void>;
}

/**
 * Copies the stores of a world as a run copies them for a lane. The copies have the same names as in a run, and the same lock or heartbeat shows that
 * they are in use. If a test suite is killed, the next run or world, or `seqqa clean`, therefore recognizes and removes its copies.
 *
 * @throws SeqqaError `STORE_*`
 */
export async function copyStores({ stores, worker }: CheckedOptions): Promise<WorldCopies> {
  sweepDeadRuns();
  const runId = randomBytes(6).toString("hex");
  const directory = RunDirectory.create(defaultBase(), runId);
  const ports = new Ports(directory.root);
  const providers = new StoreProviders({
    stores,
    folder: process.cwd(),
    runId,
    directory: directory.path,
    claimPort: () => ports.claim(),
    faulty: false,
    single: true,
    empty: false,
    clone: async (source, target) => (await import("../../adapters/sqlite/index.ts")).cloneSqliteFile(source, target),
    kind: loadStores,
  });
  const removeFiles = (): void => {
    ports.releaseAll();
    directory.remove();
  };
  const forget = onEveryExit(removeFiles);
  const end = async (): Promise<void> => {
    try {
      await providers.close();
    } finally {
      forget();
      removeFiles();
    }
  };
  try {
    await providers.prepare();
    const { systems } = await providers.provide(worker, 0, directory.lane(worker, 0));
    return { systems, end };
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}
