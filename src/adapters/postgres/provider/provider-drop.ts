import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { rowsOf } from "../schema/catalog.ts";
import { connect } from "../connect/connect.ts";
import { codeOf } from "../connect/failures.ts";
import { provideError } from "./provider-failures.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import { withDatabase, type StoreUrl } from "../connect/store-url.ts";

const TRIES = 20;

export async function databaseNames(client: Client): Promise<string[]> {
  const rows = await rowsOf<[string]>(client, "select datname from pg_database order by datname");
  return rows.map(([name]) => name);
}

/** Drops a database, even while sessions use it. If the database does not exist, does nothing. */
export async function dropDatabase(client: Client, store: StoreUrl, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // WITH (FORCE), from version 13, also ends sessions, but fails if the role is not allowed to end one of the sessions. Therefore end the
      // sessions one by one first.
      await client
        .query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${quoteText(name)} and pid <> pg_backend_pid()`)
        .catch(() => undefined);
      await client.query(`drop database if exists ${quoteName(name)}${attempt > 1 && (await forces(client)) ? " with (force)" : ""}`);
      return;
    } catch (error) {
      if (codeOf(error) !== "55006" || attempt >= TRIES) throw provideError(store, `remove the database ${name}`, error);
      await forgetPrepared(client, store, name).catch(() => undefined);
      await pause(50);
    }
  }
}

async function forces(client: Client): Promise<boolean> {
  const [row] = await rowsOf<[string]>(client, "select current_setting('server_version_num')");
  return Number(row?.[0]) >= 130_000;
}

/** Rolls back prepared transactions of the database. Prepared transactions survive the end of their sessions and would block DROP DATABASE. */
async function forgetPrepared(client: Client, store: StoreUrl, name: string): Promise<void> {
  const prepared = await rowsOf<[string]>(client, `select gid from pg_prepared_xacts where database = ${quoteText(name)}`);
  if (prepared.length === 0) return;
  const inside = await connect(withDatabase(store, name));
  try {
    for (const [gid] of prepared) await inside.query(`rollback prepared ${quoteText(gid)}`);
  } finally {
    await inside.end();
  }
}
