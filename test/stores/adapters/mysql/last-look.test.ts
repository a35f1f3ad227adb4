import { createConnection, type Connection, type RowDataPacket } from "mysql2/promise";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const TABLES = [
  "create table orders(id int primary key, status varchar(20))",
  "create table other(n int)",
  "insert into orders values (1, 'new'), (2, 'new')",
];

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close().catch(() => undefined);
});

interface Rooted {
  readonly system: MysqlAdapter;
  readonly mark: unknown;
  readonly dump: string;
  session(): Promise<Connection>;
}

async function rooted(borrowed = false): Promise<Rooted> {
  const url = await databaseUrl(await newDatabase(TABLES));
  const system = new MysqlAdapter({ url });
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed });
  open.push(() => system.close());
  await system.root();
  const session = async (): Promise<Connection> => {
    const connection = await createConnection({ uri: url });
    open.push(() => connection.end());
    return connection;
  };
  return { system, mark: await system.mark(), dump: await system.dump(), session };
}

const waiting =
  "select count(*) as n from information_schema.processlist where db = database() and info like '%delete from%' and id <> connection_id()";

for (const borrowed of [false, true]) {
  test(`what is committed while a restore is under way shows in the last look${borrowed ? ", of a borrowed store" : ""}`, async () => {
    const { system, mark, dump, session } = await rooted(borrowed);
    const [api, slow] = [await session(), await session()];
    await api.query("update orders set status = 'paid' where id = 1");
    expect(await system.changed(mark)).toBe(true);
    // Holds the restore up without having logged anything.
    await slow.query("start transaction");
    await slow.query("select * from orders where id = 1 for update");
    const restored = system.lastLook()!.restore(mark);
    while ((await api.query<(RowDataPacket & { readonly n: number })[]>(waiting))[0][0]!.n === 0) await pause(2);
    await pause(20);
    await api.query("insert into other values (1)");
    await slow.query("rollback");
    expect(await restored).toBe(true);
    const late = system.lastLook()!;
    expect(late.mark).not.toBe(mark);
    expect(late.observe()).toMatchObject({ tables: [{ name: "other", added: [[1]], removed: [] }] });
    expect(await system.changed(late.mark)).toBe(false);
    expect(await late.restore(mark)).toBe(true);
    expect(await system.dump()).toBe(dump);
  });

  test(`a restore from the last look refuses what was written since${borrowed ? ", of a borrowed store" : ""}`, async () => {
    const { system, mark, dump, session } = await rooted(borrowed);
    const api = await session();
    await api.query("update orders set status = 'paid' where id = 1");
    await system.changed(mark);
    const look = system.lastLook()!;
    await api.query("insert into other values (1)");
    const before = await system.dump();
    expect(await look.restore(mark)).toBe(false);
    expect(await system.dump()).toBe(before);
    expect(await system.lastLook()!.restore(mark)).toBe(true);
    expect(await system.dump()).toBe(dump);
  });
}

test("a restore from the last look waits for an open transaction, and refuses what it has written", async () => {
  const { system, mark, session } = await rooted();
  const [api, slow] = [await session(), await session()];
  await api.query("update orders set status = 'paid' where id = 1");
  await system.changed(mark);
  await slow.query("start transaction");
  await slow.query("insert into other values (2)");
  const restored = system.lastLook()!.restore(mark);
  expect(await Promise.race([restored.then(() => "restored"), pause(60, "waits")])).toBe("waits");
  await slow.query("commit");
  expect(await restored).toBe(false);
});

test("a table that was truncated since the last look is refused", async () => {
  const { system, mark, session } = await rooted();
  const api = await session();
  await api.query("update orders set status = 'paid' where id = 1");
  await system.changed(mark);
  const look = system.lastLook()!;
  await api.query("truncate orders");
  await expect(look.restore(mark)).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
});

test("a truncated table that a restore has nothing to do with is refused at the next look", async () => {
  const { system, mark, session } = await rooted();
  const api = await session();
  await api.query("update orders set status = 'paid' where id = 1");
  await system.changed(mark);
  const look = system.lastLook()!;
  await api.query("truncate other");
  await look.restore(mark).catch(() => undefined);
  await expect(system.changed(mark)).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
});

test("queries of checks see what was committed before each of them, and write nothing", async () => {
  const { system, session } = await rooted();
  const api = await session();
  for (const status of ["paid", "shipped"]) {
    await api.query("update orders set status = ? where id = 1", [status]);
    expect(await system.query("select status from orders where id = 1")).toEqual([{ status }]);
  }
  await api.query("create function writes() returns int modifies sql data begin insert into other values (9); return 1; end");
  await expect(system.query("select writes()")).rejects.toMatchObject({ code: "QUERY_WRITES" });
  expect(await system.query("select n from other")).toEqual([]);
});
