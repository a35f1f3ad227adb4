import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { blind } from "../../../../src/adapters/sqlite/journal/blind.ts";
import { CopyMode } from "../../../../src/adapters/sqlite/copy/copy-mode.ts";
import { stores } from "../../../../src/adapters/sqlite/index.ts";
import { JournalMode } from "../../../../src/adapters/sqlite/journal/journal-mode.ts";
import { planTables, type TablePlan } from "../../../../src/adapters/sqlite/journal/table-plan.ts";
import { tableTriggers } from "../../../../src/adapters/sqlite/journal/triggers.ts";
import { isPromise } from "../../../../src/model/stores/store-adapter.ts";
import { api, openAdapter, rooted, scratchFile } from "../../../support/sqlite-scratch.ts";

const ORDERS = "create table orders(id integer primary key autoincrement, status text)";
const names = (db: Database.Database): unknown[] => db.prepare("select name from sqlite_schema where name like 'seqqa%'").pluck().all();

describe("1. a backup into a locked file does nothing", () => {
  test("is an error, and the file is put back once it is free", async () => {
    const file = scratchFile();
    const db = api(file, ORDERS, "insert into orders(status) values('new')");
    const mode = new CopyMode(new Database(file, { timeout: 1 }), file, undefined, { limitMs: 60 });
    await mode.root();
    const mark = await mode.mark();
    db.exec("update orders set status = 'paid'");
    await mode.observe();
    db.exec("begin immediate; update orders set status = 'open'");
    await expect((async () => mode.write(new Uint8Array((mark as { bytes: Buffer }).bytes)))()).rejects.toMatchObject({
      code: "STORE_BUSY",
    });
    await expect((async () => mode.restore(mark))()).rejects.toMatchObject({ code: "STORE_BUSY" });
    // The lock goes while the backup is being tried: it has to be tried again.
    setTimeout(() => db.exec("commit"), 30);
    await mode.write(new Uint8Array((mark as { bytes: Buffer }).bytes));
    expect(db.prepare("select status from orders").pluck().get()).toBe("new");
    expect(await mode.changed(mark)).toBe(false);
    mode.close();
  });
});

