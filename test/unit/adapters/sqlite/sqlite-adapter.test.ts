import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { cloneSqliteFile, SqliteAdapter, sqlitePath } from "../../../../src/adapters/sqlite/index.ts";
import { isPromise } from "../../../../src/model/stores/store-adapter.ts";
import { api, openAdapter, rooted, SCOPE, scratchDirectory, scratchFile } from "../../../support/sqlite-scratch.ts";

const ORDERS = "create table orders(id integer primary key, status text, total)";

describe("query", () => {
  test("reads rows, with parameters in order or by name", async () => {
    const { db, adapter } = await rooted([ORDERS, "insert into orders values(1, 'a', 10), (2, 'b', 20)"]);
    expect(adapter.query("select id from orders where total > ?", [10])).toEqual([{ id: 2 }]);
    expect(adapter.query("with o as (select * from orders) select status from o where id = :id", { id: 1 })).toEqual([{ status: "a" }]);
    db.exec("update orders set status = 'z'");
    expect(adapter.query("select id from orders where status = 'z'")).toHaveLength(2);
  });

  test.each([
    "delete from orders",
    "insert into orders values(9, 'x', 1) returning id",
    "pragma journal_mode = delete",
    "begin",
    "create table x(a)",
    "with o as (select 1) delete from orders",
    "/* select */ update orders set total = 0",
  ])("refuses %s", async (sql) => {
    const { adapter, dump } = await rooted([ORDERS, "insert into orders values(1, 'a', 10)"]);
    expect(() => adapter.query(sql)).toThrow(
      expect.objectContaining({ code: "QUERY_WRITES", hint: expect.any(String) as string }) as Error,
    );
    expect(await adapter.dump()).toBe(dump);
  });
});

describe("the mode", () => {
  test("auto is journal for another process, and says why", async () => {
    const { adapter } = await rooted([ORDERS]);
    expect(adapter.checkpoint).toEqual({ mode: "journal", why: "the target opens its own connections" });
    expect(adapter.traits).toEqual({ portable: true, commits: true, canLeaveCounters: true });
    expect(() => adapter.connection).toThrow("has no shared connection");
  });

  test("auto in process is savepoint when the target took the connection, else journal", async () => {
    const file = scratchFile();
    api(file, ORDERS);
    const shared = new SqliteAdapter({ file });
    expect(shared.connection.open).toBe(true);
    await shared.open({ ...SCOPE, inProcess: true });
    expect(shared.checkpoint.mode).toBe("savepoint");
    await shared.close();
    const own = await openAdapter(file, {}, { inProcess: true });
    expect(own.checkpoint.mode).toBe("journal");
  });

  test("savepoint is refused for another process", () => {
    const file = scratchFile();
    api(file, ORDERS);
    expect(() => new SqliteAdapter({ file, checkpoint: "savepoint" }).open(SCOPE)).toThrow(
      expect.objectContaining({ code: "SAVEPOINT_OUT_OF_PROCESS", exitStatus: 2 }) as Error,
    );
  });

  test("answers without promises when nothing is locked", async () => {
    const { adapter, db, mark } = await rooted([ORDERS]);
    db.exec("insert into orders values(1, 'a', 1)");
    for (const answer of [
      adapter.changed(mark),
      adapter.observe(),
      adapter.capture(),
      adapter.restore(mark),
      adapter.mark(),
      adapter.write({ kind: "net", tables: [], counters: [] }),
    ]) {
      expect(isPromise(answer as never)).toBe(false);
    }
  });
});

describe("savepoint", () => {
  test("commits nothing, keeps setup, and notices when the target ends its transaction", async () => {
    const file = scratchFile();
    const outside = api(file, ORDERS);
    const adapter = await openAdapter(file, { checkpoint: "savepoint" }, { inProcess: true });
    adapter.connection.exec("insert into orders values(1, 'setup', 1)");
    await adapter.root();
    expect(outside.prepare("select status from orders").pluck().all()).toEqual(["setup"]);
    const mark = await adapter.mark();
    adapter.connection.transaction(() => adapter.connection.exec("insert into orders values(2, 'explored', 1)"))();
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[2, "explored", 1]] }] });
    expect(outside.prepare("select status from orders").pluck().all()).toEqual(["setup"]);
    await adapter.restore(mark);
    adapter.connection.exec("commit");
    expect(() => adapter.changed(mark)).toThrow(expect.objectContaining({ code: "SAVEPOINT_LOST" }) as Error);
    await adapter.close();
    expect(outside.prepare("select count(*) from sqlite_schema where name like 'seqqa%'").pluck().get()).toBe(0);
  });

  test("takes a database in memory", async () => {
    const adapter = new SqliteAdapter({ file: ":memory:" });
    adapter.connection.exec(ORDERS);
    await adapter.open({ ...SCOPE, inProcess: true });
    await adapter.root();
    const mark = await adapter.mark();
    adapter.connection.exec("insert into orders values(1, 'a', 1)");
    await adapter.restore(mark);
    expect(adapter.query("select * from orders")).toEqual([]);
    await adapter.close();
  });
});

