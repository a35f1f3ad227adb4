import type { Removed } from "../../model/store-provider.ts";
import { Connection } from "./driver.ts";
import { Keyspace } from "./keyspace.ts";
import type { Claim, Registry } from "./registry.ts";
import { putSavedBack } from "./saved-state.ts";

/**
 * Takes over what a dead run had: a lane's database is emptied, the user's own is put back to what it held when that run began. The claim is
 * then this registry's. @returns what was done; `undefined` when the owner lives, or somebody else was faster
 */
export async function takeOver(registry: Registry, claim: Claim, run: string): Promise<string | undefined> {
  if (!(await registry.isDead(claim))) return undefined;
  if (!(await registry.claim(claim.db, claim.kind, run, claim))) return undefined;
  const connection = await Connection.open({ ...registry.connection.place, db: claim.db });
  try {
    const keyspace = new Keyspace(connection);
    if (claim.kind === "index") {
      await empty(keyspace);
      return `database ${claim.db} of run ${claim.run}`;
    }
    // Not saved as a whole: that run had not begun to change anything.
    if (!claim.saved) return `claim of run ${claim.run} on database ${claim.db}`;
    await putSavedBack(registry, keyspace);
    return `changes of run ${claim.run} in database ${claim.db}`;
  } finally {
    connection.close();
  }
}

/** Removes what dead runs left on a server. Two that do it at once do not meet. */
export async function sweepServer(registry: Registry, run: string): Promise<Removed> {
  const removed: string[] = [];
  for (const claim of await registry.claims()) {
    if (claim.owner === registry.owner) continue;
    const done = await takeOver(registry, claim, run);
    if (done === undefined) continue;
    removed.push(done);
    await registry.release(claim.db);
  }
  return removed;
}

/** Removes all keys. Not FLUSHDB: other lanes on the server would have to look whether it was theirs. */
export async function empty(keyspace: Keyspace): Promise<void> {
  const keys = [...(await keyspace.keys())];
  await keyspace.apply(
    keys.map((key) => [key, null]),
    "",
    "",
  );
}