describe("2. REPLACE fires no delete trigger", () => {
  const cases: Record<string, { readonly schema: readonly string[]; readonly write: readonly string[] }> = {
    "the rowid": {
      schema: ["create table t(id integer primary key, a)", "insert into t values(1, 'x')"],
      write: ["replace into t values(1, 'y')"],
    },
    "a unique column": {
      schema: ["create table t(id integer primary key, a unique)", "insert into t values(1, 'x')"],
      write: ["replace into t(a) values('x')"],
    },
    "a unique column, by an update": {
      schema: ["create table t(id integer primary key, a unique)", "insert into t values(1, 'x'), (2, 'y')"],
      write: ["update or replace t set a = 'x' where id = 2"],
    },
    "the rowid, by an update": {
      schema: ["create table t(v)", "insert into t values('x'), ('y')"],
      write: ["update or replace t set _rowid_ = 1 where oid = 2"],
    },
    "an expression index": {
      schema: [
        "create table t(id integer primary key, e text)",
        "create unique index i on t(lower(e) /* any case, */, 1)",
        "insert into t values(1, 'A@X')",
      ],
      write: ["replace into t(e) values('a@x')"],
    },
    "an expression index over a column that is called like a type": {
      schema: [
        'create table t(id integer primary key, "text")',
        'create unique index i on t(cast("text" as text))',
        "insert into t values(1, 12)",
      ],
      write: ["replace into t(text) values('12')"],
    },
    "a partial index": {
      schema: [
        "create table t(id integer primary key, e, live)",
        "create unique index i on t(e) where live = 1",
        "insert into t values(1, 'a', 1), (2, 'a', 0)",
      ],
      write: ["replace into t(e, live) values('a', 1)", "update or replace t set live = 1 where id = 2"],
    },
    "a partial index, by an update of its condition": {
      schema: [
        "create table t(id integer primary key, e, live)",
        "create unique index i on t(e) where live = 1",
        "insert into t values(1, 'a', 1), (2, 'a', 0)",
      ],
      write: ["update or replace t set live = 1 where id = 2"],
    },
    "a differently collated index": {
      schema: [
        "create table t(id integer primary key, n text)",
        "create unique index i on t(n collate nocase desc)",
        "insert into t values(1, 'Ann')",
      ],
      write: ["replace into t(n) values('ANN')"],
    },
    "an index on a generated column": {
      schema: ["create table t(id integer primary key, w, a as (w * w) unique)", "insert into t(w) values(2), (3)"],
      write: ["replace into t(w) values(-2)"],
    },
    "an index on a generated column, by an update": {
      schema: ["create table t(id integer primary key, w, a as (w * w) stored unique)", "insert into t(w) values(2), (3)"],
      write: ["update or replace t set w = -2 where id = 2"],
    },
    "a partial index on a generated column whose source is not updated": {
      schema: [
        "create table t(id integer primary key, w, h, label as ('box ' || w))",
        "create unique index i on t(label) where h > 5",
        "insert into t(w, h) values(2, 9), (2, 1)",
      ],
      write: ["update or replace t set h = 8 where id = 2"],
    },
    "a default in place of NULL": {
      schema: ["create table t(id integer primary key, p text not null default ('x' || 'y') unique)", "insert into t values(1, 'xy')"],
      write: ["replace into t(p) values(null)"],
    },
    "a conflict clause of the table": {
      schema: ["create table t(id integer primary key, p unique on conflict replace)", "insert into t values(1, 'x')"],
      write: ["insert into t(p) values('x')"],
    },
    "a key without rowid": {
      schema: [
        "create table t(a text collate nocase, b, c unique, primary key(a, b)) without rowid",
        "insert into t values('k', 1, 'x'), ('l', 1, 'y')",
      ],
      write: ["replace into t values('K', 1.0, 'y')"],
    },
  };
  test.each(Object.entries(cases))("%s", async (_name, { schema, write }) => {
    const { db, adapter, dump, mark } = await rooted(schema);
    expect(adapter.checkpoint.mode).toBe("journal");
    for (const sql of write) {
      const before = db.prepare("select count(*) from t").pluck().get() as number;
      db.exec(sql);
      // Otherwise the case displaces nothing, and would show nothing.
      const inserted = sql.startsWith("update") ? 0 : 1;
      if (write.length === 1) expect(db.prepare("select count(*) from t").pluck().get()).toBeLessThan(before + inserted);
    }
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("an index that cannot be repeated sends the store to copy, with the reason", async () => {
    const file = scratchFile();
    const db = new Database(file);
    db.function("mine", { deterministic: true }, (value: unknown) => String(value));
    db.exec("create table t(id integer primary key, a); create unique index i on t(mine(a)); insert into t values(1, 'x')");
    const adapter = await openAdapter(file);
    expect(adapter.checkpoint).toEqual({ mode: "copy", why: expect.stringMatching(/function.* mine/) as string });
    expect(names(db)).toEqual([]);
    await adapter.root();
    const [dump, mark] = [await adapter.dump(), await adapter.mark()];
    db.exec("replace into t(a) values('x')");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    db.close();
  });
});

describe("3. triggers, virtual tables, tables without rowid", () => {
  test("the API's own triggers do not fire in a put-back, and fire for the API afterwards", async () => {
    const { db, adapter, dump, mark } = await rooted([
      ORDERS,
      "create table audit(what)",
      "create trigger kept before delete on orders begin select raise(abort, 'kept'); end",
      "create trigger made after insert on orders begin insert into audit values('made'); update orders set status = 'made' where id = NEW.id; end",
      "create trigger moved after update on orders begin insert into audit values('moved'); end",
      "insert into orders(status) values('a'), ('b')",
    ]);
    const audited = (): number => db.prepare<[], number>("select count(*) from audit").pluck().get() as number;
    const before = audited();
    db.exec("update orders set status = 'z'; insert into orders(status) values('c')");
    const after = await adapter.dump();
    const image = await adapter.capture();
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    await adapter.write(image);
    expect(await adapter.dump()).toBe(after);
    await adapter.restore(mark);
    db.exec("update orders set status = 'again' where id = 1");
    expect(audited()).toBe(before + 1);
    expect(() => db.exec("delete from orders")).toThrow("kept");
  });

  test("the put-back's connection sees no trigger even after the target made an index", async () => {
    const { db, adapter, dump, mark } = await rooted([
      ORDERS,
      "create trigger kept before delete on orders begin select raise(abort, 'kept'); end",
      "insert into orders(status) values('a')",
    ]);
    db.exec("insert into orders(status) values('b'); create index later on orders(status); analyze");
    await adapter.restore(mark);
    expect((await adapter.dump()).replace(/^index later.*\n/m, "")).toBe(dump);
  });

  test.each(["fts5(body)", "fts4(body)", "rtree(id, a, b)"])("a table using %s goes to copy", async (module) => {
    const { db, adapter, dump, mark } = await rooted(["create table plain(a)", `create virtual table v using ${module}`]);
    expect(adapter.checkpoint.mode).toBe("copy");
    expect(adapter.checkpoint.why).toContain("virtual");
    expect(names(db)).toEqual([]);
    db.exec(module.startsWith("fts") ? "insert into v values('some words')" : "insert into v values(1, 2, 3)");
    const observed = await adapter.observe();
    expect(observed).toMatchObject({
      tables: [{ name: "v", added: [module.startsWith("fts") ? [1, "some words"] : [1, 2, 3]], removed: [] }],
    });
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test.each([
    "fts5(body, content='notes', content_rowid='id')",
    "fts5(body, content='', detail = none)",
    'FTS4(content="notes", body)',
    'fts5(body, content="")',
  ])("the index of %s is observed, not its content", async (module) => {
    const [key, stale] = module.startsWith("FTS4") ? ["docid", "v_segdir"] : ["rowid", "v"];
    const { db, adapter, dump, mark } = await rooted([
      "create table notes(id integer primary key, body)",
      `create virtual table v using ${module}`,
      `insert into notes values (1, 'milk'); insert into v(${key}, body) values (1, 'milk')`,
    ]);
    const index = async (): Promise<unknown> => (await adapter.observe()) as unknown;
    db.exec("update notes set body = 'bread'");
    expect(JSON.stringify(await index())).not.toContain(`"${stale}"`);
    db.exec(`insert into v(${key}, body) values (2, 'bread')`);
    expect(JSON.stringify(await index())).toContain(`"${stale}"`);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    expect(await index()).toMatchObject({ tables: [] });
  });

  test("the columns that a full-text table without content stores belong to the state", async () => {
    const { db, adapter, dump, mark } = await rooted([
      "create virtual table v using fts5(body, tag unindexed, content='', contentless_unindexed = 1, contentless_delete = 1)",
    ]);
    const insert = (tag: string): unknown => db.prepare("insert into v(rowid, body, tag) values (1, 'milk', ?)").run(tag);
    insert("a");
    const first = JSON.stringify(await adapter.observe());
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    insert("b");
    expect(JSON.stringify(await adapter.observe())).not.toBe(first);
    await adapter.restore(mark);
    insert("a");
    expect(JSON.stringify(await adapter.observe())).toBe(first);
  });

  test("copy observes the schema, except plain indexes", async () => {
    const { db, adapter, mark } = await rooted(["create table items(sku text)"], { checkpoint: "copy" });
    db.exec("create index plain on items(sku); analyze");
    expect(await adapter.observe()).toMatchObject({ tables: [] });
    db.exec("create unique index ux_sku on items(sku); create table more(a)");
    expect(await adapter.observe()).toMatchObject({
      tables: [{ name: "(schema)", added: [["CREATE UNIQUE INDEX ux_sku on items(sku)"], ["CREATE TABLE more(a)"]], removed: [] }],
    });
    await adapter.restore(mark);
    expect(await adapter.observe()).toMatchObject({ tables: [] });
  });

  test("the row ids of a full-text table belong to the state", async () => {
    const { db, adapter, mark } = await rooted(["create virtual table v using fts5(body)"]);
    db.exec("insert into v(rowid, body) values (1, 'a'), (2, 'b')");
    const first = JSON.stringify(await adapter.observe());
    await adapter.restore(mark);
    db.exec("insert into v(rowid, body) values (1, 'b'), (2, 'a')");
    expect(JSON.stringify(await adapter.observe())).not.toBe(first);
  });

  test("installing is one transaction: what hinders it leaves nothing behind", async () => {
    const file = scratchFile();
    const db = new Database(file);
    db.function("mine", { deterministic: true }, (value: unknown) => value);
    db.exec("create table a(x); create table z(id integer primary key, x, y as (mine(x)) unique)");
    const adapter = await openAdapter(file, { checkpoint: "journal" });
    expect(adapter.checkpoint.mode).toBe("copy");
    expect(names(db)).toEqual([]);
    db.close();
  });

  test("a row that moves within a collated key is one row at a time", async () => {
    const { db, adapter, dump, mark } = await rooted([
      "create table t(a text collate nocase primary key, b) without rowid",
      "insert into t values('k', 1)",
    ]);
    db.exec("update t set a = 'K'");
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [["K", 1]], removed: [["k", 1]] }] });
    db.exec("update t set b = 2");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });
});

