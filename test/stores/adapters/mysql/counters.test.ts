import { expect, test } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const TABLES = [
  "create table receipts(no int auto_increment primary key, name varchar(9))",
  "create table names(name varchar(9) primary key)",
  "insert into receipts values (3, 'ann')",
];
const REFUSED = "start transaction; insert into receipts(name) values ('bob'); rollback";
const ADDED = "insert into receipts(name) values ('cho')";

async function opened(
  checkpoint: "journal" | "copy",
  work: (system: MysqlAdapter, run: (sql: string) => Promise<unknown>) => Promise<void>,
) {
  const database = await newDatabase(TABLES);
  const system = new MysqlAdapter({ url: await databaseUrl(database), checkpoint });
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
  try {
    await work(system, (sql) => admin((connection) => connection.query(sql), database));
  } finally {
    await system.close();
  }
}

test("copy: a number that a refused insert used is part of the state and is restored", () =>
  opened("copy", async (system, run) => {
    expect(await system.root()).toMatchObject({ counters: { receipts: 4 } });
    const mark = await system.mark();
    await run(REFUSED);
    expect(await system.observe()).toEqual({ kind: "rows", tables: [], counters: { receipts: 5 } });
    await system.restore(mark);
    expect(await system.observe()).toMatchObject({ counters: {} });
    expect(system.keptCounters).toBe(undefined);
  }));

test("journal: the counters of the root state can be set again", () =>
  opened("journal", async (system, run) => {
    await system.root();
    const mark = await system.mark();
    await run(`${REFUSED};${ADDED}`);
    await system.restore(mark);
    const { tables, restore } = system.keptCounters!;
    expect(tables).toEqual(["receipts"]);
    expect(await restore!()).toBe(true);
    expect(await system.changed(mark)).toBe(false);
    await run(ADDED);
    expect(await system.observe()).toMatchObject({ tables: [{ name: "receipts", added: [[4, "cho"]] }], counters: {} });
  }));

test("journal: a transaction that only reads may prevent this, which is no error", () =>
  opened("journal", async (system, run) => {
    await system.root();
    const mark = await system.mark();
    await run(ADDED);
    await system.restore(mark);
    await admin(async (reader) => {
      await reader.query("start transaction; select * from receipts");
      expect(await system.keptCounters!.restore!()).toBe(false);
    }, new URL(system.uses).pathname.slice(1));
    expect(await system.keptCounters!.restore!()).toBe(true);
  }));
