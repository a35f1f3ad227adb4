import type { ResultSetHeader } from "mysql2/promise";
import { describe, expect, test } from "vitest";
import { MysqlAdapter } from "../../../../../src/adapters/mysql/index.ts";
import { leaseLock } from "../../../../../src/adapters/mysql/journal/journal-sql.ts";
import { size } from "../../../../sizes.ts";
import { databaseUrl, newDatabase } from "../../../../contract/system/mysql-databases.ts";
import { Lane } from "./lane.ts";

const T = "create table t(id int auto_increment primary key, v varchar(500)) engine=InnoDB";

async function within(statements: readonly string[], work: (lane: Lane) => Promise<void>): Promise<void> {
  const lane = await Lane.open(statements);
  try {
    await work(lane);
  } finally {
    await lane.adapter.close();
  }
}

describe("what would end the transaction that explores", () => {
  test("is refused with what to use instead, and said again when the target keeps it to itself", () =>
    within([T, "insert into t values (1, 'one')"], async ({ adapter, connection }) => {
      const mark = await adapter.mark();
      const dump = await adapter.dump();
      for (const sql of [
        "truncate t",
        "alter table t add c int",
        "lock tables t write",
        "create table u(n int)",
        "drop table t",
        "flush tables",
      ]) {
        await connection.query("insert into t(v) values ('x')");
        await expect(connection.query(sql), sql).rejects.toMatchObject({
          code: "STATEMENT_REFUSED",
          hint: expect.stringContaining("copy"),
        });
        await expect(adapter.observe(), sql).rejects.toMatchObject({ code: "STATEMENT_REFUSED" });
        await connection.execute(sql).catch(() => undefined);
        await adapter.restore(mark);
        expect(await adapter.dump(), sql).toBe(dump);
        // Put back, it is forgotten.
        await adapter.observe();
      }
    }));

  test("is noticed where it cannot be seen: nothing more is executed, and the lane is of no use", async () => {
    const procedures = [
      "create procedure ends() begin insert into t(v) values ('a'); commit; end",
      "create procedure ends_and_begins() begin commit; start transaction; end",
      "create procedure ddl() begin create table if not exists u(n int); end",
    ];
    for (const sql of [
      "call ends()",
      "call ends_and_begins()",
      "call ddl()",
      "execute immediate 'truncate t'",
      "begin not atomic commit; start transaction; end",
    ]) {
      const lane = await Lane.open([T, ...procedures]);
      const mark = await lane.adapter.mark();
      await lane.connection.query(sql).catch(() => undefined);
      await expect(lane.connection.query("insert into t(v) values ('b')"), sql).rejects.toMatchObject({ code: "SAVEPOINT_LOST" });
      await expect(lane.adapter.changed(mark), sql).rejects.toMatchObject({ code: "SAVEPOINT_LOST" });
      await expect(lane.adapter.restore(mark), sql).rejects.toMatchObject({ code: "SAVEPOINT_LOST" });
      await lane.adapter.close();
      expect(await lane.apart("select v from t where v = 'b'"), sql).toEqual([]);
    }
  });

  test("a procedure that does not is a statement like any other", () =>
    within([T, "create procedure adds() begin insert into t(v) values ('a'); select 7 as n; end"], async ({ adapter, connection }) => {
      const mark = await adapter.mark();
      const [results] = await connection.query("call adds()");
      expect((results as unknown[])[0]).toEqual([{ n: 7 }]);
      expect(await adapter.observe()).toMatchObject({ tables: [{ name: "t", added: [[1, "a"]] }] });
      await adapter.restore(mark);
      expect(await adapter.observe()).toMatchObject({ tables: [] });
    }));
});

describe("a deadlock", () => {
  test("takes the whole transaction with it: the lane is of no use", async () => {
    const lane = await Lane.open([T, "insert into t values (1, ''), (2, '')", "create table heavy(id int) engine=InnoDB"]);
    const mark = await lane.adapter.mark();
    await lane.connection.query("update t set v = 'here' where id = 1");
    // The other has written more, so that this one is the victim.
    const other = lane.apart(
      "begin; insert into heavy select seq from seq_1_to_2000; update t set v = 'there' where id = 2; select sleep(0.3); update t set v = 'there' where id = 1; rollback",
    );
    const held = (): Promise<boolean> =>
      lane.apart("select 1 from t where id = 2 for update nowait").then(
        () => false,
        () => true,
      );
    while (!(await held())) await new Promise((resolve) => setTimeout(resolve, 10));
    await expect(lane.connection.query("update t set v = 'here' where id = 2")).rejects.toMatchObject({ errno: 1213 });
    await other;
    await expect(lane.connection.query("update t set v = 'alone' where id = 2")).rejects.toMatchObject({ code: "SAVEPOINT_LOST" });
    await expect(lane.adapter.restore(mark)).rejects.toMatchObject({ code: "SAVEPOINT_LOST" });
    await lane.adapter.close();
    expect(await lane.apart("select v from t")).toEqual([{ v: "" }, { v: "" }]);
  }, 20_000);
});