describe("4. a live WAL file is never copied or renamed over", () => {
  test("copy puts a file back under its open connection, which goes on in WAL mode", async () => {
    const { db, adapter, file, dump, mark } = await rooted([ORDERS, "insert into orders(status) values('a')"], { checkpoint: "copy" });
    const { ino } = statSync(file);
    const read = db.prepare("select status from orders").pluck();
    for (let i = 0; i < 3; i++) {
      db.exec("update orders set status = 'b'; insert into orders(status) values('c')");
      await adapter.restore(mark);
      expect(read.all()).toEqual(["a"]);
    }
    expect(await adapter.dump()).toBe(dump);
    expect(statSync(file).ino).toBe(ino);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  });
});

describe("5. better-sqlite3 binds numbers as REAL", () => {
  test("counters and integers come back as integers, reals as reals", async () => {
    const { db, adapter, mark, dump } = await rooted([
      ORDERS,
      "create table t(id integer primary key, v)",
      "insert into t values(1, 20), (2, 20.0)",
      "insert into orders values(20, 'a')",
    ]);
    db.exec("insert into orders(status) values('b'); update t set v = 0");
    const image = await adapter.capture();
    await adapter.restore(mark);
    expect(db.prepare("select typeof(seq) from sqlite_sequence").pluck().get()).toBe("integer");
    expect(db.prepare("select typeof(v) from t").pluck().all()).toEqual(["integer", "real"]);
    expect(await adapter.dump()).toBe(dump);
    await adapter.write(structuredClone(image));
    expect(db.prepare("select seq, typeof(seq) from sqlite_sequence").raw().get()).toEqual([21, "integer"]);
  });
});

