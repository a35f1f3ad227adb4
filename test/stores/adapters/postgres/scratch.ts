import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEveryTest } from "../../../support/at-end.ts";
import { PostgresAdapter, type PostgresAdapterOptions } from "../../../../src/adapters/postgres/index.ts";
import type { StoreScope } from "../../../../src/model/stores/store-adapter.ts";
import { admin, databaseUrl, dropDatabases, newDatabase } from "../../../contract/system/postgres-databases.ts";

export const SCOPE: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

// What this module made in the running test; other databases belong to whoever made them.
const databases: string[] = [];
const roles: string[] = [];
const open: { close?: () => unknown; end?: () => unknown }[] = [];

afterEveryTest(async () => {
  for (const one of open.splice(0).toReversed()) await Promise.resolve(one.close?.() ?? one.end?.()).catch(() => undefined);
  await dropDatabases(databases.splice(0));
  for (const role of roles.splice(0)) {
    // What its checkpoints left, had a test failed.
    const theirs = await admin((client) =>
      column(client, `select datname from pg_database d join pg_roles r on r.oid = d.datdba where r.rolname = '${role}'`),
    );
    for (const name of theirs) await admin((client) => client.query(`drop database "${String(name)}" with (force)`));
    await admin((client) => client.query(`drop owned by ${role}; drop role ${role}`));
  }
});

/** A role without privileges, removed after the test. */
export async function role(options = ""): Promise<string> {
  const name = `seqqa_test_${randomBytes(5).toString("hex")}`;
  await admin((client) => client.query(`create role ${name} login ${options}`));
  roles.push(name);
  return name;
}

export interface Scratch {
  readonly database: string;
  readonly url: string;
  /** A session as the API has it. */
  readonly api: pg.Client;
}

/** The role that a store is opened as: a superuser, or a role that owns the database and all in it, with or without the privilege to be in replica role. */
export type By = "superuser" | "owner" | "granted owner";

/** A database of its own, removed after the test. */
export async function scratch(statements: readonly string[], by: By = "superuser"): Promise<Scratch> {
  if (by !== "superuser") return ownedScratch(statements, by);
  const database = await newDatabase(statements);
  databases.push(database);
  const url = await databaseUrl(database);
  return { database, url, api: await session(url) };
}

async function ownedScratch(statements: readonly string[], by: By): Promise<Scratch> {
  const owner = await role("createdb");
  if (by === "granted owner") await admin((client) => client.query(`grant set on parameter session_replication_role to ${owner}`));
  const database = await newDatabase();
  databases.push(database);
  await admin((client) => client.query(`alter database ${database} owner to ${owner}; grant all on schema public to ${owner}`), database);
  const url = new URL(await databaseUrl(database));
  url.username = owner;
  const api = await session(url.href);
  for (const sql of statements) await api.query(sql);
  return { database, url: url.href, api };
}

/** Another session of the API. */
export async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  open.push(client);
  return client;
}

/** Closed after the test. */
export function adapterOn(url: string, options: Partial<PostgresAdapterOptions> = {}): PostgresAdapter {
  const adapter = new PostgresAdapter({ url, ...options });
  open.push(adapter);
  return adapter;
}

export interface Rooted extends Scratch {
  readonly adapter: PostgresAdapter;
  readonly mark: unknown;
  readonly dump: string;
}

/** An adapter that is open and at its root. */
export async function rooted(
  statements: readonly string[],
  options: Partial<PostgresAdapterOptions> = {},
  scope: Partial<StoreScope> = {},
  by: By = "superuser",
): Promise<Rooted> {
  const made = await scratch(statements, by);
  const adapter = adapterOn(made.url, options);
  await adapter.open({ ...SCOPE, ...scope });
  await adapter.root();
  return { ...made, adapter, mark: await adapter.mark(), dump: await adapter.dump() };
}

/** The rows of one column. */
export async function column(client: pg.Client, sql: string): Promise<unknown[]> {
  return (await client.query<unknown[]>({ text: sql, rowMode: "array" })).rows.map((row) => row[0]);
}

export function failure(code: string, text = ""): unknown {
  return {
    asymmetricMatch: (error: { code?: unknown; message?: string; hint?: string }) =>
      error.code === code && `${error.message} ${error.hint}`.includes(text),
  };
}