test("a connection that is killed is a lost store, and nothing was kept", async () => {
  const lane = await Lane.open([T]);
  const mark = await lane.adapter.mark();
  await lane.connection.query("insert into t(v) values ('x')");
  await lane.apart(`kill ${lane.connection.threadId}`);
  await expect(lane.connection.query("insert into t(v) values ('y')")).rejects.toThrow();
  await expect(lane.adapter.restore(mark)).rejects.toMatchObject({ code: "STORE_LOST" });
  await lane.adapter.close();
  expect(await lane.apart("select count(*) as n from t")).toEqual([{ n: 0 }]);
});

test("in place, changes after the end of the lease are not taken for none", async () => {
  const lane = await Lane.open([T], { borrowed: true });
  const mark = await lane.adapter.mark();
  await lane.connection.query("insert into t(v) values ('seen')");
  expect(await lane.adapter.changed(mark)).toBe(true);
  await lane.apart(`kill ${await lane.apartValue(`select is_used_lock('${leaseLock(lane.database)}')`)}`);
  await lane.connection.query("insert into t(v) values ('unseen')");
  await expect(lane.adapter.changed(mark)).rejects.toMatchObject({ code: "STORE_LOST" });
  await lane.adapter.close().catch(() => undefined);
  expect(await lane.apart("select count(*) as n from t")).toEqual([{ n: 0 }]);
});

describe("tables without transactions", () => {
  const STATEMENTS = [T, "create table notes(id int) engine=MyISAM", "create table logs(id int) engine=Aria"];

  test("are refused by name, when savepoint is asked for", async () => {
    const adapter = new MysqlAdapter({ url: await databaseUrl(await newDatabase(STATEMENTS)), checkpoint: "savepoint" });
    await adapter.connection.query("select 1");
    await expect(adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false })).rejects.toMatchObject({
      code: "SAVEPOINT_HINDERED",
      message: expect.stringMatching(/"logs" has the engine Aria/),
    });
    await adapter.close();
  });

  test("are put back by copy with auto, on the lent connection", async () => {
    const adapter = new MysqlAdapter({ url: await databaseUrl(await newDatabase(STATEMENTS)) });
    const { connection } = adapter;
    await connection.query("select 1");
    await adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false });
    expect(adapter.checkpoint).toMatchObject({ mode: "copy", why: expect.stringContaining('"logs" has the engine Aria') });
    await adapter.root();
    const mark = await adapter.mark();
    await connection.query("insert into notes values (1)");
    await connection.query("truncate t");
    await adapter.restore(mark);
    expect((await connection.query("select * from notes"))[0]).toEqual([]);
    await adapter.close();
    await expect(connection.query("select 1")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  });

  test("of another database are noticed when they stay as they are", async () => {
    const other = await newDatabase(["create table logs(id int) engine=MyISAM"]);
    const lane = await Lane.open([T]);
    const mark = await lane.adapter.mark();
    await lane.connection.query(`insert into ${other}.logs values (1)`);
    await expect(lane.adapter.restore(mark)).rejects.toMatchObject({
      code: "SAVEPOINT_LOST",
      message: expect.stringContaining("another database"),
    });
    await lane.adapter.close();
  });
});

describe("temporary tables", () => {
  test("go with the branch that made them", () =>
    within([T], async ({ adapter, connection }) => {
      const mark = await adapter.mark();
      for (let i = 0; i < 2; i++) {
        await connection.query("create temporary table `some thing`(n int) engine=MEMORY");
        await connection.query("insert into `some thing` values (1)");
        await adapter.restore(mark);
        await expect(connection.query("select * from `some thing`")).rejects.toMatchObject({ errno: 1146 });
      }
    }));

  test("that stand at a mark are put back with their rows, and cannot be dropped below it", () =>
    within([T], async ({ adapter, connection }) => {
      await connection.query("create temporary table kept(n int) engine=InnoDB");
      const mark = await adapter.mark();
      await connection.query("insert into kept values (1)");
      await expect(connection.query("drop temporary table kept")).rejects.toMatchObject({ code: "STATEMENT_REFUSED" });
      await adapter.restore(mark);
      expect((await connection.query("select * from kept"))[0]).toEqual([]);
    }));

  test("that stand at a mark and know no transactions are refused by name", () =>
    within([T], async ({ adapter, connection }) => {
      await connection.query("create temporary table kept(n int) engine=MEMORY");
      await expect(adapter.mark()).rejects.toMatchObject({ code: "SAVEPOINT_HINDERED", message: expect.stringContaining("kept") });
    }));
});

