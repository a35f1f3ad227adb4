import { randomBytes } from "node:crypto";
import pg from "pg";
import { PostgresAdapter } from "seqqa/adapters/postgres";
import { BACK, BRANCH, FILL, scope, TABLE, type Bed, type Mode } from "./bed.ts";

/** @param server The URL of an administrator, without a path. */
export const postgresModes = (server: string): readonly Mode[] => [
  { name: "postgres journal", open: () => journal(server) },
  { name: "postgres savepoint", open: () => savepoint(server, 0) },
  { name: "postgres savepoint, 8 sequences", open: () => savepoint(server, 8) },
  { name: "postgres clone", whole: true, open: () => clone(server) },
];

interface Databases {
  readonly admin: pg.Client;
  readonly url: string;
  readonly bareUrl: string;
  readonly bareName: string;
  readonly remove: () => Promise<void>;
}

/** Creates two databases: one for the adapter, and one for the bare statements. As in a lane's database, a commit does not wait for the disk. */
async function databases(server: string): Promise<Databases> {
  const admin = await connect(`${server}/postgres`);
  const names = ["own", "bare"].map((name) => `seqqa_test_bench_${name}_${randomBytes(4).toString("hex")}`);
  for (const name of names) {
    await admin.query(`create database ${name}`);
    await admin.query(`alter database ${name} set synchronous_commit = off`);
    const client = await connect(`${server}/${name}`);
    await client.query(`${TABLE}; ${FILL}`);
    await client.end();
  }
  return {
    admin,
    url: `${server}/${names[0]}`,
    bareUrl: `${server}/${names[1]}`,
    bareName: names[1]!,
    remove: async () => {
      for (const name of names) await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

const LOG_BY_HAND = "create table log(seq bigserial, o text, n text)";
const IMAGES = `insert into log(o, n) values (null, '(1001,new,1)'), (null, '(1002,new,1)'), ('(1,item,7)', '(1,item,8)'), ('(2,item,7)', '(2,item,8)'), ('(3,item,7)', null)`;

const transaction = (statements: readonly string[]): string => ["begin", ...statements, "commit"].join("; ");

async function journal(server: string): Promise<Bed> {
  const { url, bareUrl, remove } = await databases(server);
  const system = new PostgresAdapter({ url, checkpoint: "journal" });
  const [target, bareTarget, control] = [await connect(url), await connect(bareUrl), await connect(bareUrl)];
  await system.open(scope(false));
  await system.root();
  // The bare side fills a log by hand, so that both sides read and empty one.
  await bareTarget.query(LOG_BY_HAND);
  await control.query("set session_replication_role = replica");
  const read = {
    name: "read",
    text: "select o, n, exists (select from pg_locks where mode = 'RowExclusiveLock' and pid <> pg_backend_pid()) from log order by seq",
  };
  return {
    system,
    branch: () => target.query(transaction(BRANCH)),
    bare: {
      mark: () => control.query(read),
      branch: () => bareTarget.query(transaction([...BRANCH, IMAGES])),
      // The restore reads the log first, because the log says what to restore.
      restore: async () => {
        await control.query(read);
        await control.query(transaction([...BACK, "delete from log"]));
      },
    },
    sizes: async () => {
      const { rows } = await target.query<{ log: string; size: string; items: string }>(
        `select (select count(*) from seqqa_journal.log) as log, pg_total_relation_size('seqqa_journal.log') as size, pg_table_size('items') as items`,
      );
      const { log, size, items } = rows[0]!;
      return [
        { name: "log", value: Number(log), unit: "rows" },
        { name: "log on disk", value: Number(size) / 1024, unit: "KiB" },
        { name: "table of 100 rows", value: Number(items) / 1024, unit: "KiB" },
      ];
    },
    close: async () => {
      await system.close();
      for (const client of [target, bareTarget, control]) await client.end();
      await remove();
    },
  };
}

/** @param sequences The number of sequences in the database. The changes advance at most one of them. */
async function savepoint(server: string, sequences: number): Promise<Bed> {
  const { url, bareUrl, remove } = await databases(server);
  const names = Array.from({ length: sequences }, (_, i) => `s${i}`);
  for (const one of [url, bareUrl]) {
    const client = await connect(one);
    for (const name of names) await client.query(`create sequence ${name}; select nextval('${name}')`);
    await client.end();
  }
  const statements = [...BRANCH, ...names.slice(0, 1).map((name) => `select nextval('${name}')`)];
  const system = new PostgresAdapter({ url, checkpoint: "savepoint" });
  const own = system.connection;
  await system.open(scope(true));
  await system.root();
  const bareTarget = await connect(bareUrl);
  // The log is filled by hand, and it is in the same transaction as the changes, so a rollback also removes its entries.
  await bareTarget.query(`${LOG_BY_HAND.replace("create", "create temporary")}; begin`);
  const last = names.map((name) => `pg_sequence_last_value('${name}')`).join(", ");
  const mark = ["savepoint one", ...(last === "" ? [] : [`select ${last}`]), "savepoint statement"].join("; ");
  const back = [
    "rollback to savepoint one",
    "release savepoint one",
    ...names.slice(0, 1).map((name) => `select setval('${name}', 1)`),
  ].join("; ");
  return {
    system,
    branch: async () => {
      for (const sql of statements) await own.query(sql);
    },
    bare: {
      mark: () => bareTarget.query(mark),
      branch: async () => {
        for (const sql of [...statements, IMAGES]) {
          await bareTarget.query(sql);
          // A savepoint after each statement makes sure that a failed statement undoes only itself, as outside of a transaction. It is not awaited:
          // the restore follows on the same connection.
          void bareTarget.query("release savepoint statement; savepoint statement");
        }
      },
      restore: () => bareTarget.query(back),
    },
    sizes: async () => {
      const admin = await connect(url);
      const { rows } = await admin.query<{ items: string }>("select pg_table_size('items') as items");
      await admin.end();
      const { rows: logs } = await own.query<{ log: string; size: string }>(
        "select count(*) as log, pg_total_relation_size('pg_temp.seqqa_log') as size from pg_temp.seqqa_log",
      );
      return [
        { name: "log", value: Number(logs[0]!.log), unit: "rows" },
        { name: "log on disk", value: Number(logs[0]!.size) / 1024, unit: "KiB" },
        { name: "table of 100 rows", value: Number(rows[0]!.items) / 1024, unit: "KiB" },
      ];
    },
    close: async () => {
      await system.close();
      await bareTarget.end();
      await remove();
    },
  };
}

async function clone(server: string): Promise<Bed> {
  const { admin, url, bareUrl, bareName, remove } = await databases(server);
  const system = new PostgresAdapter({ url, checkpoint: "clone" });
  await system.open(scope(false));
  await system.root();
  // A restore closes the target's connections, after which a pool opens new ones. Each change therefore opens a connection.
  const branch = async (to: string): Promise<void> => {
    const client = await connect(to);
    await client.query(transaction(BRANCH));
    await client.end();
  };
  const saved = `${bareName}_saved`;
  return {
    system,
    branch: () => branch(url),
    bare: {
      mark: async () => {
        await admin.query(`drop database if exists ${saved}`);
        await admin.query(`create database ${saved} template ${bareName}`);
      },
      branch: () => branch(bareUrl),
      restore: async () => {
        await admin.query(`drop database ${bareName} with (force)`);
        await admin.query(`create database ${bareName} template ${saved}`);
      },
    },
    sizes: async () => {
      const { rows } = await admin.query<{ size: string }>("select pg_database_size($1) as size", [url.slice(url.lastIndexOf("/") + 1)]);
      return [{ name: "database", value: Number(rows[0]!.size) / 1024, unit: "KiB" }];
    },
    close: async () => {
      await system.close();
      await admin.query(`drop database if exists ${saved} with (force)`);
      await remove();
    },
  };
}
