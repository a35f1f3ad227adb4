import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { atEnd } from "../../support/at-end.ts";
import { postgresUrl } from "../../support/services.ts";

/** Databases of the running test file. */
const made = new Set<string>();

/** The session in the database `postgres`. The tests of a file share it, because each session costs a process of the server. */
let shared: Promise<pg.Client> | undefined;

async function openShared(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await databaseUrl("postgres") });
  const forget = (): void => {
    shared = undefined;
  };
  client.on("error", forget);
  atEnd(() => {
    forget();
    return client.end();
  });
  try {
    await client.connect();
  } catch (error) {
    forget();
    throw error;
  }
  return client;
}

/** Some work runs in the shared session. */
let isBusy = false;

/** Runs `work` as the administrator: in the session that the tests of the file share if it is free, or else in a new one. */
export async function admin<T>(work: (client: pg.Client) => Promise<T>, database?: string): Promise<T> {
  if (database !== undefined || isBusy) return alone(work, database ?? "postgres");
  isBusy = true;
  try {
    return await work(await (shared ??= openShared()));
  } finally {
    isBusy = false;
  }
}

/** Runs `work` in a session of its own. */
async function alone<T>(work: (client: pg.Client) => Promise<T>, database: string): Promise<T> {
  const client = new pg.Client({ connectionString: await databaseUrl(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function databaseUrl(database: string): Promise<string> {
  return `${await postgresUrl()}/${encodeURIComponent(database)}`;
}

/** A new database with these statements run in it, dropped at the end of the test file at the latest; its name. */
export async function newDatabase(statements: readonly string[] = [], template?: string): Promise<string> {
  const name = `seqqa_test_${randomBytes(6).toString("hex")}`;
  await admin(async (client) => {
    await client.query(`create database ${name}${template === undefined ? "" : ` template ${template}`}`);
    if (template === undefined) await client.query(`alter database ${name} set synchronous_commit = off`);
  });
  if (made.size === 0) atEnd(dropAll);
  made.add(name);
  if (statements.length > 0) {
    await admin(async (client) => {
      for (const sql of statements) await client.query(sql);
    }, name);
  }
  return name;
}

export async function dropDatabase(name: string): Promise<void> {
  made.delete(name);
  await admin(async (client) => {
    // With the copies that checkpoints made, had a test failed.
    const copies = await client.query<{ datname: string }>("select datname from pg_database where starts_with(datname, $1)", [
      copiesOf(name),
    ]);
    for (const { datname } of copies.rows) await client.query(`drop database if exists "${datname}" with (force)`);
    await client.query(`drop database if exists "${name}" with (force)`);
  });
}

/** What the names of a database's copies begin with. */
export function copiesOf(database: string): string {
  return `seqqa_clone_${createHash("sha256").update(database).digest("hex").slice(0, 16)}_`;
}

/** At once: each waits for a checkpoint of the server, and they share one. */
export async function dropDatabases(names: Iterable<string>): Promise<void> {
  await Promise.all(Array.from(names, dropDatabase));
}

async function dropAll(): Promise<void> {
  const left = [...made];
  made.clear();
  await dropDatabases(left);
}