test("what a query of ours does by a function is undone, and what the target has set does not change what is seen", () =>
  within(
    [
      T,
      "insert into t values (1, 'one'), (2, 'two')",
      "create function adds() returns int begin insert into t(v) values ('by us'); return 1; end",
    ],
    async ({ adapter, connection }) => {
      const dump = await adapter.dump();
      expect(await adapter.query("select adds() as n")).toEqual([{ n: 1 }]);
      await expect(adapter.query("delete from t")).rejects.toMatchObject({ code: "QUERY_WRITES" });
      expect(await adapter.dump()).toBe(dump);
      await connection.query("set sql_select_limit = 1");
      await connection.query("set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', names latin1");
      await connection.query("update t set v = 'x'");
      expect(await adapter.observe()).toMatchObject({ tables: [{ name: "t", added: [[1, "x"], [2, "x"]] }] }); // prettier-ignore
    },
  ));

test("AUTO_INCREMENT goes on, as with the journal, and is no part of what is observed", () =>
  within([T], async ({ adapter, connection }) => {
    const mark = await adapter.mark();
    for (const id of [1, 2, 3]) {
      const [made] = await connection.query<ResultSetHeader>("insert into t(v) values ('x')");
      expect(made.insertId).toBe(id);
      expect(await adapter.observe()).toMatchObject({ counters: {}, tables: [{ columns: [{ name: "id", key: true }, { name: "v" }] }] });
      await adapter.restore(mark);
    }
  }));

test("thousands of put-backs, beyond the one that begins the transaction anew, leave marks and rows as they were", () =>
  within([T, "insert into t(v) select 'x' from seq_1_to_10"], async (lane) => {
    const { adapter, connection } = lane;
    const root = await adapter.mark();
    const cycles = size(2050, 50_000);
    for (let cycle = 1; cycle <= cycles; cycle++) {
      await connection.query("insert into t(v) values (repeat('y', 400))");
      await connection.query("update t set v = concat(v, '.') where id < 5");
      await adapter.restore(root);
    }
    expect(await lane.values("select count(*) from t")).toEqual([10]);
    expect(await adapter.changed(root)).toBe(false);
  }), 600_000); // prettier-ignore

describe("a borrowed store", () => {
  test("ends as it began, setup included, with nothing of ours in it", async () => {
    const lane = await Lane.open(
      [T, "insert into t values (1, 'one')", "create trigger own before insert on t for each row set new.v = concat(new.v, '!')"],
      {
        borrowed: true,
      },
    );
    await lane.connection.query("insert into t(v) values ('setup')");
    await lane.adapter.root();
    await lane.connection.query("insert into t(v) values ('x')");
    await lane.adapter.close();
    expect(await lane.apart("select * from t")).toEqual([{ id: 1, v: "one" }]);
    expect(await lane.apart("show tables")).toHaveLength(1);
    expect(await lane.apart("show triggers")).toHaveLength(1);
  });

  test("ends as it began also when the target has committed behind our back", async () => {
    const lane = await Lane.open(
      [T, "insert into t values (1, 'one')", "create procedure ends() begin update t set v = 'gone'; commit; end"],
      {
        borrowed: true,
      },
    );
    await lane.connection.query("insert into t(v) values ('x')");
    await lane.connection.query("call ends()").catch(() => undefined);
    await lane.adapter.close();
    expect(await lane.apart("select * from t")).toEqual([{ id: 1, v: "one" }]);
    expect(await lane.apart("show tables")).toHaveLength(1);
  });
});

test("a target outside of this process cannot have it", async () => {
  const adapter = new MysqlAdapter({ url: await databaseUrl(await newDatabase([T])), checkpoint: "savepoint" });
  await expect(adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false })).rejects.toMatchObject({
    code: "SAVEPOINT_OUT_OF_PROCESS",
  });
  const journal = new MysqlAdapter({ url: await databaseUrl(await newDatabase([T])), checkpoint: "journal" });
  expect(() => journal.connection).toThrow(/has no shared connection/);
});