test.each(["journal", "copy"] as const)("0 and -0 in columns without a type are two values, by %s", async (checkpoint) => {
  const { db, adapter, mark, dump } = await rooted(
    [
      "create table t(id integer primary key, v)",
      "insert into t values (1, 0.0), (2, -0.0)",
      "create table k(v primary key, n) without rowid",
      "insert into k values (0.0, 1)",
      "create table bag(v)",
      "insert into bag values (0.0), (-0.0), (-0.0)",
    ],
    { checkpoint },
  );
  for (const sql of [
    "update t set v = -0.0 where id = 1",
    "update t set v = 0.0 where id = 2",
    "update bag set v = -0.0 where rowid = 1",
    "update bag set v = 0.0 where rowid > 1",
    "update k set v = -0.0",
    "delete from t",
  ]) {
    db.exec(sql);
    expect(await adapter.changed(mark), sql).toBe(true);
    expect(await adapter.dump(), sql).not.toBe(dump);
    expect(await adapter.observe(), sql).toMatchObject({ tables: [{}] });
    await adapter.restore(mark);
    expect(await adapter.dump(), sql).toBe(dump);
  }
  db.exec("update t set v = -0.0 where id = 1");
  expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[1, -0]], removed: [[1, 0]] }] });
});

describe("6. the file's journal mode is kept", () => {
  test("the journal leaves a file in rollback mode as it is", async () => {
    const file = scratchFile();
    const db = new Database(file);
    db.exec(`${ORDERS}; insert into orders(status) values('a')`);
    const adapter = await openAdapter(file, {}, { borrowed: true });
    await adapter.root();
    const mark = await adapter.mark();
    db.exec("update orders set status = 'b'");
    await adapter.restore(mark);
    expect(db.prepare("select status from orders").pluck().get()).toBe("a");
    expect(db.pragma("journal_mode", { simple: true })).toBe("delete");
    await adapter.close();
    expect(db.pragma("journal_mode", { simple: true })).toBe("delete");
    db.close();
  });

  test("a borrowed store is left as it was; a lane's own goes on after a restart of the target", async () => {
    const borrowed = await rooted([ORDERS], {}, { borrowed: true });
    expect(names(borrowed.db)).not.toEqual([]);
    await borrowed.adapter.close();
    expect(names(borrowed.db)).toEqual([]);

    const own = await rooted([ORDERS, "insert into orders(status) values('a')"]);
    own.db.exec("update orders set status = 'b'");
    await own.adapter.close();
    // The target starts anew: with no connection of ours open it may do what it likes with the journal mode.
    own.db.pragma("journal_mode = delete");
    own.db.pragma("journal_mode = wal");
    own.db.exec("insert into orders(status) values('at start')");
    await openAgain(own.adapter);
    expect(await own.adapter.changed(own.mark)).toBe(true);
    await own.adapter.restore(own.mark);
    expect(await own.adapter.dump()).toBe(own.dump);
  });
});