describe("observations", () => {
  test("say keys, references and counters; tables outside `tables` are put back and not shown", async () => {
    const { db, adapter, mark, dump } = await rooted(
      [
        "create table users(name text primary key)",
        "create table items(id integer primary key autoincrement, owner text references users, v)",
        "create table noise(a)",
      ],
      { tables: ["users", "items"] },
    );
    db.exec(
      "insert into users values('u'); insert into items(owner, v) values('u', 9007199254740993), ('u', 1.5); insert into noise values(1)",
    );
    expect(await adapter.observe()).toEqual({
      kind: "rows",
      tables: [
        {
          name: "items",
          columns: [{ name: "id", key: true }, { name: "owner", references: { table: "users", column: "name" } }, { name: "v" }],
          added: [
            [1, "u", 9007199254740993n],
            [2, "u", 1.5],
          ],
          removed: [],
        },
        { name: "users", columns: [{ name: "name", key: true }], added: [["u"]], removed: [] },
      ],
      counters: { items: 2 },
    });
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("leave out a counter that restores are to leave as it is", async () => {
    const schema = ["create table items(id integer primary key autoincrement)", "create table notes(id integer primary key autoincrement)"];
    const scope = { unrestored: ["items"] };
    const { db, adapter, mark } = await rooted([...schema, "insert into items default values"], {}, scope);
    expect(adapter.traits).toMatchObject({ portable: true, canLeaveCounters: true });
    db.exec("insert into items default values; insert into notes default values");
    expect(await adapter.observe()).toMatchObject({ tables: [{ name: "items", added: [[2]] }, { name: "notes" }], counters: { notes: 1 } });
    await adapter.restore(mark);
    expect(await adapter.changed(mark)).toBe(false);
    expect(await adapter.observe()).toEqual({ kind: "rows", tables: [], counters: {} });
    db.exec("insert into items default values; insert into notes default values");
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[3]] }, { added: [[1]] }] });
    // A snapshot of another lane may have been made with higher numbers, also of rows that were deleted again.
    const image = await adapter.capture();
    db.exec("update sqlite_sequence set seq = 2 where name = 'items'");
    await adapter.write(image);
    db.exec("insert into items default values");
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[3], [4]] }, { name: "notes" }] });
    await adapter.restore(mark);
    expect(await adapter.keptCounters?.restore?.()).toBe(true);
    db.exec("insert into items default values");
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[2]] }] });
    expect(await adapter.root()).toMatchObject({ counters: {} });
  });

  test("a counter that is left may have taken the place of a counter that is restored", async () => {
    const schema = ["create table items(id integer primary key autoincrement)", "create table notes(id integer primary key autoincrement)"];
    const { db, adapter, mark } = await rooted([...schema, "insert into notes default values"], {}, { unrestored: ["items"] });
    db.exec("delete from sqlite_sequence; insert into items default values");
    await adapter.restore(mark);
    db.exec("insert into notes default values");
    expect(await adapter.observe()).toMatchObject({ tables: [{ name: "notes", added: [[2]] }] });
  });

  test("rows of a table without a key are in the order in which queries read them, those in the places of root rows first", async () => {
    const { db, adapter } = await rooted(["create table queue(job text)", "insert into queue values('a'), ('b')"]);
    const seen = async (sql: string) => {
      db.exec(sql);
      const observed = await adapter.observe();
      return observed.kind === "rows" ? observed.tables.map(({ added, inPlace }) => [added.flat().join(" "), inPlace]) : [];
    };
    expect(await seen("insert into queue values('d'), ('c'); update queue set job = 'e' where job = 'b'")).toEqual([["e d c", 1]]);
    expect(await seen("delete from queue; insert into queue values('a'), ('b')")).toEqual([]);
    expect(await seen("delete from queue where job = 'a'; insert into queue values('a')")).toEqual([["a", 0]]);
    const { db: keyed, adapter: other } = await rooted(["create table tags(name text unique)"]);
    keyed.exec("insert into tags values('b'), ('a')");
    expect(await other.observe()).toMatchObject({ tables: [{ added: expect.arrayContaining([["a"], ["b"]]) as unknown }] });
    expect(await other.observe()).not.toHaveProperty("tables.0.inPlace");
  });

  test("rows of a table with a key of text have the order of their row ids, also after a restore", async () => {
    const { db, adapter } = await rooted(["create table tags(name text primary key)", "insert into tags values('root')"]);
    const seen = async (): Promise<readonly unknown[]> => {
      const observed = await adapter.observe();
      return observed.kind === "rows" ? observed.tables.map(({ added, readOrder }) => readOrder?.map((index) => added[index]![0])) : [];
    };
    db.exec("insert into tags values('b'), ('a')");
    expect(await seen()).toEqual([["b", "a"]]);
    const mark = await adapter.mark();
    db.exec("delete from tags where name = 'b'; insert into tags values('b')");
    expect(await seen()).toEqual([["a", "b"]]);
    await adapter.restore(mark);
    expect(await seen()).toEqual([["b", "a"]]);
    db.exec("delete from tags where name = 'b'");
    expect(await seen()).toEqual([undefined]);
  });

  test("the schema names the tables that are read in another order than that of their key", async () => {
    const { adapter } = await rooted([
      "create table a(id integer primary key)",
      "create table b(name text primary key)",
      "create table c(x text, y text, unique(x, y))",
      "create table d(x text primary key) without rowid",
      "create table e(x text)",
      "create table f(x text, y text, primary key(x, y))",
    ]);
    const named = (await adapter.schema()).flatMap(({ name, readOrder }) => (readOrder === undefined ? [] : [[name, readOrder.key]]));
    expect(named).toEqual([
      ["b", "name"],
      ["c", undefined],
      ["f", undefined],
    ]);
  });

  test("an unknown table in `tables` is named", () => {
    const file = scratchFile();
    api(file, ORDERS);
    expect(() => new SqliteAdapter({ file, tables: ["order"] }).open(SCOPE)).toThrow(
      expect.objectContaining({ code: "TABLE_UNKNOWN", hint: "Use the name of an existing table: orders.", exitStatus: 2 }) as Error,
    );
  });

  test("what cancels out is no change", async () => {
    const { db, adapter, mark } = await rooted([ORDERS, "insert into orders values(1, 'a', 10)"]);
    db.exec(
      "update orders set status = 'b'; update orders set status = 'a'; insert into orders values(2, 'x', 0); delete from orders where id = 2",
    );
    expect(await adapter.observe()).toEqual({ kind: "rows", tables: [], counters: {} });
    expect(await adapter.changed(mark)).toBe(false);
  });
});

