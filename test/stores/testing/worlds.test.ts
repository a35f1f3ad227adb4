import Database from "better-sqlite3";
import mysql from "mysql2/promise";
import pg from "pg";
import { expect, test } from "vitest";
import { openWorld, type TestWorld } from "../../../src/testing/index.ts";
import { admin as mysqlAdmin, databaseUrl as mysqlUrl, newDatabase as newMysql } from "../../contract/system/mysql-databases.ts";
import { admin, databaseUrl, newDatabase } from "../../contract/system/postgres-databases.ts";
import { until } from "../../support/e2e.ts";
import { scratchFile } from "../../support/sqlite-scratch.ts";
import { storeDumps } from "../../support/testing/store-dump.ts";
import { worldKinds } from "../../support/testing/world-kinds.ts";

const ORDERS = "create table orders(id int primary key, status varchar(20))";

interface Client {
  run(sql: string): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Stores with a table `orders`, and a client of each. */
const kinds: Readonly<Record<string, { template(): Promise<string>; client(url: string): Promise<Client> }>> = {
  postgres: {
    template: async () => databaseUrl(await newDatabase([ORDERS])),
    client: async (connectionString) => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      return { run: (sql) => client.query(sql), end: () => client.end() };
    },
  },
  mysql: {
    template: async () => mysqlUrl(await newMysql([ORDERS])),
    client: async (uri) => {
      const connection = await mysql.createConnection({ uri });
      return { run: (sql) => connection.query(sql), end: () => connection.end() };
    },
  },
  sqlite: {
    template: async () => {
      const file = scratchFile();
      new Database(file).exec(ORDERS).close();
      return `sqlite:${file}`;
    },
    client: async (url) => {
      const db = new Database(url.slice("sqlite:".length));
      return { run: async (sql) => db.exec(sql), end: async () => db.close() };
    },
  },
};

const each = test.concurrent.each(Object.entries(kinds));

each("a test that leaves a transaction open on %s is named, and the next one goes on once it ended", async (_name, kind) => {
  await using world = await openWorld({ dbUrl: await kind.template() });
  const client = await kind.client(world.dbUrl);
  const forgetful = await world.checkpoint("pays twice");
  await client.run("begin");
  await client.run("insert into orders values (1, 'new')");
  await expect(forgetful[Symbol.asyncDispose]()).rejects.toMatchObject({
    code: "STORE_BUSY",
    message: expect.stringContaining('seqqa could not restore the checkpoint "pays twice": '),
    hint: expect.stringContaining("commit or roll back"),
  });
  await client.run("commit");
  await using _next = await world.checkpoint("next");
  await client.run("insert into orders values (1, 'would be a duplicate')");
  await client.end();
});

each("a late write on %s is undone, and its test named", async (_name, kind) => {
  await using world = await openWorld({ dbUrl: await kind.template() });
  const client = await kind.client(world.dbUrl);
  await (await world.checkpoint("sends a mail"))[Symbol.asyncDispose]();
  await client.run("insert into orders values (1, 'late')");
  await expect(world.checkpoint("next")).rejects.toMatchObject({
    code: "LATE_WRITE",
    message: expect.stringContaining('restored the checkpoint "sends a mail"'),
  });
  await using _after = await world.checkpoint("after");
  await client.run("insert into orders values (1, 'no duplicate')");
  await client.end();
});

each("in place on %s: the store itself is used, one world at a time, and left as it was", async (name, kind) => {
  const dbUrl = await kind.template();
  const dump = await storeDumps[name as "sqlite"](dbUrl);
  const before = await dump.dump();
  // Names of SQLite files here are numbers.
  const options = { dbUrl, inPlace: true, allow: name === "sqlite" ? [dbUrl.split("/").at(-1)!] : [] };
  const world: TestWorld = await openWorld(options);
  expect(world.dbUrl).toBe(dbUrl);
  await expect(openWorld(options)).rejects.toMatchObject({
    code: "STORE_IN_USE",
    hint: expect.stringMatching(/^With inPlace, only one world/),
  });
  const client = await kind.client(dbUrl);
  await client.run("insert into orders values (1, 'seed')");
  const seeded = await dump.dump();
  {
    await using _test = await world.checkpoint("test");
    await client.run("insert into orders values (2, 'x')");
    await client.run("delete from orders where id = 1");
  }
  expect(await dump.dump()).toBe(seeded);
  expect(seeded).not.toBe(before);
  await world.close();
  expect(await dump.dump()).toBe(before);
  await Promise.all([client.end(), dump.close()]);
});