describe("7. a mark inside the target's open transaction", () => {
  test("waits for its end, without holding this thread", async () => {
    const { adapter, file, mark, dump } = await rooted([ORDERS, "insert into orders(status) values('a')"]);
    const child = spawn("python3", ["-c", HOLD, file], { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    setTimeout(() => child.stdin.end(), 150);
    const later = adapter.mark();
    expect(isPromise(later)).toBe(true);
    const level = await later;
    // What was committed before the mark belongs to it.
    expect(adapter.query("select status from orders")).toEqual([{ status: "held" }]);
    expect(await adapter.changed(level)).toBe(false);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("is an error when the transaction does not end", async () => {
    const file = scratchFile();
    const db = api(file, ORDERS);
    const own = new Database(file, { timeout: 1 });
    const mode = new JournalMode(own, file, planTables(own, undefined) as TablePlan[], { limitMs: 50 });
    await mode.root();
    db.exec("begin immediate");
    await expect((async () => mode.mark())()).rejects.toMatchObject({ code: "STORE_BUSY", exitStatus: 3 });
    db.exec("rollback");
    await mode.mark();
    await mode.close(true);
  });
});

describe("8. the schema", () => {
  test("ANALYZE, VACUUM and CREATE INDEX are no change of it", async () => {
    const { db, adapter, mark } = await rooted([ORDERS, "insert into orders(status) values('a')"]);
    for (const sql of ["analyze", "vacuum", "create index i on orders(status)", "drop index i"]) {
      db.exec(`update orders set status = 'b'; ${sql}`);
      await adapter.restore(mark);
      expect(db.prepare("select status from orders").pluck().all()).toEqual(["a"]);
    }
  });

  test.each([
    "alter table orders add column more",
    "create table more(a)",
    "drop table orders",
    "create unique index u on orders(status)",
    "drop table orders; create table orders(id integer primary key autoincrement, status text)",
    "create trigger own after insert on orders begin select 1; end",
  ])("%s is refused", async (sql) => {
    const { db, adapter, mark } = await rooted([ORDERS, "insert into orders(status) values('a')"]);
    db.exec(sql);
    await expect((async () => adapter.observe())()).rejects.toMatchObject({
      code: "SCHEMA_CHANGED",
      hint: expect.stringContaining("copy") as string,
    });
    await expect((async () => adapter.restore(mark))()).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
  });

  test("copy puts even the schema back", async () => {
    const { db, adapter, mark, dump } = await rooted([ORDERS, "insert into orders(status) values('a')"], { checkpoint: "copy" });
    db.exec("alter table orders add column more; create table other(a)");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    expect(db.prepare("select * from orders").all()).toEqual([{ id: 1, status: "a" }]);
  });

  test("the triggers are plain enough for an older SQLite", async () => {
    const { db, adapter } = await rooted([ORDERS, "create table t(a primary key, b unique) without rowid"]);
    const plans = planTables(db, undefined);
    for (const sql of (plans as TablePlan[]).flatMap((plan) => tableTriggers(plan, "leased"))) {
      expect(sql).not.toMatch(/\bover\s*\(|\breturning\b|->|\bis (?:not )?distinct\b|\bupsert\b|\bon conflict\b|\bfilter\s*\(/i);
    }
    expect(adapter.checkpoint.mode).toBe("journal");
    expect(execFileSync("python3", ["-c", INSERT, db.name]).toString().trim()).toBe("1 1");
    expect(await adapter.observe()).toMatchObject({ tables: [{ name: "orders", added: [[1, "py"]] }], counters: { orders: 1 } });
  });
});

test.each(["journal", "copy"] as const)(
  "%s: what a target keeps in the header of its file is observed, and put back",
  async (checkpoint) => {
    const { db, adapter, dump, mark } = await rooted([ORDERS, "pragma user_version = 7"], { checkpoint });
    db.exec("pragma user_version = 8; pragma application_id = 5");
    expect(await adapter.changed(mark)).toBe(true);
    expect(await adapter.observe()).toMatchObject({ counters: { "pragma user_version": 8, "pragma application_id": 5 } });
    const image = await adapter.capture();
    await adapter.restore(mark);
    expect([db.pragma("user_version", { simple: true }), db.pragma("application_id", { simple: true })]).toEqual([7, 0]);
    expect(await adapter.dump()).toBe(dump);
    await adapter.write(structuredClone(image));
    expect([db.pragma("user_version", { simple: true }), db.pragma("application_id", { simple: true })]).toEqual([8, 5]);
  },
);

test("of a user's file it goes back as the run recorded it, and stays where somebody else set it", async () => {
  for (const [theirs, left] of [
    [undefined, 7],
    [9, 9],
  ] as const) {
    const { db, adapter, mark } = await rooted([ORDERS, "pragma user_version = 7"], {}, { borrowed: true, asked: () => undefined });
    db.exec("pragma user_version = 8");
    await adapter.changed(mark);
    if (theirs !== undefined) {
      db.exec("update seqqa_owner set pid = 0");
      db.exec(`pragma user_version = ${theirs}`);
      await stores.clean(`sqlite:${db.name}`);
      expect(() => adapter.close()).toThrow(expect.objectContaining({ code: "LEASE_OVER" }) as Error);
    } else await adapter.close();
    expect(db.pragma("user_version", { simple: true })).toBe(left);
  }
});

test("rows that were written without the journal are not passed over in silence", async () => {
  const { db, adapter, file } = await rooted([ORDERS, "insert into orders(status) values('a')"]);
  db.exec("update orders set status = 'b'");
  await adapter.observe();
  const silent = new Database(file);
  blind(silent);
  silent.exec("update orders set status = 'c'");
  silent.close();
  db.exec("update orders set status = 'd'");
  await expect((async () => adapter.observe())()).rejects.toMatchObject({ code: "JOURNAL_INCOHERENT" });
});

test("the API cannot tell that it is journalled, but for total_changes()", async () => {
  const { db, adapter } = await rooted([ORDERS]);
  const plain = new Database(":memory:");
  plain.exec(ORDERS);
  for (const sql of [
    "insert into orders(status) values('a')",
    "update orders set status = 'b'",
    "replace into orders values(1, 'c')",
    "delete from orders",
  ]) {
    expect(db.prepare(sql).run()).toEqual(plain.prepare(sql).run());
    expect(db.prepare("select changes(), last_insert_rowid()").raw().get()).toEqual(
      plain.prepare("select changes(), last_insert_rowid()").raw().get(),
    );
  }
  expect(adapter.checkpoint.mode).toBe("journal");
  plain.close();
});

async function openAgain(adapter: {
  open(scope: { name: string; laneIndex: number; inProcess: boolean; borrowed: boolean }): unknown;
}): Promise<void> {
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
}

const HOLD = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("begin immediate")
db.execute("update orders set status = 'held'")
print("held", flush=True)
sys.stdin.read()
db.execute("commit")
`;
const INSERT = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
cursor = db.execute("insert into orders(status) values('py')")
print(cursor.rowcount, cursor.lastrowid)
`;

test("a virtual table of an extension that only the target loads is seen by its shadow tables", async () => {
  const file = scratchFile();
  const db = api(file, "create table docs(id integer primary key)", "create table vec_rows(id integer primary key, v)");
  db.unsafeMode(true);
  db.pragma("writable_schema = on");
  db.exec("insert into sqlite_schema values('table', 'vec', 'vec', 0, 'CREATE VIRTUAL TABLE vec USING vec0(v float[4])')");
  db.pragma("writable_schema = reset");
  db.unsafeMode(false);
  const adapter = await openAdapter(file);
  expect(adapter.checkpoint.mode).toBe("copy");
  expect(await adapter.schema()).toEqual([
    { name: "docs", columns: ["id"] },
    { name: "vec", columns: [] },
    { name: "vec_rows", columns: ["id", "v"] },
  ]);
  await adapter.root();
  const mark = await adapter.mark();
  db.exec("insert into vec_rows values(1, 'x')");
  expect(await adapter.observe()).toMatchObject({ tables: [{ name: "vec_rows", added: [[1, "x"]] }] });
  await adapter.restore(mark);
  expect(db.prepare("select count(*) from vec_rows").pluck().get()).toBe(0);
  const observing = await openAdapter(file, { tables: ["vec"] });
  expect(await observing.root()).toMatchObject({ tables: [] });
});

describe("VACUUM", () => {
  const LOG = "create table log(m)";

  test("of rows that keep their row ids is nothing, as often as it comes", async () => {
    const { db, adapter, mark, dump } = await rooted([
      LOG,
      "insert into log values('a'), ('b')",
      "create table t(a primary key)",
      "insert into t(rowid, a) values(7, 'a')",
    ]);
    for (let i = 0; i < 3; i++) {
      db.exec("insert into log values('c'); update t set a = 'b'");
      expect(await adapter.changed(mark)).toBe(true);
      db.exec("vacuum");
      expect(await adapter.changed(mark)).toBe(true);
      await adapter.restore(mark);
      expect(await adapter.dump()).toBe(dump);
    }
  });

  test.each([
    ["a gap in the root state", "insert into log(rowid, m) values(5, 'b')", "vacuum"],
    ["a row that was deleted", "select 1", "delete from log where m = 'a'; vacuum"],
    ["a row that was deleted and seen", "select 1", "delete from log where m = 'a'", "vacuum"],
  ])("after %s ends the run", async (_, before, ...writes) => {
    const { db, adapter, mark } = await rooted([LOG, "insert into log values('a'), ('c')", before]);
    for (const sql of writes.slice(0, -1)) {
      db.exec(sql);
      await adapter.changed(mark);
    }
    db.exec(writes.at(-1)!);
    for (const look of [() => adapter.changed(mark), () => adapter.restore(mark)])
      expect(look).toThrow(
        expect.objectContaining({ code: "SCHEMA_CHANGED", message: expect.stringContaining("VACUUM") as string }) as Error,
      );
  });

  test("before the root state is read is nothing in a lane's own file", async () => {
    const file = scratchFile();
    const db = api(file, LOG, "insert into log(rowid, m) values(4, 'a')");
    const adapter = await openAdapter(file);
    db.exec("insert into log values('setup'); vacuum");
    await adapter.root();
    const mark = await adapter.mark();
    db.exec("delete from log where m = 'a'");
    await adapter.restore(mark);
    expect(db.prepare("select m from log").pluck().all()).toEqual(["a", "setup"]);
  });
});
