import { createHash } from "node:crypto";
import { rowsOf } from "../schema/catalog.ts";
import type { Queryable } from "../connect/mode.ts";

/** Returns the key of the advisory lock that says that a run is alive. */
export function lockOf(runId: string): string {
  return createHash("sha256").update(`seqqa run ${runId}`).digest().readBigInt64BE().toString();
}

/** Shows that a run is alive, as long as this session lives. Several stores of one run show it side by side. */
export async function claim(client: Queryable, runId: string): Promise<void> {
  await client.query({ text: `select pg_advisory_lock_shared(${lockOf(runId)})` });
}

/**
 * Does work on what a run left, if that run is dead; meanwhile nobody else does, and the run cannot come back. Advisory locks are taken per database,
 * and a living run may be connected to another one than we: hence the look at all locks of the server.
 *
 * @returns `undefined` if the run is alive
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
