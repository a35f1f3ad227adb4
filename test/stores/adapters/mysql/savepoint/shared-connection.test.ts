import type { ResultSetHeader } from "mysql2/promise";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MysqlAdapter } from "../../../../../src/adapters/mysql/index.ts";
import { admin, databaseUrl, newDatabase } from "../../../../contract/system/mysql-databases.ts";
import { Lane } from "./lane.ts";

let lane: Lane;
beforeEach(async () => {
  lane = await Lane.open(["create table t(id int auto_increment primary key, v varchar(20))", "insert into t values (1, 'one')"]);
});
afterEach(() => lane.adapter.close());

const ids = (): Promise<unknown[]> => lane.values("select id from t order by id");
const insert = (id: number): string => `insert into t values (${id}, 'v${id}')`;

describe("a statement", () => {
  test("is taken in every form that the driver has", async () => {
    const { connection } = lane;
    expect((await connection.query("select id, v from t"))[0]).toEqual([{ id: 1, v: "one" }]);
    expect((await connection.query("select v from ?? where id = ?", ["t", 1]))[0]).toEqual([{ v: "one" }]);
    expect((await connection.query({ sql: "select id, v from t", rowsAsArray: true }))[0]).toEqual([[1, "one"]]);
    expect((await connection.query({ sql: "select :n as n", namedPlaceholders: true }, { n: 3 }))[0]).toEqual([{ n: 3 }]);
    expect((await connection.execute("select id from t where v = ?", ["one"]))[0]).toEqual([{ id: 1 }]);
    expect((await connection.execute({ sql: "select ? as n", values: [5] }))[0]).toEqual([{ n: 5 }]);
    const statement = await connection.prepare("insert into t(v) values (?)");
    const [made] = (await statement.execute(["two"])) as unknown as [ResultSetHeader];
    expect(made).toMatchObject({ affectedRows: 1, insertId: 2 });
    await statement.close();
    const [, fields] = await connection.query("select id from t");
    expect(fields.map(({ name }) => name)).toEqual(["id"]);
    expect(connection.format("select ?", ["x'y"])).toBe("select 'x\\'y'");
    expect([connection.escape("a"), connection.escapeId("a")]).toEqual(["'a'", "`a`"]);
    expect(await connection.ping()).toBe(true);
    expect(connection.threadId).toBeGreaterThan(0);
    await expect(connection.query("select nothing")).rejects.toMatchObject({ errno: 1054, code: "ER_BAD_FIELD_ERROR", sqlState: "42S22" });
    await expect(connection.query("select 1; commit")).rejects.toMatchObject({ errno: 1064 });
    expect(() => connection.query("select 1", (() => undefined) as never)).toThrow(/Callback/);
  });

  test("that fails undoes itself alone, and its transaction goes on", async () => {
    const { connection } = lane;
    await connection.beginTransaction();
    await connection.query(insert(2));
    await expect(connection.query("insert into t values (3, 'x'), (1, 'again')")).rejects.toMatchObject({ errno: 1062 });
    await connection.query(insert(4));
    await connection.commit();
    expect(await ids()).toEqual([1, 2, 4]);
  });
});

describe("a transaction", () => {
  test("is kept by COMMIT and undone by ROLLBACK, however it is said", async () => {
    const { connection } = lane;
    const said: readonly (readonly [string, string, boolean])[] = [
      ["begin", "commit", true],
      ["start transaction", "rollback", false],
      ["BEGIN WORK", "COMMIT AND NO CHAIN", true],
      ["set autocommit = 0", "rollback", false],
      ["set autocommit = 0", "set autocommit = 1", true],
      ["begin", "begin", true],
    ];
    for (const [begin, end, kept] of said) {
      await connection.query(begin);
      await connection.query("insert into t(v) values ('said')");
      await connection.query(end);
      await connection.query("set autocommit = 1");
      await connection.rollback();
      const [result] = await connection.query<ResultSetHeader>("delete from t where v = 'said'");
      expect(result.affectedRows, `${begin} ... ${end}`).toBe(kept ? 1 : 0);
    }
  });

  test("has its own savepoints, chains, and says in its headers what the server would", async () => {
    const { connection } = lane;
    const status = async (sql: string): Promise<number> => (await connection.query<ResultSetHeader>(sql))[0].serverStatus & 3;
    expect(await status("begin")).toBe(3);
    await connection.query(insert(2));
    await connection.query("savepoint a");
    await connection.query(insert(3));
    await connection.query("rollback to a");
    expect(await status("commit and chain")).toBe(3);
    await connection.query(insert(4));
    expect(await status("rollback")).toBe(2);
    await expect(connection.query("rollback to a")).rejects.toMatchObject({ errno: 1305 });
    // Outside of a transaction it ends at once.
    await connection.query("savepoint b");
    await expect(connection.query("release savepoint b")).rejects.toMatchObject({ errno: 1305 });
    expect(await status("set autocommit = 0")).toBe(0);
    await connection.query("set autocommit = 1");
    expect(await ids()).toEqual([1, 2]);
  });

  test("that only reads refuses to write, and keeps its characteristics", async () => {
    const { connection } = lane;
    await connection.query("set transaction isolation level serializable, read only");
    await connection.beginTransaction();
    await expect(connection.query(insert(2))).rejects.toMatchObject({ errno: 1792 });
    await expect(connection.query("set transaction read write")).rejects.toMatchObject({ errno: 1568 });
    await connection.commit();
    await connection.query(insert(2));
    expect(await ids()).toEqual([1, 2]);
  });

  test("cannot end the one that explores", async () => {
    const mark = await lane.adapter.mark();
    await lane.connection.query(insert(2));
    for (const text of [
      "commit",
      "rollback",
      "/*! commit */",
      "commit;",
      "rollback to seqqa_0",
      "release savepoint seqqa_0",
      "begin",
      "commit",
    ])
      await lane.connection.query(text).catch(() => undefined);
    for (const work of ["commit", "rollback", "beginTransaction", "rollback"] as const) await lane.connection[work]();
    await (await lane.connection.prepare("commit")).execute([]);
    await lane.connection.execute("commit");
    expect(await ids()).toEqual([1, 2]);
    await lane.adapter.restore(mark).catch((error: Error) => expect(error).toMatchObject({ code: "STATEMENT_REFUSED" }));
    await lane.adapter.restore(mark);
    expect(await ids()).toEqual([1]);
  });
});

