import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import type { InPlaceRun } from "../../../stores/external/external-store.ts";
import { Connection } from "../connect/driver.ts";
import type { RedisPlace } from "../connect/redis-url.ts";
import { Keyspace } from "../keys/keyspace.ts";
import { BEATS_EVERY_MS, Registry, type Claim } from "../provider/registry.ts";
import { mayNot } from "./notifications.ts";
import { compareSaved, ignoredKeys, withChanged, type KnownKeys } from "./saved-state.ts";

/** The longest time between the last heartbeat of a run and its end, in milliseconds, if the run's thread was not busy for longer. */
const AFTER_BEAT_MS = 2 * BEATS_EVERY_MS;

interface TakenOver {
  readonly removed: string;
  readonly leftover?: Leftover;
}

export interface Sweeping extends Cleaning {
  /** `true` if the user has asked for the removal. `false`: only databases that are certainly unused are emptied. Default: `false`. */
  readonly asked?: boolean;
}

/**
 * Takes over the claim of a dead run. In an external database, keys are restored if they still have the entries that the run recorded. A lane's
 * database is emptied. Afterwards, this run owns the claim, except in a dry run. Returns `undefined` if the owner is alive, another process took the
 * claim over first, or an application may use the lane's database by now.
 */
export async function takeOver(registry: Registry, claim: Claim, run: string, how: Sweeping = {}): Promise<TakenOver | undefined> {
  if (!(await registry.isDead(claim))) return undefined;
  const connection = await Connection.open({ ...registry.connection.place, db: claim.db });
  try {
    const takes = async (): Promise<boolean> => how.dryRun === true || (await registry.claim(claim.db, claim.kind, run, claim));
    if (claim.kind === "index") return await emptyUnused(new Keyspace(connection), claim, takes, how);
    if (!(await takes())) return undefined;
    const keyspace = new Keyspace(connection, false, await ignoredKeys(registry, claim.db));
    const removed = `the record that run ${claim.run} uses database ${claim.db}`;
    // A run saves the whole external database before its first change. If the saved data is incomplete, the run has changed nothing.
    return claim.saved ? { removed, leftover: await putBack(registry, keyspace, how) } : { removed };
  } finally {
    connection.close();
  }
}

/** Finds out if a run uses a database in place. Changes nothing. A user who may not read the registry could not start such a run. */
export async function inPlaceRun(place: RedisPlace): Promise<InPlaceRun> {
  const registry = await Registry.find(place).catch((error: unknown) => {
    if (mayNot(error)) return undefined;
    throw error;
  });
  if (registry === undefined) return undefined;
  try {
    const claim = (await registry.claims()).find(({ db, kind }) => db === place.db && kind === "borrowed");
    if (claim === undefined) return undefined;
    if (!(await registry.isDead(claim))) return "alive";
    return claim.saved ? "dead" : undefined;
  } finally {
    registry.abandon();
  }
}

/** Returns the changes that a dead run left in a database that it used in place. Changes nothing. */
export async function leftIn(place: RedisPlace): Promise<Leftover | undefined> {
  const registry = await Registry.find(place);
  if (registry === undefined) return undefined;
  try {
    return (await sweepServer(registry, registry.owner, place.db, { dryRun: true, asked: true })).leftover;
  } finally {
    registry.abandon();
  }
}

/** Empties the database of a dead lane, except for keys that somebody has used since the run ended. */
async function emptyUnused(
  keyspace: Keyspace,
  claim: Claim,
  takes: () => Promise<boolean>,
  { asked, dryRun }: Sweeping,
): Promise<TakenOver | undefined> {
  const sinceMs = claim.beatMs + AFTER_BEAT_MS;
  const { used, unknown } = await keyspace.deleteUnused(sinceMs, "none");
  if ((asked !== true && used + unknown > 0) || !(await takes())) return undefined;
  // If an application uses the database, keys of unknown use may be its own.
  const kept = used === 0 ? 0 : used + unknown;
  if (dryRun !== true) await keyspace.deleteUnused(sinceMs, used === 0 ? "unknown" : "unused");
  const except = kept === 0 ? "" : `, except ${kept === 1 ? "1 key" : `${kept} keys`} that may have been used since the run ended`;
  return { removed: `database ${claim.db}, a copy for run ${claim.run}${except}` };
}

/**
 * Restores the keys of an external database that still have the entries that the run recorded. The saved state stays until the claim is released. If
 * this process is killed before, another process can therefore repeat the restore with the same result. `known`: as for {@link compareSaved}.
 *
 * @throws SeqqaError `STORE_NOT_PUT_BACK`
 */
export async function putBack(
  registry: Registry,
  keyspace: Keyspace,
  { dryRun = false, onKept }: Cleaning = {},
  known?: KnownKeys,
): Promise<Leftover> {
  const compared = await compareSaved(registry, keyspace, known);
  if (dryRun) return compared.leftover;
  const changed = await keyspace.applyToUnchanged(
    compared.fixes,
    compared.now,
    async (fixes, expected) => (await keyspace.apply(fixes, { expected })).skipped,
  );
  const leftover = withChanged(compared, changed);
  if (leftover.keep.length > 0) onKept?.(leftover);
  return leftover;
}

/**
 * Empties the databases of dead runs on a server and removes the runs' claims. External databases are restored only if their number is `db`. Two
 * processes may call this at the same time.
 */
export async function sweepServer(registry: Registry, run: string, db?: number, how: Sweeping = {}): Promise<Cleaned> {
  const removed: string[] = [];
  let leftover: Leftover | undefined;
  let inUse: string | undefined;
  for (const claim of await registry.claims()) {
    if (claim.owner === registry.owner || (claim.kind === "borrowed" && claim.db !== db)) continue;
    const done = await takeOver(registry, claim, run, how);
    if (done === undefined) {
      if (claim.kind === "borrowed") inUse = `Another run of seqqa is using the Redis database ${claim.db}.`;
      continue;
    }
    removed.push(done.removed);
    leftover ??= done.leftover;
    if (how.dryRun !== true) await registry.release(claim.db);
  }
  return { removed, leftover, ...(inUse === undefined ? {} : { inUse }) };
}

/**
 * Removes all keys. FLUSHDB would make all other lanes on the server read their databases again: seqqa detects FLUSHDB only by a counter for the
 * whole server.
 */
export async function empty(keyspace: Keyspace): Promise<void> {
  await keyspace.apply([...(await keyspace.keys())].map((key) => [key, null]));
}