test.concurrent.each(["postgres", "mysql"])(
  "in place on %s: a world that is closed in an open transaction says what stays",
  async (name) => {
    const kind = kinds[name]!;
    const dbUrl = await kind.template();
    const world = await openWorld({ dbUrl, inPlace: true });
    const client = await kind.client(dbUrl);
    await client.run("begin");
    await client.run("insert into orders values (1, 'new')");
    await expect(world.close()).rejects.toMatchObject({
      code: "STORE_BUSY",
      message: expect.stringMatching(
        /^world\.close\(\) could not restore .*The changes of the tests, and the triggers of seqqa, stay in the store\.$/,
      ),
      hint: expect.stringMatching(/before world\.close\(\).*`seqqa clean`/),
    });
    await client.run("rollback");
    await client.end();
  },
);

test.concurrent("a world of several stores, and workers with databases of their own", async () => {
  const stores = { db: await kinds["postgres"]!.template(), cache: await worldKinds.redis.template() };
  const worlds = await Promise.all([1, 2].map((worker) => openWorld({ stores, worker })));
  const [one, two] = worlds as [TestWorld, TestWorld];
  expect(new Set(worlds.flatMap(({ urls }) => Object.values(urls))).size).toBe(4);
  expect(Object.values(one.urls)).not.toContain(stores.db);
  const [client, other] = [await kinds["postgres"]!.client(one.dbUrl), await kinds["postgres"]!.client(two.dbUrl)];
  const [writer, cache] = [worldKinds.redis.writer(one.urls["cache"]!), await storeDumps.redis(one.urls["cache"]!)];
  const before = await cache.dump();
  {
    await using _test = await one.checkpoint("test");
    await client.run("insert into orders values (1, 'mine')");
    await writer.write({ chance: () => false, below: () => 0, pick: (from: readonly unknown[]) => from[0] } as never);
    expect(await other.run("select * from orders")).toMatchObject({ rows: [] });
  }
  expect(await client.run("select * from orders")).toMatchObject({ rows: [] });
  expect(await cache.dump()).toBe(before);
  await Promise.all([client.end(), other.end(), writer.stop(), cache.close()]);
  for (const world of worlds) await world.close();
  const name = new URL(one.dbUrl).pathname.slice(1);
  await until(
    async () => (await admin((pgClient) => pgClient.query("select 1 from pg_database where datname = $1", [name]))).rows.length === 0,
    "the copy is gone",
  );
});

test.concurrent.each(["postgres", "mysql"] as const)("a world on %s makes one copy, not two", async (name) => {
  await using world = await openWorld({ dbUrl: await kinds[name]!.template() });
  const run = new URL(world.dbUrl).pathname.slice(1).replace(/_db_lane.*/, "");
  const list = `where %n like '${run}%'`;
  const copies =
    name === "postgres"
      ? (await admin((pgClient) => pgClient.query(`select datname as name from pg_database ${list.replace("%n", "datname")}`))).rows
      : await mysqlAdmin(async (connection) => {
          const [rows] = await connection.query(
            `select schema_name as name from information_schema.schemata ${list.replace("%n", "schema_name")}`,
          );
          return rows;
        });
  expect(copies).toHaveLength(1);
});

test.concurrent("a test that changes the schema is named, with what to do", async () => {
  await using world = await openWorld({ dbUrl: await kinds["postgres"]!.template() });
  const checkpoint = await world.checkpoint("adds a table");
  const client = await kinds["postgres"]!.client(world.dbUrl);
  await client.run("create table more(id int)");
  await client.end();
  const failed: unknown = await checkpoint.restore().catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "SCHEMA_CHANGED", hint: expect.stringContaining("open a separate world for these tests") });
  expect((failed as Error).stack).toContain("open a separate world for these tests");
  expect((failed as Error).message).not.toContain("exploration");
});

test.concurrent("a test that makes its tables anew is named like other changes of the schema", async () => {
  const items = "create table items(id serial primary key, name text)";
  await using world = await openWorld({ dbUrl: await databaseUrl(await newDatabase([items])) });
  const client = await kinds["postgres"]!.client(world.dbUrl);
  const checkpoint = await world.checkpoint("seeds");
  await client.run("insert into items(name) values ('old')");
  await client.run("drop table items");
  await client.run(items);
  await client.end();
  expect(await checkpoint.restore().catch((error: unknown) => error)).toMatchObject({
    code: "SCHEMA_CHANGED",
    message: expect.stringContaining("The schema of"),
  });
});

test.concurrent("a store that is missing is one clear error, and nothing stays", async () => {
  const url = await databaseUrl("seqqa_test_missing");
  await expect(openWorld({ dbUrl: url })).rejects.toMatchObject({
    code: "STORE_MISSING",
    message: expect.stringMatching(/^openWorld\(\) failed: The database "seqqa_test_missing" does not exist/),
    hint: "Check the URL of the store. If the URL is right, create the database and run its migrations before openWorld().",
  });
  await expect(openWorld({ dbUrl: "sqlite:/nowhere/test.db" })).rejects.toMatchObject({ code: "STORE_MISSING" });
  await mysqlAdmin(async (connection) => {
    const [rows] = await connection.query("show databases like 'seqqa_test_missing'");
    expect(rows).toEqual([]);
  });
});
