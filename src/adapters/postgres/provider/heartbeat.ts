import { createHash } from "node:crypto";
import { rowsOf } from "../schema/catalog.ts";
import type { Queryable } from "../connect/mode.ts";

/** Returns the key of the advisory lock that a live run holds. */
export function lockOf(runId: string): string {
  return createHash("sha256").update(`seqqa run ${runId}`).digest().readBigInt64BE().toString();
}

/**
 * Takes the lock that shows other runs that this run is alive. The lock ends with this session. The lock is shared, so that the sessions of several
 * stores of a run can hold it.
 */
export async function claim(client: Queryable, runId: string): Promise<void> {
  await client.query({ text: `select pg_advisory_lock_shared(${lockOf(runId)})` });
}

/**
 * Calls `work` if the run is dead. Holds the run's lock during `work`, so that the run cannot reconnect and no other run does the same work. Advisory
 * locks belong to a database, and a live run may be connected to another database of the server. This function therefore searches the locks of all
 * databases.
 *
 * @returns the result of `work`, or `undefined` if the run is alive
 */
export async function ifDead<T>(client: Queryable, runId: string, work: () => Promise<T>): Promise<T | undefined> {
  const lock = lockOf(runId);
  const [taken] = await rowsOf<[string]>(client, `select pg_try_advisory_lock(${lock})::text`);
  if (taken?.[0] !== "true") return undefined;
  try {
    const held = await rowsOf(
      client,
      `select 1 from pg_locks where locktype = 'advisory' and objsubid = 1 and pid <> pg_backend_pid() and granted
          and (classid::bigint << 32 | objid::bigint) = ${lock}`,
    );
    return held.length > 0 ? undefined : await work();
  } finally {
    await client.query({ text: `select pg_advisory_unlock(${lock})` }).catch(() => undefined);
  }
}
