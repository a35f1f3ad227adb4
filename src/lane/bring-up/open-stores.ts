import { SeqqaError } from "../../model/errors.ts";
import { ignoreEntry } from "../../model/stores/ignore-line.ts";
import type { StoreAdapter, StoreScope } from "../../model/stores/store-adapter.ts";
import { consentHint, mayBeWritten, storeName } from "../../model/stores/store-name.ts";
import type { World } from "../../model/declare/world.ts";
import { ForeignWrite } from "../../stores/external/external-store.ts";
import { WriteLedger } from "../../stores/external/write-ledger.ts";
import type { Asks } from "./asks.ts";
import { requireClockFollows } from "./clock-follows.ts";
import type { LaneOptions, LaneParts } from "./lane-base.ts";

/** Opens all stores. Returns the columns that other clients write to. Returns `undefined` if some external store was not watched. */
export async function openSystems(
  world: World<never, never>,
  parts: LaneParts,
  { gated = false, faulty = false, allowedStores = [], knowledge, idleWatchMs = 0 }: LaneOptions,
  asks: Asks,
): Promise<readonly string[] | undefined> {
  const ignore = [...world.ignore, ...knowledge.background.map(ignoreEntry)];
  const opening: { readonly system: StoreAdapter; readonly scope: StoreScope }[] = [];
  for (const [name, system] of Object.entries(world.systems)) {
    if (system === undefined) continue;
    const borrowed = parts.borrowed || !isLanes(system, parts);
    if (borrowed) refuseUnnamed(name, system, allowedStores);
    asks.isNeeded ||= borrowed;
    // Only external stores get the function that counts calls of user code. Lanes without external stores do not count calls, so their stores would
    // report the lane's own writes as writes by other clients.
    const asked = borrowed ? asks.count : undefined;
    if (borrowed) asks.writes ??= new WriteLedger();
    const wrote = borrowed ? asks.writes?.saw : undefined;
    opening.push({
      system,
      scope: {
        name,
        laneIndex: parts.lane.index,
        inProcess: parts.inProcess,
        borrowed,
        gated,
        faulty,
        ignore,
        asked,
        wrote,
        unrestored: (knowledge.unrestored ?? []).filter((one) => one.startsWith(`${name}.`)).map((one) => one.slice(name.length + 1)),
      },
    });
  }
  const isWatched = ({ system }: (typeof opening)[number]): boolean =>
    parts.isFirst === true && parts.borrowed && !parts.inProcess && system.traits.commits && system.schema !== undefined;
  const found = await Promise.all(opening.map(async (one) => (isWatched(one) ? writtenByOthers(one.system, one.scope, idleWatchMs) : [])));
  for (const [i, { system, scope }] of opening.entries())
    await system.open({ ...scope, ignore: [...ignore, ...found[i]!.map(ignoreEntry)] });
  return opening.length > 0 && world.probe === undefined && opening.every(isWatched) ? found.flat() : undefined;
}

/**
 * Watches a store for `ms` milliseconds in which seqqa sends no request. Returns the columns and tables that changed, which other clients must have
 * written.
 */
async function writtenByOthers(system: StoreAdapter, scope: StoreScope, ms: number): Promise<readonly string[]> {
  if (ms === 0) return [];
  await system.open({ ...scope, gated: false, faulty: false, watching: true, wrote: undefined });
  try {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await system.observe();
    return [];
  } catch (error) {
    if (error instanceof ForeignWrite) return error.fields;
    throw error;
  } finally {
    await system.close();
  }
}

/** Opens the lane's own stores again after `setup` changed their schema. Later restores go back to the content that the stores have now. */
export async function reopenSystems(world: World<never, never>, parts: LaneParts, options: LaneOptions, asks: Asks): Promise<void> {
  for (const system of Object.values(world.systems)) await system?.close();
  await openSystems(world, parts, options, asks);
  await requireClockFollows(world.systems, parts.lane);
}

/**
 * Returns `true` if only this lane uses a store. Returns `false` for an external store, which the user's code names or which an adapter cannot copy.
 */
export function isLanes(system: StoreAdapter, { lane, external }: Pick<LaneParts, "lane" | "external">): boolean {
  const { uses } = system;
  if (external?.has(system) === true) return false;
  if (uses === undefined || uses === lane.dbPath) return true;
  if (Object.values(lane.systems).some((one) => one.uses === uses)) return true;
  return [lane.baseUrl, lane.tmpDir].some((own) => own !== "" && uses.startsWith(own));
}

/**
 * Refuses an external store that only the code of the World names, unless the store's name shows that the store is for tests. @throws SeqqaError
 * `STORE_NOT_ALLOWED` (exit status 2)
 */
function refuseUnnamed(name: string, { uses }: StoreAdapter, allowed: readonly string[]): void {
  if (uses === undefined || /^https?:/.test(uses)) return;
  const store = storeName(uses);
  if (mayBeWritten(store, allowed)) return;
  throw new SeqqaError(
    "STORE_NOT_ALLOWED",
    `The exploration would change the store "${store}" (systems.${name} of the World) in place, and the name does not show that the store is for tests.`,
    { exitStatus: 2, hint: consentHint(store) },
  );
}
