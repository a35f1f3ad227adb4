import type { Config } from "../config/index.ts";
import type { Leftover } from "../model/stores/leftover.ts";
import type { Cleaning } from "../model/stores/store-provider.ts";
import { deadRuns, sweepCompose, sweepDeadRuns } from "../targets/index.ts";
import type { StoreKindName } from "../model/stores/store-kinds.ts";
import { loadStores } from "../adapters/load-store.ts";

/** The removed things (with a dry run: those that would be removed), and the rows that dead runs left in external stores. */
export interface CleanedUp {
  readonly removed: readonly string[];
  readonly leftovers: readonly Leftover[];
}

/** Removes what dead runs left: on this machine, on the servers of the configured stores, and in external stores. */
export async function clean(config: Config, how: Cleaning = {}): Promise<CleanedUp> {
  const removed = how.dryRun === true ? [...deadRuns()] : await sweepMachine();
  const leftovers: Leftover[] = [];
  const urls = new Map<string, { readonly kind: StoreKindName; readonly url: string }>();
  for (const system of [config.systems, ...config.lanes.map(({ systems }) => systems)].flatMap((one) => Object.values(one))) {
    urls.set(system.url, system);
  }
  for (const { kind, url } of urls.values()) {
    const cleaned = await (await loadStores(kind)).clean(url, how);
    removed.push(...cleaned.removed);
    const { leftover } = cleaned;
    if (leftover !== undefined && leftover.undo.length + leftover.keep.length > 0) leftovers.push(leftover);
  }
  return { removed, leftovers };
}

async function sweepMachine(): Promise<string[]> {
  const removed: string[] = [];
  // Containers come first, since the next sweep removes the record of them.
  const projects = await sweepCompose(undefined);
  if (projects > 0) removed.push(`the containers of ${projects} dead ${projects === 1 ? "run" : "runs"}`);
  const { runs, processes } = sweepDeadRuns();
  if (runs > 0) removed.push(`${runs} ${runs === 1 ? "directory" : "directories"} of dead runs`);
  if (processes > 0) removed.push(`${processes} ${processes === 1 ? "process" : "processes"} of dead runs`);
  return removed;
}