test.each(["copy", "journal"] as const)("texts that are not UTF-8 differ, with %s", async (checkpoint) => {
  const { db, adapter, mark } = await rooted(["create table words(id integer primary key, word text)"], { checkpoint });
  const put = (hex: string): void => void db.exec(`insert or replace into words values (1, cast(x'${hex}' as text)), (2, '\uFFFD')`);
  put("E9");
  const acute = await adapter.observe();
  await adapter.restore(mark);
  put("E9");
  expect(await adapter.observe()).toEqual(acute);
  put("E8");
  expect(await adapter.observe()).not.toEqual(acute);
});

describe("marks", () => {
  test("are invalid after an older one was restored, or another state written; the root's stays", async () => {
    const { db, adapter, mark: root, dump } = await rooted([ORDERS]);
    const image = await adapter.capture();
    db.exec("insert into orders values(1, 'a', 1)");
    const younger = await adapter.mark();
    await adapter.restore(root);
    expect(() => adapter.restore(younger)).toThrow(expect.objectContaining({ code: "MARK_INVALID" }) as Error);
    db.exec("insert into orders values(1, 'a', 1)");
    const other = await adapter.mark();
    db.exec("insert into orders values(2, 'b', 1)");
    await adapter.write(image);
    expect(() => adapter.restore(other)).toThrow(expect.objectContaining({ code: "MARK_INVALID" }) as Error);
    db.exec("insert into orders values(3, 'b', 1)");
    await adapter.restore(root);
    expect(await adapter.dump()).toBe(dump);
  });

  test("an image of another schema is refused", async () => {
    const a = await rooted(["create table a(x)"]);
    const b = await rooted(["create table b(x)"]);
    a.db.exec("insert into a values(1)");
    const image = await a.adapter.capture();
    expect(() => b.adapter.write(image)).toThrow(expect.objectContaining({ code: "IMAGE_FOREIGN" }) as Error);
    expect(await b.adapter.dump()).toBe(b.dump);
  });
});

