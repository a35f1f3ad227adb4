import { describe, expect, test } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { readCatalog } from "../../../../src/adapters/mysql/schema/catalog.ts";
import { Control } from "../../../../src/adapters/mysql/connect/control.ts";
import { JournalMode } from "../../../../src/adapters/mysql/journal/journal-mode.ts";
import { storeUrl } from "../../../../src/adapters/mysql/connect/store-url.ts";
import type { ObservedTable, StoreScope } from "../../../../src/model/stores/store-adapter.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const LANE: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

interface Opened {
  readonly system: MysqlAdapter;
  readonly database: string;
  run(sql: string): Promise<unknown>;
}

async function opened(statements: readonly string[], work: (opened: Opened) => Promise<void>, checkpoint?: "copy"): Promise<void> {
  const database = await newDatabase(statements);
  const system = new MysqlAdapter({ url: await databaseUrl(database), ...(checkpoint === undefined ? {} : { checkpoint }) });
  await system.open(LANE);
  try {
    await system.root();
    await work({ system, database, run: (sql) => admin((connection) => connection.query(sql), database) });
  } finally {
    await system.close();
  }
}

test("a database with a sequence is refused, and the message names the store instead of the copy", async () => {
  const database = await newDatabase(["create sequence ticket_seq"]);
  await expect(new MysqlAdapter({ url: await databaseUrl(database) }).open(LANE)).rejects.toMatchObject({
    code: "STORE_NOT_SUPPORTED",
    message: 'seqqa cannot restore the store db: "ticket_seq" is a sequence.',
    hint: expect.not.stringContaining("target.rollback") as string,
  });
});

/** What statements do is put back exactly, and was seen. */
async function putsBack({ system, run }: Opened, ...statements: readonly string[]): Promise<void> {
  for (const sql of statements) {
    const [mark, dump] = [await system.mark(), await system.dump()];
    await run(sql);
    expect(await system.dump(), sql).not.toBe(dump);
    expect(await system.changed(mark), sql).toBe(true);
    await system.restore(mark);
    expect(await system.dump(), sql).toBe(dump);
  }
}

