import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Redis } from "ioredis";
import { createConnection } from "mysql2/promise";
import pg from "pg";

/** A client of a store. Like an application, it commits its writes. */
export interface Client {
  run(statement: string): Promise<unknown>;
  end(): Promise<unknown>;
}

/** A kind of store, with other ways to reset it between two tests. */
export interface Kind {
  readonly name: string;
  /** The milliseconds that the project aims at for seqqa. */
  readonly aimMs: number;
  readonly url: string;
  /** Creates the store and fills it. */
  prepare(): Promise<void>;
  client(url: string): Promise<Client>;
  /** The statements that each test executes. */
  readonly writes: readonly string[];
  readonly empty: readonly string[];
  readonly fill: readonly string[];
  /** The begin and the end of a transaction around a test; absent if the store has no transactions. */
  readonly around?: readonly [begin: string, end: string];
  /** Creates a store from a prepared template; absent if the kind of store has no templates. */
  readonly template?: { readonly what: string; make(): Promise<void> };
}

export const TABLES: readonly string[] = Array.from({ length: 10 }, (_, i) => `t${i}`);
export const ROWS = 100;

const VALUES = Array.from({ length: ROWS }, (_, i) => `(${i + 1}, 'item ${i}')`).join(", ");
const CREATE = TABLES.map((table) => `create table ${table}(id int primary key, v varchar(40))`);
const FILL = TABLES.map((table) => `insert into ${table} values ${VALUES}`);
const WRITES = [
  "insert into t0 values (1001, 'new'), (1002, 'new')",
  "update t1 set v = 'changed' where id <= 2",
  "delete from t2 where id = 3",
];

async function once(client: Promise<Client>, statements: readonly string[]): Promise<void> {
  const opened = await client;
  for (const statement of statements) await opened.run(statement);
  await opened.end();
}

export function sqliteKind(folder: string): Kind {
  const [file, template] = [join(folder, "shop.db"), join(folder, "template.db")];
  const client = async (url: string): Promise<Client> => {
    const db = new Database(url.slice("sqlite:".length));
    return { run: async (sql) => db.exec(sql), end: async () => db.close() };
  };
  return {
    name: "sqlite",
    aimMs: 2,
    url: `sqlite:${file}`,
    prepare: async () => {
      await once(client(`sqlite:${file}`), ["pragma journal_mode = wal", ...CREATE, ...FILL]);
      await once(client(`sqlite:${template}`), [...CREATE, ...FILL]);
    },
    client,
    writes: WRITES,
    empty: TABLES.map((table) => `delete from ${table}`),
    fill: FILL,
    around: ["begin", "rollback"],
    template: { what: "file copied", make: async () => copyFileSync(template, join(folder, "copy.db")) },
  };
}

export function postgresKind(server: string): Kind {
  const url = `${server}/seqqa_bench`;
  const client = async (connectionString: string): Promise<Client> => {
    const one = new pg.Client({ connectionString });
    await one.connect();
    return { run: (sql) => one.query(sql), end: () => one.end() };
  };
  const remake = ["drop database if exists seqqa_bench_copy", "create database seqqa_bench_copy template seqqa_bench"];
  return {
    name: "postgres",
    aimMs: 2,
    url,
    prepare: async () => {
      await once(client(`${server}/postgres`), ["create database seqqa_bench"]);
      await once(client(url), [...CREATE, ...FILL]);
    },
    client,
    writes: WRITES,
    empty: [`truncate ${TABLES.join(", ")}`],
    fill: FILL,
    around: ["begin", "rollback"],
    template: { what: "database from a template", make: () => once(client(`${server}/postgres`), remake) },
  };
}

export function mysqlKind(server: string): Kind {
  const url = `${server}/seqqa_bench`;
  const client = async (uri: string): Promise<Client> => {
    const one = await createConnection({ uri });
    return { run: (sql) => one.query(sql), end: () => one.end() };
  };
  const remake = ["drop database if exists seqqa_bench_copy", "create database seqqa_bench_copy", "use seqqa_bench_copy", ...CREATE];
  const copied = TABLES.map((table) => `insert into ${table} select * from seqqa_bench.${table}`);
  return {
    name: "mysql",
    aimMs: 5,
    url,
    prepare: async () => {
      await once(client(server), ["create database seqqa_bench"]);
      await once(client(url), [...CREATE, ...FILL]);
    },
    client,
    writes: WRITES,
    empty: TABLES.map((table) => `truncate ${table}`),
    fill: FILL,
    around: ["begin", "rollback"],
    // MySQL has no templates, so the data is copied from another database.
    template: { what: "database made and copied", make: () => once(client(server), [...remake, ...copied]) },
  };
}

export function redisKind(server: string): Kind {
  const client = async (url: string): Promise<Client> => {
    const one = new Redis(url);
    return { run: (command) => one.call(...(command.split(" ") as [string, ...string[]])), end: () => one.quit() };
  };
  const fill = TABLES.map((table) => `MSET ${Array.from({ length: ROWS }, (_, i) => `${table}:${i} item`).join(" ")}`);
  return {
    name: "redis",
    aimMs: 2,
    url: server,
    prepare: () => once(client(server), fill),
    client,
    writes: ["MSET t0:1001 new t0:1002 new", "MSET t1:1 changed t1:2 changed", "DEL t2:3"],
    empty: ["FLUSHDB"],
    fill,
  };
}
