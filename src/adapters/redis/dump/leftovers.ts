import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import type { InPlaceRun } from "../../../stores/external/external-store.ts";
import { Connection } from "../connect/driver.ts";
import type { RedisPlace } from "../connect/redis-url.ts";
import { Keyspace } from "../keys/keyspace.ts";
import { BEATS_EVERY_MS, Registry, type Claim } from "../provider/registry.ts";
import { mayNot } from "./notifications.ts";
import { lifeOf, SavedFile } from "./saved-file.ts";
import { compareFile, compareSaved, ignoredKeys, withChanged, type Compared, type KnownKeys } from "./saved-state.ts";

/** The longest time between the last heartbeat of a run and its end, in milliseconds, if the run's thread was not busy for longer. */
const AFTER_BEAT_MS = 2 * BEATS_EVERY_MS;

interface TakenOver {
  readonly removed: string;
  readonly leftover?: Leftover;
}

export interface Sweeping extends Cleaning {
  /**
   * `true` if the user has asked for the removal: keys that were used since the run ended are kept, and the other keys are deleted. `false`: a
   * database is emptied only if none of its keys can have been used since then. Default: `false`.
   */
  readonly asked?: boolean;
}

/**
 * Takes over the claim of a dead run. In an external database, keys are restored if they still have the entries that the run recorded. A lane's
 * database is emptied. Afterwards, this run owns the claim, except in a dry run. Returns `undefined` if the owner is alive, if another process has
 * already taken over the claim, or if an application may now be using the lane's database.
 */
export async function takeOver(registry: Registry, claim: Claim, run: string, how: Sweeping = {}): Promise<TakenOver | undefined> {
  if (!(await registry.isDead(claim))) return undefined;
  const connection = await Connection.open({ ...registry.connection.place, db: claim.db });
  try {
    const takes = async (): Promise<boolean> => how.dryRun === true || (await registry.claim(claim.db, claim.kind, run, claim));
    if (claim.kind === "index") return await emptyUnused(new Keyspace(connection), claim, takes, how);
    if (!(await takes())) return undefined;
    const removed = recordOf(claim.run, claim.db);
    const file = await SavedFile.of(connection, claim.db);
    // A run saves the whole external database before its first change. If the saved data is incomplete, the run has changed nothing, or was just
    // saving the data again after FLUSHALL.
    if (!claim.saved) {
      if (file.mayBeNeeded()) return { removed, ...(await putBackFile(connection, file, how)) };
      if (how.dryRun !== true) file.remove();
      return { removed };
    }
    const keyspace = new Keyspace(connection, false, await ignoredKeys(registry, claim.db));
    const leftover = await putBack(registry, keyspace, how);
    if (how.dryRun !== true) file.remove();
    return { removed, leftover };
  } finally {
    connection.close();
  }
}

/**
 * Returns the dead run that used an external database without a claim, because somebody has deleted the claim (FLUSHALL), or `alive` if the run may
 * still use the database. Returns `undefined` if there was no such run. `registry`: the registry of the server.
 */
export async function lostRun(place: RedisPlace, registry: Registry | undefined): Promise<"alive" | { readonly run: string } | undefined> {
  return withFile(place, async (file) => {
    const life = await lifeOf(file, place.db, registry);
    const run = file.head()?.run;
    if (life === "dead" && run !== undefined) return { run };
    return life === "alive" ? life : undefined;
  });
}

/** Restores an external database from the file that a run wrote; see {@link lostRun}. */
export function putBackLost(place: RedisPlace, how: Cleaning): Promise<Pick<TakenOver, "leftover">> {
  return withFile(place, (file, connection) => putBackFile(connection, file, how));
}