test.each(["journal", "copy"] as const)("the members of a SET with 64 members, by %s", (checkpoint) => {
  const members = Array.from({ length: 64 }, (_, i) => `m${i + 1}`);
  const set = (...of: number[]): string => `'${of.map((one) => `m${one}`).join()}'`;
  return opened(
    [
      `create table t(id int primary key, s set('${members.join("','")}'))`,
      `insert into t values (1, ${set(1, 2, 51, 54)}), (2, ${set(64)}), (3, ${set(...members.map((_, i) => i + 1))}), (4, ${set(1, 63, 64)}), (5, ''), (6, null)`,
      `create table k(s set('${members.join("','")}') primary key)`,
      `insert into k values (${set(64)}), (${set(64, 1)}), (${set(64, 2)}), (${set(53)})`,
    ],
    async (one) => {
      await putsBack(
        one,
        `update t set s = ${set(1, 64)} where id = 4`,
        `update t set s = ${set(64, 2)} where id = 2`,
        "update t set s = ''",
        "delete from t",
        `delete from k where s = ${set(1, 64)}`,
        `update k set s = ${set(3, 64)} where s = ${set(2, 64)}`,
      );
      // The values of a state are exact.
      await one.run(`update t set s = ${set(2, 51, 54)} where id = 1`);
      expect(
        JSON.stringify(await one.system.observe(), (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
      ).toContain("m2,m51,m54");
    },
    checkpoint === "copy" ? "copy" : undefined,
  );
});

test.each(["journal", "copy"] as const)("MariaDB keeps the text of JSON, so a state contains it exactly, by %s", (checkpoint) =>
  opened(
    ["create table t(id int primary key, j json)", `insert into t values (1, '{"a":1}')`],
    async (one) => {
      const texts = ['{"a": 1}', ' {"a":1}', '{"a":2,"a":1}', '{"a":0}', '{"a":-0}', '{"a":"\\u0062"}', '{"a":"b"}', '"a"', ' "a"'];
      await putsBack(one, ...texts.map((text) => `update t set j = '${text.replace("\\", "\\\\")}'`));
      const seen = new Set<unknown>();
      for (const text of texts) {
        await one.run(`update t set j = '${text.replace("\\", "\\\\")}'`);
        expect(await one.system.observe()).toMatchObject({ tables: [{ added: [[1, text]], removed: [[1, '{"a":1}']] }] });
        seen.add(text);
      }
      expect(seen.size).toBe(texts.length);
    },
    checkpoint === "copy" ? "copy" : undefined,
  ),
);

describe("foreign-key actions, which fire no triggers", () => {
  test("three levels, a diamond, composite keys, SET NULL", () =>
    opened(
      [
        "create table a(id int primary key)",
        "create table b(a int, n int, primary key (a, n), foreign key (a) references a(id) on delete cascade on update cascade)",
        "create table c(a int, n int, owner int, foreign key (a, n) references b(a, n) on delete cascade on update cascade, foreign key (owner) references a(id) on delete set null on update cascade)",
        "insert into a values (1), (2)",
        "insert into b values (1, 1), (1, 2), (2, 1)",
        "insert into c values (1, 1, 1), (1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 1, null)",
      ],
      (one) =>
        putsBack(
          one,
          "delete from a where id = 1",
          "update a set id = id + 10",
          "delete from a",
          "update b set n = n + 5 where a = 1",
          "delete from b",
        ),
    ));

  test("a table that refers to itself, to any depth", () =>
    opened(
      [
        "create table t(id int primary key, up int, foreign key (up) references t(id) on delete cascade)",
        "create table v(t int, foreign key (t) references t(id) on delete cascade)",
        "insert into t values (1, null), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5)",
        "set foreign_key_checks = 0; insert into t values (9, 9), (10, 11), (11, 10); set foreign_key_checks = 1",
        "insert into v select id from t",
      ],
      (one) => putsBack(one, "delete from t where id = 1", "delete from t where id = 9", "delete from t where id = 10", "delete from t"),
    ));

  test("none where the session has switched foreign keys off", () =>
    opened(
      [
        "create table a(id int primary key)",
        "create table b(a int, foreign key (a) references a(id) on delete cascade)",
        "insert into a values (1)",
        "insert into b values (1)",
      ],
      (one) => putsBack(one, "set foreign_key_checks = 0; delete from a"),
    ));

  test("what IGNORE could not change was not changed", () =>
    opened(
      [
        "create table a(id int primary key, u int unique)",
        "create table b(a int, foreign key (a) references a(id) on delete cascade on update cascade)",
        "create table stop(a int, foreign key (a) references a(id))",
        "create table keyless(u int unique, v int)",
        "insert into a values (1, 1), (2, 2), (3, 3)",
        "insert into b values (1), (2), (3)",
        "insert into stop values (2)",
        "insert into keyless values (1, 1), (2, 2), (null, 1), (null, 1)",
      ],
      (one) =>
        putsBack(
          one,
          "delete ignore from a",
          "update ignore a set id = id + 1",
          "update ignore a set u = 3 where id > 1; update a set u = 7 where id = 1",
          "update ignore keyless set u = 2; delete from keyless limit 1",
        ),
    ));

  test("a circle of deletes over two tables is left to copy, which says why", () =>
    opened(
      [
        "create table a(id int primary key, b int)",
        "create table b(id int primary key, a int, foreign key (a) references a(id) on delete cascade)",
        "alter table a add foreign key (b) references b(id) on delete cascade",
        "insert into a values (1, null); insert into b values (1, 1); update a set b = 1",
      ],
      async (one) => {
        expect(one.system.checkpoint).toMatchObject({ mode: "copy" });
        expect(one.system.checkpoint.why).toContain("cycle");
        await putsBack(one, "delete from a");
      },
    ));
});

describe("what commits implicitly and fires no triggers", () => {
  test.each(["truncate t", "alter table t add column b int", "create table u(id int)", "drop table t"])("the journal refuses: %s", (sql) =>
    opened(["create table t(id int primary key)", "insert into t values (1)"], async ({ system, run }) => {
      const mark = await system.mark();
      await run(sql);
      const error = await system.changed(mark).catch((one: unknown) => one);
      expect(error).toMatchObject({ code: "SCHEMA_CHANGED" });
      expect((error as { hint: string }).hint).toContain("checkpoint: copy");
      await expect(system.restore(mark)).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
    }),
  );

  test("copy puts it back, with AUTO_INCREMENT", () =>
    opened(
      [
        "create table t(id int auto_increment primary key, v int)",
        "create table m(id int) engine=MyISAM",
        "create trigger g after delete on t for each row insert into m values (old.id)",
        "create view w as select id from t",
        "insert into t(v) values (1), (2), (3)",
        "delete from t where id = 3",
      ],
      (one) =>
        putsBack(
          one,
          "truncate t",
          "alter table t add column b int default 5",
          "create table u(id int); insert into u values (1)",
          "drop table t",
          "drop trigger g",
          "drop view w; create view w as select v from t",
          "insert into t(v) values (9); delete from t where v = 9",
          "insert into m values (1); delete from t where id = 1",
        ),
      "copy",
    ));

  test("copy observes the schema", () =>
    opened(
      ["create table items(id int primary key auto_increment, sku text)"],
      async ({ system, run }) => {
        await run("insert into items(sku) values ('a')");
        expect(await system.observe()).toMatchObject({ tables: [{ name: "items" }] });
        await run("alter table items add column note text");
        const { tables } = (await system.observe()) as { tables: readonly ObservedTable[] };
        expect(tables[0]).toMatchObject({
          name: "(schema)",
          added: [[expect.stringContaining("`note`")]],
          removed: [[expect.stringContaining("items")]],
        });
      },
      "copy",
    ));

  test("copy puts back events, in their own time zone and mode", () =>
    opened(
      [
        "create table t(id int)",
        `set time_zone = '+05:00'; set sql_mode = 'ANSI_QUOTES'; create event kept on schedule every 1 year starts '2036-01-01 00:00:00' do insert into "t" values (1); set sql_mode = default; set time_zone = default`,
      ],
      (one) =>
        putsBack(
          one,
          "create event fresh on schedule every 1 year do insert into t values (1)",
          "alter event kept disable",
          "alter event kept on schedule every 2 year starts '2037-01-01 00:00:00'",
          "drop event kept",
        ),
      "copy",
    ));
});

test("tables without transactions are left to copy", () =>
  opened(["create table t(id int) engine=MyISAM", "insert into t values (1)"], async (one) => {
    expect(one.system.checkpoint.why).toContain("MyISAM");
    await putsBack(one, "delete from t", "insert into t values (2)");
  }));

test("the user's triggers fire for the target and not when rows are put back", () =>
  opened(
    [
      "create table t(id int primary key, v varchar(9))",
      "create table l(what varchar(20))",
      `create trigger b before insert on t for each row begin set new.v = concat(new.v, '!'); end`,
      "create trigger x after insert on t for each row insert into l values ('in') -- a comment",
      "create trigger y after delete on t for each row insert into l values ('out')",
      "insert into t values (1, 'a')",
    ],
    async (one) => {
      await putsBack(one, "insert into t values (2, 'b')", "delete from t", "replace into t values (1, 'c')");
      await one.run("insert into t values (3, 'c')");
      const rows = await one.system.query("select v, (select count(*) from l) as n from t where id = ?", [3]);
      expect(rows).toEqual([{ v: "c!", n: 2 }]);
    },
  ));

test("a query whose session is ended meanwhile is asked once more", () =>
  opened(["create table t(id int primary key)", "insert into t values (7)"], async ({ system, database }) => {
    const lock = `${database} lock`;
    await admin(async (connection) => {
      await connection.query("select get_lock(?, 10)", [lock]);
      const looks = async (): Promise<readonly { readonly id: number }[]> =>
        (
          await connection.query(
            "select id from information_schema.processlist where info like '%from t as looked%' and id <> connection_id()",
          )
        )[0] as never;
      // Twice: then somebody means it.
      for (const [kills, ends] of [
        [1, [{ id: 7, got: 1 }]],
        [2, "STORE_LOST"],
      ] as const) {
        const answer = system
          .query("select id, get_lock(?, 30) as got from t as looked", [lock])
          .catch(({ code }: { code: string }) => code);
        const killed = new Set<number>();
        while (killed.size < kills) {
          for (const { id } of await looks()) {
            if (!killed.has(id)) await connection.query(`kill ${id}`);
            killed.add(id);
          }
        }
        await connection.query("do release_lock(?)", [lock]);
        expect(await answer).toEqual(ends);
        await system.query("select release_lock(?)", [lock]);
        await connection.query("select get_lock(?, 10)", [lock]);
      }
    });
  }));

test("an open transaction is waited for, with a limit", () =>
  opened(["create table t(id int primary key)"], async ({ system, database }) => {
    const mark = await system.mark();
    await admin(async (connection) => {
      await connection.query("begin");
      await connection.query("insert into t values (1)");
      setTimeout(() => void connection.query("commit"), 200);
      // Not seen before it is committed, and not missed after.
      expect(await system.changed(mark)).toBe(false);
      await system.mark();
      expect(await system.changed(mark)).toBe(true);
    }, database);
    await system.restore(mark);
    expect(await system.query("select * from t")).toEqual([]);
  }));

test("one that stays open is told after the limit", async () => {
  const database = await newDatabase(["create table t(id int primary key)"]);
  const control = await Control.open(storeUrl(await databaseUrl(database)));
  const mode = await JournalMode.open(control, await readCatalog(control), { selection: () => true, borrowed: false, limitMs: 100 });
  await mode.root();
  const mark = await mode.mark();
  await admin(async (connection) => {
    await connection.query("begin; insert into t values (1)");
    await expect(mode.mark()).rejects.toMatchObject({ code: "STORE_BUSY" });
    await expect(mode.restore(mark)).rejects.toMatchObject({ code: "STORE_BUSY" });
    await connection.query("commit");
  }, database);
  await mode.restore(mark);
  expect(await mode.changed(mark)).toBe(false);
  await mode.close(false);
});

test.each([
  ["one table", ["insert into t values (2, 0)"], "delete from t where id = 2"],
  ["two tables, the first of them", ["insert into t values (2, 0)", "insert into u values (2)"], "delete from t where id = 2"],
  ["two tables, the last of them", ["insert into t values (2, 0)", "insert into u values (2)"], "delete from u where id = 2"],
  ["a row that is another one now", ["update t set a = 1"], "update t set a = 2"],
])("a row that was changed behind the triggers' back is never overwritten in silence: %s", (_, branch, behind) =>
  opened(
    ["create table t(id int primary key, a int)", "create table u(id int primary key)", "insert into t values (1, 0)"],
    async (one) => {
      const mark = await one.system.mark();
      for (const sql of branch) await one.run(sql);
      await one.run(`set @seqqa_off = 1; ${behind}`);
      const dump = await one.system.dump();
      await expect(one.system.restore(mark)).rejects.toMatchObject({ code: "JOURNAL_INCOHERENT" });
      expect(await one.system.dump()).toBe(dump);
    },
  ),
);

test("what a statement answers is the same with the triggers", () =>
  opened(
    ["create table t(id int auto_increment primary key, v int)", "create table p(id int primary key)", "insert into t(v) values (1), (1)"],
    async ({ database }) => {
      await admin(async (connection) => {
        const facts = async (sql: string): Promise<unknown> => {
          const [result] = (await connection.query(sql)) as unknown as [
            { affectedRows: number; insertId: number; changedRows: number; warningStatus: number },
          ];
          const [[last]] = (await connection.query("select last_insert_id() as id")) as unknown as [[{ id: number }]];
          return [result.affectedRows, result.insertId, result.changedRows, result.warningStatus, last.id];
        };
        expect(await facts("insert into t(v) values (5)")).toEqual([1, 3, 0, 0, 3]);
        expect(await facts("insert into p values (7)")).toEqual([1, 0, 0, 0, 3]);
        expect(await facts("update t set v = 1")).toEqual([3, 0, 1, 0, 3]);
        expect(await facts("insert into t values (1, 9) on duplicate key update v = 9")).toEqual([2, 1, 0, 0, 3]);
        expect(await facts("delete from t where v = 1")).toEqual([2, 0, 0, 0, 3]);
      }, database);
    },
  ));

test("query only reads", () =>
  opened(
    ["create table t(id int primary key)", "create function f() returns int begin insert into t values (1); return 1; end"],
    async ({ system }) => {
      await expect(system.query("insert into t values (1)")).rejects.toMatchObject({ code: "QUERY_WRITES" });
      await expect(system.query("/*! insert into t values (1) */")).rejects.toMatchObject({ code: "QUERY_WRITES" });
      await expect(system.query("select f()")).rejects.toMatchObject({ code: "QUERY_WRITES" });
      await expect(system.query("select 1; delete from t")).rejects.toMatchObject({ code: "QUERY_FAILED" });
      expect(await system.query("select count(*) as n from t")).toEqual([{ n: 0 }]);
    },
  ));

test("values are observed typed and without loss", () =>
  opened(
    [
      "create table t(id bigint unsigned primary key, d decimal(10,2), b varbinary(9), dt datetime(6), ts timestamp(3) null, e enum('x','y'), j json, bi bit(8), f double, n varchar(9), g int as (f + 1))",
      "create table c(id int primary key, t bigint unsigned, foreign key (t) references t(id))",
    ],
    async ({ system, run }) => {
      await run(
        `set time_zone = '+05:00'; insert into t values (18446744073709551615, 1.5, x'00ff', '2024-01-02 03:04:05.678901', '2024-01-02 05:00:00.5', 'y', '{"b":1, "a":2}', 5, 0.1, 'ü', default); insert into c values (1, 18446744073709551615)`,
      );
      const observed = await system.observe();
      expect(observed).toEqual({
        kind: "rows",
        counters: {},
        tables: [
          {
            name: "c",
            columns: [
              { name: "id", key: true },
              { name: "t", references: { table: "t", column: "id" } },
            ],
            added: [[1, 18446744073709551615n]],
            removed: [],
          },
          {
            name: "t",
            columns: [{ name: "id", key: true }, ...["d", "b", "dt", "ts", "e", "j", "bi", "f", "n"].map((name) => ({ name }))],
            added: [
              [
                18446744073709551615n,
                "1.50",
                new Uint8Array([0, 255]),
                "2024-01-02T03:04:05.678901",
                "2024-01-02T00:00:00.500Z",
                "y",
                '{"b":1, "a":2}',
                5,
                0.1,
                "ü",
              ],
            ],
            removed: [],
          },
        ],
      });
    },
  ));
