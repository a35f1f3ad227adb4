import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { rowsOf } from "../schema/catalog.ts";
import { connect } from "../connect/connect.ts";
import { codeOf } from "../connect/failures.ts";
import { provideError } from "./provider-failures.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import { withDatabase, type StoreUrl } from "../connect/store-url.ts";

const TRIES = 20;

/** Returns the names of all databases of the server. */
export async function databaseNames(client: Client): Promise<string[]> {
  const rows = await rowsOf<[string]>(client, "select datname from pg_database order by datname");
  return rows.map(([name]) => name);
}

/** Removes a database, whoever is connected to it. A missing database is fine. */
export async function dropDatabase(client: Client, store: StoreUrl, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Version 13 can do both in one statement, but then refuses if sessions of other roles are connected; these are ended one by one.
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

/** Removes prepared transactions, which outlive their sessions and keep a database from being removed. */
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
