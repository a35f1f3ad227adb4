import { afterAll, describe, expect, test, vi } from "vitest";
import { Control } from "../../../../src/adapters/mysql/connect/control.ts";
import { storeUrl } from "../../../../src/adapters/mysql/connect/store-url.ts";
import { MysqlAdapter, stores } from "../../../../src/adapters/mysql/index.ts";
import { JournalMode } from "../../../../src/adapters/mysql/journal/journal-mode.ts";
import { readCatalog } from "../../../../src/adapters/mysql/schema/catalog.ts";
import { some } from "../../../sizes.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const LANE = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

/** DDL that leaves a table its id and its number of columns. */
describe("a schema that is altered in place while exploring", () => {
  const statements = [
    "alter table t modify v varchar(30)",
    "create trigger t after delete on t for each row insert into u values (old.id)",
    "create or replace view t2 as select 2 as two",
    "drop trigger seqqa_journal_0_ai",
    "create index i on t(v)",
    "alter table t change v w varchar(20)",
    "alter table t alter column v set default 'x'",
    "drop view t2",
    "create procedure t() select 1",
  ];
  test.each(some(statements, 4))("%s: is noticed, by name", async (sql) => {
    const database = await newDatabase([
      "create table t(id int auto_increment primary key, v varchar(20))",
      "create table u(id int)",
      "create view t2 as select 1 as one",
    ]);
    const system = new MysqlAdapter({ url: await databaseUrl(database) });
    const run = (text: string): Promise<unknown> => admin((connection) => connection.query(text), database);
    await system.open(LANE);
    try {
      await system.root();
      // What only moves AUTO_INCREMENT is no change.
      await run("insert into t(v) values ('x')");
      await new Promise((resolve) => setTimeout(resolve, 100));
      await system.mark();
      await run(sql);
      await vi.waitFor(
        () =>
          expect(system.mark()).rejects.toMatchObject({
            code: "SCHEMA_CHANGED",
            message: expect.stringMatching(/"(?:t2?|seqqa_journal_0_ai)"/),
          }),
        {
          timeout: 30_000,
          interval: 20,
        },
      );
    } finally {
      await system.close();
    }
  });
});

/** As most applications are granted: everything on their own database, and nothing on the server. */
describe("a database user without the PROCESS privilege", () => {
  const users: string[] = [];
  afterAll(async () => {
    for (const name of users) await admin((connection) => connection.query(`drop user ${name}@'%'`));
  });

  async function asApp(): Promise<{ readonly app: string; readonly url: string; run(sql: string): Promise<unknown> }> {
    const database = await newDatabase([
      "create table t(id char(9) primary key, n int)",
      "create table u(id int auto_increment primary key, t char(9), foreign key (t) references t(id) on delete cascade)",
      "create table bag(n int)",
      "insert into t values ('a', 1), ('b', 2)",
      "insert into u(t) values ('a'), ('a'), ('b')",
      "insert into bag values (1), (1)",
    ]);
    const name = `seqqa_${Math.random().toString(36).slice(2, 12)}`;
    await admin((connection) =>
      connection.query(`create user ${name}@'%' identified by 'x'; grant all on \`${database}\`.* to ${name}@'%'`),
    );
    users.push(name);
    const app = new URL(await databaseUrl(database));
    [app.username, app.password] = [name, "x"];
    return { app: app.href, url: await databaseUrl(database), run: (sql) => admin((connection) => connection.query(sql), database) };
  }

  test.each(some(["truncate bag", "truncate u", "set foreign_key_checks = 0; truncate t; insert into t values ('c', 3)"], 3))(
    "%s: is noticed, by name",
    async (sql) => {
      const { app, run } = await asApp();
      const system = new MysqlAdapter({ url: app, checkpoint: "journal" });
      await system.open(LANE);
      try {
        await system.root();
        const mark = await system.mark();
        await run("insert into bag values (1), (2); delete from t where id = 'a'; update t set n = n + 1");
        await system.restore(mark);
        await run(sql);
        await vi.waitFor(
          () =>
            expect(system.mark()).rejects.toMatchObject({ code: "SCHEMA_CHANGED", message: expect.stringMatching(/^Table "(?:bag|u|t)"/) }),
          { timeout: 10_000, interval: 20 },
        );
      } finally {
        await system.close();
      }
    },
  );

  test("writes that triggers log are no change of the schema", async () => {
    const { app, run } = await asApp();
    const first = new MysqlAdapter({ url: app, checkpoint: "journal" });
    await first.open(LANE);
    await run("insert into bag values (7)");
    await first.root();
    const mark = await first.mark();
    const writes = [
      "delete from t where id = 'a'",
      "insert into bag values (1), (2)",
      "delete from bag limit 1",
      "replace into t values ('b', 5)",
    ];
    for (let i = 0; i < 20; i++) {
      for (const sql of writes) {
        await run(sql);
        await first.mark();
      }
      await first.restore(mark);
    }
    expect(await first.query("select count(*) as n from u")).toEqual([{ n: 3 }]);
    await first.close();
  });

  test("in place, `clean` of a user that has the privilege reports no change if there was none, and a TRUNCATE", async () => {
    for (const sql of ["delete from t where id = 'b'", "truncate u"]) {
      const { app, url, run } = await asApp();
      const control = await Control.open(storeUrl(app));
      const mode = await JournalMode.open(control, await readCatalog(control), {
        selection: () => true,
        borrowed: true,
        asked: () => undefined,
      });
      await mode.root();
      await run(sql);
      if (!sql.startsWith("truncate")) await mode.mark();
      await control.close();
      const { failures = [], leftover } = await vi.waitFor(() => stores.clean(url), 10_000);
      if (sql.startsWith("truncate"))
        expect(failures).toMatchObject([{ message: expect.stringMatching(/^Table "u" of .* was truncated/) }]);
      else expect({ failures, undone: leftover?.undo.length }).toEqual({ failures: [], undone: 2 });
    }
  });

  test("in place, the close says which table was truncated", async () => {
    const { app, run } = await asApp();
    const system = new MysqlAdapter({ url: app, checkpoint: "journal" });
    await system.open({ ...LANE, borrowed: true });
    await run("truncate bag; insert into bag values (9); delete from t where id = 'b'");
    await expect(system.close()).rejects.toMatchObject({
      code: "STORE_NOT_PUT_BACK",
      message: expect.stringMatching(/^Table "bag" of .* was truncated/),
    });
    const [rows] = (await run("select (select count(*) from bag) as bag, (select count(*) from t) as t")) as [unknown];
    expect(rows).toEqual([{ bag: 0, t: 2 }]);
    const again = new MysqlAdapter({ url: app, checkpoint: "journal" });
    await again.open({ ...LANE, borrowed: true });
    await run("delete from t where id = 'b'; insert into bag values (1)");
    await again.close();
    expect((await run("show tables like 'seqqa%'")) as [unknown]).toMatchObject([[], {}]);
  });
});
