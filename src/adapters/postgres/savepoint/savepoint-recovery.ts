import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import { OURS, type Sequence } from "../schema/catalog.ts";
import { connect } from "../connect/connect.ts";
import { LOCK } from "../connect/control.ts";
import { countersBack } from "../journal/counters-back.ts";
import { codeOf } from "../connect/failures.ts";
import { cannotSavepoint } from "./savepoint-failures.ts";
import { quoteText } from "../connect/sql-text.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The longest wait for the lock of the database, in milliseconds. A session that has just ended may still hold the lock for a moment. */
const IN_USE_MS = 3000;
const RECORD = `${OURS}.savepoint_counters`;
/**
 * A query that returns a row if the table of recorded sequences exists. The query reads the system catalogs, because a query that names a table fails
 * if the role is not allowed to use the table's schema.
 */
const HAS_RECORD = `select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = '${OURS}' and c.relname = 'savepoint_counters'`;

/**
 * Records the values of all sequences of an external store before anything is changed. After a killed run, the server rolls back rows but not
 * sequences. First takes the lock that keeps other runs off the database. The lock ends with the session.
 *
 * @throws SeqqaError `STORE_IN_USE`, `SAVEPOINT_HINDERED`
 */
export async function noteCounters(client: Client, store: StoreUrl, sequences: readonly Sequence[]): Promise<void> {
  await lock(client, store);
  const values = sequences.map(
    ({ sqlName }, i) => `${i === 0 ? "" : "union all "}select ${quoteText(sqlName)}, last_value, is_called from ${sqlName}`,
  );
  try {
    await client.query(`create schema ${OURS}; create table ${RECORD}(sequence text, last bigint, called boolean)`);
    if (values.length > 0) await client.query(`insert into ${RECORD} ${values.join(" ")}`);
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    throw cannotSavepoint(store, "the role in the store's URL is not allowed to create a schema, which seqqa needs to restore sequences");
  }
}

/**
 * Restores the sequences that a dead run in the mode `savepoint` changed. Needs no more privileges than such a run. `onlyLook`: `true` to change
 * nothing.
 *
 * @returns `true` if there was something to restore
 * @throws SeqqaError `STORE_IN_USE`
 */
export async function recoverCounters(client: Client, store: StoreUrl, onlyLook = false): Promise<boolean> {
  const { rowCount } = await client.query(HAS_RECORD);
  if (rowCount !== 1) return false;
  await lock(client, store);
  try {
    if (!onlyLook) await client.query(`${putNotedCounters}; ${forgetCounters}`);
  } finally {
    await client.query(`select pg_advisory_unlock(${LOCK})`).catch(() => undefined);
  }
  return true;
}

export async function recoverApart(store: StoreUrl, onlyLook = false): Promise<boolean> {
  const client = await connect(store);
  try {
    return await recoverCounters(client, store, onlyLook);
  } finally {
    await client.end();
  }
}

async function lock(client: Client, store: StoreUrl): Promise<void> {
  for (const until = performance.now() + IN_USE_MS; ; await pause(50)) {
    const { rows } = await client.query<{ locked: string }>(`select pg_try_advisory_lock(${LOCK})::text as locked`);
    if (rows[0]?.locked === "true") return;
    if (performance.now() > until) throw inUseError(store);
  }
}

/** A statement that restores sequences to their recorded values, if values were recorded. Sequences that no longer exist are skipped. */
export const putNotedCounters: string = countersBack(
  `select to_regclass(sequence) as sequence, last, called, null::bigint as recorded_last, null::boolean as recorded_called from ${RECORD}`,
  RECORD,
);

export const forgetCounters: string = `drop schema if exists ${OURS} cascade`;
