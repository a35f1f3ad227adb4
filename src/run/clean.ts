import type { Config } from "../config/index.ts";
import { sweepCompose, sweepDeadRuns } from "../targets/index.ts";
import { storeKind } from "./store-kind.ts";

/** Removes what dead runs left: on this machine, on the servers of the configured stores, and in stores that were used where they are. */
export async function clean(config: Config): Promise<readonly string[]> {
  const removed: string[] = [];
  // First: what is swept next is the record of it.
  const projects = await sweepCompose(undefined);
  if (projects > 0) removed.push(`the containers of ${projects} dead ${projects === 1 ? "run" : "runs"}`);
  const { runs, processes } = sweepDeadRuns();
  if (runs > 0) removed.push(`${runs} ${runs === 1 ? "directory" : "directories"} of dead runs`);
  if (processes > 0) removed.push(`${processes} ${processes === 1 ? "process" : "processes"} of dead runs`);
  const urls = new Map<string, { readonly kind: Parameters<typeof storeKind>[0]; readonly url: string }>();
  for (const system of [config.systems, ...config.lanes.map(({ systems }) => systems)].flatMap((one) => Object.values(one))) {
    urls.set(system.url, system);
  }
  for (const { kind, url } of urls.values()) removed.push(...(await (await storeKind(kind)).clean(url)));
  return removed;
}
