import type { Config } from "../config/index.ts";
import { hasChanges, type Leftover } from "../model/stores/leftover.ts";
import type { Cleaning } from "../model/stores/store-provider.ts";
import { deadRuns, sweepCompose, sweepDeadRuns } from "../targets/index.ts";
import { withRunDirectory } from "./prepare/run-directory.ts";
import { storesOf, systemsOf } from "./prepare/store-modules.ts";

/** The result of a clean-up. In a dry run, the fields list what a clean-up would remove. */
export interface CleanedUp {
  readonly removed: readonly string[];
  /** The rows that dead runs left in external stores. */
  readonly leftovers: readonly Leftover[];
  /** One sentence for each store that was not cleaned, because a run that may still be alive uses it. */
  readonly inUse: readonly string[];
  /** One line for each leftover that stays, because the user in the store's URL has no permission to remove it. */
  readonly notAllowed: readonly string[];
  /** The errors of the parts of the clean-up that failed. All other parts succeeded. */
  readonly failures: readonly unknown[];
}

/** Removes the files, processes, containers and copies of stores that dead runs left on this machine and on the servers of the configured stores. */
export async function clean(config: Config, how: Cleaning = {}): Promise<CleanedUp> {
  const removed = how.dryRun === true ? [...deadRuns()] : await sweepMachine();
  const leftovers: Leftover[] = [];
  const inUse: string[] = [];
  const notAllowed: string[] = [];
  const failures: unknown[] = [];
  const byUrl = new Map(systemsOf(config).map((one) => [one[1].url, one] as const));
  await withRunDirectory(async (directory) => {
    for (const [name, system] of byUrl.values()) {
      try {
        const stores = await storesOf(name, system, { folder: config.folder, directory });
        const cleaned = await stores.clean?.(system.url, how);
        removed.push(...(cleaned?.removed ?? []));
        if (cleaned?.inUse !== undefined) inUse.push(cleaned.inUse);
        notAllowed.push(...(cleaned?.notAllowed ?? []));
        failures.push(...(cleaned?.failures ?? []));
        if (hasChanges(cleaned?.leftover)) leftovers.push(cleaned.leftover);
      } catch (error) {
        failures.push(error);
      }
    }
  });
  return { removed, leftovers, inUse, notAllowed, failures };
}

async function sweepMachine(): Promise<string[]> {
  const removed: string[] = [];
  // Remove containers before directories, because the directories contain the record of the containers.
  const projects = await sweepCompose(undefined);
  if (projects > 0) removed.push(`the containers of ${projects} dead ${projects === 1 ? "run" : "runs"}`);
  const { runs, processes } = sweepDeadRuns();
  if (runs > 0) removed.push(`${runs} ${runs === 1 ? "directory" : "directories"} of dead runs`);
  if (processes > 0) removed.push(`${processes} ${processes === 1 ? "process" : "processes"} of dead runs`);
  return removed;
}