describe("files", () => {
  const asRoot = process.getuid?.() === 0;

  test("that cannot be used are one clear error", () => {
    const text = scratchFile();
    writeFileSync(text, "this is no database, but long enough to have a header of its own, is it not? ".repeat(4));
    const missing = scratchFile();
    const cases: readonly (readonly [string, string])[] = [
      [text, "STORE_NOT_A_DATABASE"],
      [missing, "STORE_NOT_FOUND"],
      [join(missing, "below.db"), "STORE_NOT_FOUND"],
    ];
    for (const [file, code] of cases) {
      const wanted = expect.objectContaining({ code, exitStatus: 2, message: expect.stringContaining(file) as string }) as Error;
      expect(() => new SqliteAdapter({ file }).open(SCOPE)).toThrow(wanted);
      expect(() => cloneSqliteFile(file, scratchFile())).toThrow(wanted);
    }
    expect(() => new SqliteAdapter({ file: "" })).toThrow(expect.objectContaining({ code: "SQLITE_WITHOUT_FILE" }) as Error);
    expect(() => new SqliteAdapter({ file: missing }).query("select 1")).toThrow(
      expect.objectContaining({ code: "STORE_NOT_OPEN" }) as Error,
    );
  });

  test.skipIf(asRoot)("that cannot be written are one clear error", () => {
    const file = scratchFile();
    api(file, ORDERS).close();
    chmodSync(file, 0o444);
    expect(() => new SqliteAdapter({ file }).open(SCOPE)).toThrow(expect.objectContaining({ code: "STORE_NOT_WRITABLE" }) as Error);
    const directory = join(scratchDirectory(), "closed");
    mkdirSync(directory, { mode: 0o555 });
    expect(() => cloneSqliteFile(undefined, join(directory, "a.db"))).toThrow(
      expect.objectContaining({ code: "STORE_NOT_WRITABLE" }) as Error,
    );
  });

  test("a clone has what is only in the write-ahead log, is in WAL mode, and leaves the source alone", () => {
    const source = scratchFile();
    const db = api(source, ORDERS, "pragma wal_autocheckpoint = 0", "insert into orders values(1, 'only in the log', 1)");
    expect(readFileSync(source).includes("only in the log")).toBe(false);
    const target = scratchFile();
    cloneSqliteFile(`sqlite:${source}`, target);
    const copy = new Database(target);
    expect(copy.prepare("select status from orders").pluck().get()).toBe("only in the log");
    expect(copy.pragma("journal_mode", { simple: true })).toBe("wal");
    copy.close();
    db.exec("insert into orders values(2, 'still writable', 1)");
  });

  test("a closed source is read without a trace; its journal mode stays", () => {
    for (const mode of ["delete", "wal"]) {
      const source = scratchFile();
      const db = new Database(source);
      db.pragma(`journal_mode = ${mode}`);
      db.exec(`${ORDERS}; insert into orders values(1, 'a', 1)`);
      db.close();
      const before = readFileSync(source);
      const target = scratchFile();
      cloneSqliteFile(source, target);
      expect(readFileSync(source).equals(before)).toBe(true);
      expect(existsSync(`${source}-wal`) || existsSync(`${source}-shm`)).toBe(false);
      const copy = new Database(target, { readonly: true });
      expect(copy.prepare("select count(*) from orders").pluck().get()).toBe(1);
      expect(copy.pragma("journal_mode", { simple: true })).toBe("wal");
      copy.close();
    }
  });

  test("without a source it is a new empty database, whatever was there", () => {
    const target = scratchFile();
    api(target, ORDERS, "insert into orders values(1, 'old', 1)").close();
    cloneSqliteFile(undefined, target);
    const db = new Database(target);
    expect(db.prepare("select count(*) from sqlite_schema").pluck().get()).toBe(0);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    db.close();
  });

  test.each([
    ["a.db", "a.db"],
    ["sqlite:a.db", "a.db"],
    ["sqlite:./x/a.db", "./x/a.db"],
    ["sqlite:///tmp/a.db", "/tmp/a.db"],
    ["sqlite:/tmp/a.db", "/tmp/a.db"],
    ["sqlite://./a.db", "./a.db"],
    ["sqlite::memory:", ":memory:"],
  ])("%s is the file %s", (url, path) => expect(sqlitePath(url)).toBe(path));
});