async function withFile<T>(place: RedisPlace, work: (file: SavedFile, connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.open(place);
  try {
    return await work(await SavedFile.of(connection, place.db), connection);
  } finally {
    connection.close();
  }
}

async function putBackFile(connection: Connection, file: SavedFile, how: Cleaning): Promise<Pick<TakenOver, "leftover">> {
  const head = file.head();
  if (head === undefined) return {};
  const keyspace = new Keyspace(connection, false, head.ignore);
  const leftover = await putBackCompared(keyspace, await compareFile(keyspace, head.sinceMs, await file.keys()), how);
  if (how.dryRun === true) return { leftover };
  file.remove();
  if (head.notify !== undefined) {
    // The record of the server's setting was deleted together with the claim.
    const registry = (await Registry.find(connection.place, "share"))!;
    await registry.remember(head.notify);
    await registry.leave();
  }
  return { leftover };
}

function recordOf(run: string, db: number): string {
  return `the record that run ${run} uses database ${db}`;
}

/**
 * Returns the state of the run that uses a database in place. Changes nothing on the server. Returns `undefined` if the user may not read the registry,
 * because such a user cannot start a run that uses the database in place.
 */
export async function inPlaceRun(place: RedisPlace): Promise<InPlaceRun> {
  const registry = await Registry.find(place).catch((error: unknown) => {
    if (mayNot(error)) return undefined;
    throw error;
  });
  try {
    const claim = (await registry?.claims())?.find(({ db }) => db === place.db);
    if (claim !== undefined && claim.kind !== "borrowed") return undefined;
    if (claim !== undefined && !(await registry!.isDead(claim))) return "alive";
    if (claim?.saved === true) return "dead";
    return await withFile(place, async (file) => {
      if (claim === undefined) return lifeOf(file, place.db, registry);
      return file.head() !== undefined && file.mayBeNeeded() ? "dead" : undefined;
    });
  } finally {
    registry?.abandon();
  }
}

/** Returns the changes that a dead run left in a database that it used in place. Changes nothing on the server. */
export async function leftIn(place: RedisPlace): Promise<Leftover | undefined> {
  const registry = await Registry.find(place);
  if (registry === undefined) return (await cleanLost(place, undefined, { dryRun: true })).leftover;
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
  // If keys were used after the run ended, an application uses the database. Then keep keys whose last use is unknown, too, because they may belong
  // to this application.
  const kept = used === 0 ? 0 : used + unknown;
  if (dryRun !== true) await keyspace.deleteUnused(sinceMs, used === 0 ? "unknown" : "unused");
  const except = kept === 0 ? "" : `, except ${kept === 1 ? "1 key" : `${kept} keys`} that may have been used since the run ended`;
  return { removed: `database ${claim.db}, a copy for run ${claim.run}${except}` };
}

/**
 * Restores the keys of an external database that still have the entries that the run recorded. The saved state remains until the claim is released.
 * If this process is killed before that, another process can therefore repeat the restore with the same result. `known`: see {@link compareSaved}.
 *
 * @throws SeqqaError `STORE_NOT_PUT_BACK`
 */
export async function putBack(registry: Registry, keyspace: Keyspace, how: Cleaning = {}, known?: KnownKeys): Promise<Leftover> {
  return putBackCompared(keyspace, await compareSaved(registry, keyspace, known), how);
}

async function putBackCompared(keyspace: Keyspace, compared: Compared, { dryRun = false, onKept }: Cleaning): Promise<Leftover> {
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
  const claims = await registry.claims();
  for (const claim of claims) {
    if (claim.owner === registry.owner || (claim.kind === "borrowed" && claim.db !== db)) continue;
    const done = await takeOver(registry, claim, run, how);
    if (done === undefined) {
      if (claim.kind === "borrowed") inUse = isUsing(claim.db);
      continue;
    }
    removed.push(done.removed);
    leftover ??= done.leftover;
    if (how.dryRun !== true) await registry.release(claim.db);
  }
  if (db !== undefined && !claims.some((claim) => claim.db === db)) {
    const lost = await cleanLost({ ...registry.connection.place, db }, registry, how);
    removed.push(...lost.removed);
    leftover ??= lost.leftover;
    inUse ??= lost.inUse;
  }
  return { removed, leftover, ...(inUse === undefined ? {} : { inUse }) };
}

/** Restores an external database whose claim was deleted; see {@link lostRun}. */
export async function cleanLost(place: RedisPlace, registry?: Registry, how: Cleaning = {}): Promise<Cleaned> {
  const lost = await lostRun(place, registry);
  if (lost === undefined) return { removed: [] };
  if (typeof lost === "string") return { removed: [], inUse: isUsing(place.db) };
  return { removed: [recordOf(lost.run, place.db)], leftover: (await putBackLost(place, how)).leftover };
}

function isUsing(db: number): string {
  return `Another run of seqqa is using the Redis database ${db}.`;
}

/**
 * Deletes all keys. FLUSHDB is not used, because all other lanes on the server would then read their databases again: seqqa detects FLUSHDB by a
 * counter that covers the whole server.
 */
export async function empty(keyspace: Keyspace): Promise<void> {
  await keyspace.apply([...(await keyspace.keys())].map((key) => [key, null]));
}
