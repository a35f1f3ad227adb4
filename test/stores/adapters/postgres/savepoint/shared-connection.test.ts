import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { PostgresAdapter } from "../../../../../src/adapters/postgres/index.ts";
import { Databases } from "./databases.ts";
import { Lane } from "./lane.ts";

let databases: Databases;
let lane: Lane;

beforeAll(async () => {
  databases = await Databases.open();
});
afterAll(() => databases.close());
beforeEach(async () => {
  lane = await Lane.open(databases, ["create table t(id int primary key, v text)", "insert into t values(1, 'one')"]);
});
afterEach(() => lane.adapter.close());

const insert = (id: number): string => `insert into t values(${id}, 'v${id}')`;
const ids = (): Promise<unknown[]> => lane.rows("select id from t order by id");
const called = <T>(start: (callback: (error: Error | null | undefined, result: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => start((error, result) => (error ? reject(error) : resolve(result))));

describe("a query", () => {
  test("is taken in every form that the driver has", async () => {
    const { connection } = lane;
    expect((await connection.query("select id, v from t")).rows).toEqual([{ id: 1, v: "one" }]);
    expect((await connection.query("select v from t where id = $1", [1])).rows).toEqual([{ v: "one" }]);
    expect((await connection.query({ text: "select id, v from t", rowMode: "array" })).rows).toEqual([[1, "one"]]);
    expect((await connection.query({ name: "named", text: "select $1::int as n", values: [5] })).rows).toEqual([{ n: 5 }]);
    expect((await connection.query({ name: "named", text: "select $1::int as n" }, [6])).rows).toEqual([{ n: 6 }]);
    expect((await called<pg.QueryResult>((done) => connection.query("select 1 as n", done))).rows).toEqual([{ n: 1 }]);
    expect((await called<pg.QueryResult>((done) => connection.query("select $1::int as n", [2], done))).rows).toEqual([{ n: 2 }]);
    expect((await called<pg.QueryResult>((done) => connection.query({ text: "begin" }, done))).command).toBe("BEGIN");
    expect((await called<pg.QueryResult>((done) => connection.query("rollback", done))).command).toBe("ROLLBACK");
    await expect(called((done) => connection.query("select 1/0", done))).rejects.toMatchObject({ code: "22012" });
    expect(() => connection.query(null as never)).toThrow(TypeError);
    const types = { getTypeParser: () => (text: string) => `<${text}>` } as never;
    expect((await connection.query({ text: "select 1 as n", types })).rows).toEqual([{ n: "<1>" }]);
  });

  test("may be submitted as an object that takes the answer itself", async () => {
    const seen: unknown[] = [];
    const query = new pg.Query("select id from t union all select 2 order by 1");
    expect(lane.connection.query(query)).toBe(query);
    query.on("row", (row) => seen.push(row));
    await new Promise((resolve) => query.on("end", resolve));
    expect(seen).toEqual([{ id: 1 }, { id: 2 }]);
    const [begin, commit, failing] = [new pg.Query("begin"), new pg.Query("commit"), new pg.Query("select 1/0")];
    for (const one of [begin, new pg.Query(insert(2)), commit]) lane.connection.query(one);
    const end = await new Promise<pg.QueryResult>((resolve) => commit.on("end", resolve));
    expect(end.command).toBe("COMMIT");
    lane.connection.query(failing);
    expect(await new Promise((resolve) => failing.on("error", resolve))).toMatchObject({ code: "22012" });
    expect(await ids()).toEqual([1, 2]);
  });

  test("of several statements answers with several results", async () => {
    const results = (await lane.connection.query(
      "begin; insert into t values(2, 'x') returning id; select 3 as n; commit",
    )) as unknown as pg.QueryResult[];
    expect(results.map(({ command, rows }) => [command, rows])).toEqual([["BEGIN", []], ["INSERT", [{ id: 2 }]], ["SELECT", [{ n: 3 }]], ["COMMIT", []]]); // prettier-ignore
    await expect(lane.connection.query("select 1; begin; select nothing")).rejects.toMatchObject({ code: "42703", position: "25" });
    await lane.connection.query("rollback");
    await expect(lane.connection.query("begin; select $1", [1])).rejects.toMatchObject({ code: "42601" });
  });

  test("that fails undoes itself alone, and everything in its transaction", async () => {
    await expect(lane.connection.query(insert(1))).rejects.toMatchObject({ code: "23505" });
    await lane.connection.query(insert(2));
    // One text is one transaction.
    await expect(lane.connection.query(`${insert(3)}; ${insert(1)}`)).rejects.toMatchObject({ code: "23505" });
    await lane.connection.query("begin");
    await lane.connection.query(insert(4));
    await expect(lane.connection.query(insert(1))).rejects.toMatchObject({ code: "23505" });
    await expect(lane.connection.query("select 1")).rejects.toMatchObject({ code: "25P02" });
    expect((await lane.connection.query("commit")).command).toBe("ROLLBACK");
    expect(await ids()).toEqual([1, 2]);
  });

  test("that the driver refuses leaves the transaction as it is", async () => {
    await lane.connection.query("begin");
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    await expect(lane.connection.query("select $1::json", [circular])).rejects.toThrow(/circular/i);
    await lane.connection.query(insert(2));
    await lane.connection.query("commit");
    expect(await ids()).toEqual([1, 2]);
  });

  test("cannot end the transaction that explores", async () => {
    const mark = await lane.adapter.mark();
    await lane.connection.query(insert(2));
    for (const text of [
      "commit",
      "rollback",
      "end",
      "abort",
      "commit; commit",
      "/**/rollback;rollback",
      "prepare transaction 'x'",
      "release seqqa_0",
    ]) {
      await lane.connection.query(text).catch(() => undefined);
    }
    expect(await ids()).toEqual([1, 2]);
    await expect(lane.connection.query("do $$ begin commit; end $$")).rejects.toMatchObject({ code: "2D000" });
    await lane.adapter.restore(mark);
    expect(await ids()).toEqual([1]);
  });

  test("warns as the server would", async () => {
    const notices: unknown[] = [];
    lane.connection.on("notice", (notice) => notices.push((notice as { code?: string }).code));
    await lane.connection.query("commit");
    await lane.connection.query("begin");
    await lane.connection.query("begin");
    await lane.connection.query("do $$ begin raise notice 'x'; end $$");
    await lane.connection.query("rollback");
    expect(notices).toEqual(["25P01", "25001", "00000"]);
  });
});

describe("clients of a pool", () => {
  test("have transactions of their own, and wait for each other's", async () => {
    const { connection } = lane;
    const [a, b] = [await connection.connect(), await connection.connect()];
    await a.query("begin");
    await a.query(insert(2));
    const order: string[] = [];
    const others = [
      b.query("select count(*)::int as n from t").then(({ rows }) => order.push(`b sees ${JSON.stringify(rows)}`)),
      connection.query(insert(3)).then(() => order.push("the pool inserts")),
    ];
    await a.query("select pg_sleep(0.02)");
    order.push("a rolls back");
    await a.query("rollback");
    await Promise.all(others);
    expect(order).toEqual(["a rolls back", 'b sees [{"n":1}]', "the pool inserts"]);
    a.release();
    b.release();
    expect(await ids()).toEqual([1, 3]);
    expect(connection.idleCount).toBe(2);
    // The one that was given back last is taken first.
    expect(await connection.connect()).toBe(b);
  });

  test("that wait in vain are told why", async () => {
    const a = await lane.connection.connect();
    await a.query("begin");
    await expect(lane.connection.query("select 1")).rejects.toMatchObject({ code: "CONNECTION_SHARED" });
    await a.query("rollback");
    expect(await lane.rows("select 1")).toEqual([1]);
  });

  test("that are thrown away leave nothing open", async () => {
    const a = await lane.connection.connect();
    await a.query("begin");
    await a.query(insert(2));
    a.release(true);
    expect(await ids()).toEqual([1]);
    const b = await lane.connection.connect();
    await b.query("begin");
    await b.query(insert(3));
    await b.end();
    await lane.connection.end();
    expect(await ids()).toEqual([1]);
  });

  test("are given by callback, and events tell of them", async () => {
    const seen: unknown[] = [];
    lane.connection.on("connect", (client) => seen.push(client));
    const client = await new Promise<pg.PoolClient>((resolve, reject) =>
      lane.connection.connect((error, given, done) => {
        if (given === undefined) return reject(error as Error);
        done();
        resolve(given);
      }),
    );
    expect(seen).toEqual([client]);
    expect((await client.query("select 1 as n")).rows).toEqual([{ n: 1 }]);
  });
});

describe("settings that a listener of the pool makes", () => {
  test.each([
    ["pool.query", false],
    ["pool.connect", true],
  ])("hold in all states, by %s", async (_, byClient) => {
    const name = await databases.create(["create schema app; create table app.notes(id int)"]);
    const adapter = new PostgresAdapter({ url: databases.url(name) });
    const { connection } = adapter;
    connection.on("connect", (client) => void client.query("set search_path to app"));
    await adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false });
    await adapter.root();
    const mark = await adapter.mark();
    for (let time = 1; time <= 2; time++) {
      const client = byClient ? await connection.connect() : connection;
      await client.query("insert into notes values(1)");
      expect((await client.query("select id from notes")).rows).toEqual([{ id: 1 }]);
      if (byClient) client.release();
      await adapter.restore(mark);
    }
    await adapter.close();
  });

  test("come before the first query, also before the exploration", async () => {
    const adapter = new PostgresAdapter({
      url: databases.url(await databases.create(["create schema app; create table app.notes(id int)"])),
    });
    const { connection } = adapter;
    connection.on("connect", (client) => void client.query("set search_path to app"));
    expect((await connection.query("select id from notes")).rows).toEqual([]);
    await adapter.close();
  });
});