describe("connections of a pool", () => {
  test("have transactions and autocommit of their own, and wait for each other's", async () => {
    const { connection } = lane;
    const [a, b] = [await connection.getConnection(), await connection.getConnection()];
    await a.query("set autocommit = 0");
    await a.query(insert(2));
    const order: string[] = [];
    const others = [
      b.query("select count(*) as n from t").then(([rows]) => order.push(`b sees ${JSON.stringify(rows)}`)),
      connection.query(insert(3)).then(() => order.push("the pool inserts")),
    ];
    await a.query("do sleep(0.02)");
    order.push("a rolls back");
    await a.rollback();
    await Promise.all(others);
    expect(order).toEqual(["a rolls back", 'b sees [{"n":1}]', "the pool inserts"]);
    a.release();
    connection.releaseConnection(b);
    // The one that was given back last is taken first.
    expect(await connection.getConnection()).toBe(b);
    expect(await ids()).toEqual([1, 3]);
  });

  test("that wait in vain are told why, and so is who marks", async () => {
    const a = await lane.connection.getConnection();
    await a.beginTransaction();
    const [waiting, marking] = [lane.connection.query("select 1"), lane.adapter.mark()];
    await expect(waiting).rejects.toMatchObject({ code: "CONNECTION_SHARED" });
    await expect(marking).rejects.toMatchObject({ code: "STORE_BUSY" });
    await a.rollback();
    expect(await lane.values("select 1")).toEqual([1]);
  }, 20_000);

  test("that are thrown away leave nothing open", async () => {
    for (const how of ["destroy", "end", "close"] as const) {
      const a = await lane.connection.getConnection();
      await a.beginTransaction();
      await a.query(insert(2));
      await (a as unknown as Record<string, () => unknown>)[how]!();
      expect(await ids(), how).toEqual([1]);
    }
    await lane.connection.end();
    expect(await ids()).toEqual([1]);
  });
});

test("settings that a listener of the pool makes hold before the first query", async () => {
  const adapter = new MysqlAdapter({ url: await databaseUrl(lane.database) });
  const { connection } = adapter;
  connection.on("connection", (one) => void one.query("set @tenant = 7"));
  expect((await connection.query("select @tenant as tenant"))[0]).toEqual([{ tenant: 7 }]);
  await adapter.close();
});

test("before the exploration it is a connection like any other", async () => {
  const adapter = new MysqlAdapter({ url: await databaseUrl(await newDatabase()) });
  const { connection } = adapter;
  const one = await connection.getConnection();
  await one.query("create table made(id int auto_increment primary key) engine=InnoDB");
  await one.query("begin");
  await one.query("insert into made values ()");
  const other = connection.query("insert into made values ()");
  await one.query("commit");
  await other;
  one.release();
  await connection.query("truncate made");
  await connection.query("set autocommit = 0");
  await connection.query("insert into made values (7)");
  await connection.commit();
  await adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false });
  expect(adapter.checkpoint).toEqual({ mode: "savepoint", why: "the target runs in seqqa's process and uses seqqa's connection" });
  // Setup may still make tables.
  await connection.query("create table later(id int) engine=InnoDB");
  await adapter.root();
  const mark = await adapter.mark();
  await connection.query("insert into later values (1)");
  await connection.commit();
  expect(await adapter.observe()).toMatchObject({ tables: [{ name: "later", added: [[1]] }] });
  await adapter.restore(mark);
  expect(await adapter.query("select * from later")).toEqual([]);
  await adapter.close();
  await expect(connection.query("select 1")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("options of the driver that the URL names are the target's", async () => {
  const url = `${await databaseUrl(await newDatabase(["create table d(t datetime, n decimal(5,2))", "insert into d values ('2024-01-02', 1.5)"]))}?dateStrings=true&decimalNumbers=true`;
  const adapter = new MysqlAdapter({ url });
  expect((await adapter.connection.query("select * from d"))[0]).toEqual([{ t: "2024-01-02 00:00:00", n: 1.5 }]);
  await adapter.close();
});

test("a server that cannot be reached is told without the password", async () => {
  const adapter = new MysqlAdapter({ url: "mysql://ann:s3cr3t@127.0.0.1:1/shop" });
  const error = await adapter.connection.query("select 1").catch((one: Error) => one);
  expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
  expect(JSON.stringify([error, String(error), (error as Error).stack, String((error as Error).cause)])).not.toContain("s3cr3t");
  await adapter.close();
  await admin((connection) => connection.ping());
});
