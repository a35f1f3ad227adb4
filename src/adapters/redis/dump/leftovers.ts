import type { Leftover } from "../../../model/stores/leftover.ts";
import type { Cleaned, Cleaning } from "../../../model/stores/store-provider.ts";
import { Connection } from "../connect/driver.ts";
import { Keyspace } from "../keys/keyspace.ts";
import type { Claim, Registry } from "../provider/registry.ts";
import { compareSaved, ignoredKeys } from "./saved-state.ts";

/** The result of taking over a claim of a dead run, or of a dry run of that. */
interface TakenOver {
  readonly removed: string;
  readonly leftover?: Leftover;
}

/**
 * Takes over what a dead run had: a lane's database is emptied, and keys of the user's own that are as the run recorded them are restored. The claim
 * is then this registry's, unless this is a dry run. Returns `undefined` if the owner lives, or somebody else was faster.
 */
export async function takeOver(registry: Registry, claim: Claim, run: string, how: Cleaning = {}): Promise<TakenOver | undefined> {
  if (!(await registry.isDead(claim))) return undefined;
  if (how.dryRun !== true && !(await registry.claim(claim.db, claim.kind, run, claim))) return undefined;
  const connection = await Connection.open({ ...registry.connection.place, db: claim.db });
  try {
    const keyspace = new Keyspace(connection, false, await ignoredKeys(registry, claim.db));
    if (claim.kind === "index") {
      if (how.dryRun !== true) await empty(keyspace);
      return { removed: `database ${claim.db} of run ${claim.run}` };
    }
    const removed = `claim of run ${claim.run} on database ${claim.db}`;
    // If the data was not saved as a whole, that run had not begun to change anything.
    return claim.saved ? { removed, leftover: await putBack(registry, keyspace, how) } : { removed };
  } finally {
    connection.close();
  }
}

/** Restores keys of the user's own database that are as the run recorded them. */
export async function putBack(registry: Registry, keyspace: Keyspace, { dryRun = false, onKept }: Cleaning = {}): Promise<Leftover> {
  const { leftover, fixes } = await compareSaved(registry, keyspace);
  if (dryRun) return leftover;
  if (leftover.keep.length > 0) onKept?.(leftover);
  if (fixes.length > 0) await keyspace.apply(fixes, "", "");
  return leftover;
}

/** Removes what dead runs left on a server; for databases of the user's own, only in `db`. Two processes can do it at once. */
export async function sweepServer(registry: Registry, run: string, db?: number, how: Cleaning = {}): Promise<Cleaned> {
  const removed: string[] = [];
  let leftover: Leftover | undefined;
  for (const claim of await registry.claims()) {
    if (claim.owner === registry.owner || (claim.kind === "borrowed" && claim.db !== db)) continue;
    const done = await takeOver(registry, claim, run, how);
    if (done === undefined) continue;
    removed.push(done.removed);
    leftover ??= done.leftover;
    if (how.dryRun !== true) await registry.release(claim.db);
  }
  return { removed, leftover };
}

/** Removes all keys. FLUSHDB is not used: other lanes on the server would have to check whether it was their database. */
export async function empty(keyspace: Keyspace): Promise<void> {
  const keys = [...(await keyspace.keys())];
  await keyspace.apply(
    keys.map((key) => [key, null]),
    "",
    "",
  );
}