test("before the exploration it is a connection like any other", async () => {
  const name = await databases.create();
  const adapter = new PostgresAdapter({ url: databases.url(name) });
  const { connection } = adapter;
  const client = await connection.connect();
  await client.query("begin; create table made(id serial)");
  const other = connection.query("insert into made default values");
  await client.query("commit");
  await other;
  client.release();
  await expect(connection.query("select 1/0")).rejects.toMatchObject({ code: "22012" });
  await connection.query("vacuum made");
  await databases.within(name, async (apart) => expect((await apart.query("select id from made")).rows).toEqual([{ id: 1 }]));
  await connection.query("begin");
  await expect(connection.query("nonsense")).rejects.toMatchObject({ code: "42601" });
  // The driver hears of the error a moment before it hears of the transaction.
  await vi.waitFor(() => expect(connection.getTransactionStatus()).toBe("E"), 30_000);
  await connection.query("rollback");
  await adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false });
  expect(adapter.checkpoint).toEqual({ mode: "savepoint", why: "the target runs in seqqa's process and uses seqqa's connection" });
  await adapter.close();
  await expect(connection.query("select 1")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("types are parsed as the target wants them, whenever it says so", async () => {
  const adapter = new PostgresAdapter({ url: databases.url(await databases.create()) });
  const { connection } = adapter;
  connection.setTypeParser(20, (text: string) => `${text}n`);
  expect((await connection.query("select 1::bigint as n")).rows).toEqual([{ n: "1n" }]);
  const client = await connection.connect();
  client.setTypeParser(23, (text: string) => -Number(text));
  await adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false });
  expect((await client.query("select 1::bigint as n, 2 as m")).rows).toEqual([{ n: "1n", m: -2 }]);
  // What is observed does not depend on it.
  expect(await adapter.query("select 1::bigint as n, 2 as m")).toEqual([{ n: 1, m: 2 }]);
  expect((connection.getTypeParser(23) as (text: string) => unknown)("3")).toBe(-3);
  expect((client as unknown as { processID: number }).processID).toBeGreaterThan(0);
  await adapter.close();
});

test("a server that cannot be reached is told without the password", async () => {
  const adapter = new PostgresAdapter({ url: "postgresql://ann:s3cr3t@127.0.0.1:1/shop" });
  const error = await adapter.connection.query("select 1").catch((one: Error) => one);
  expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
  expect(JSON.stringify([error, String(error), (error as Error).stack, String((error as Error).cause)])).not.toContain("s3cr3t");
});
