import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { RowImages } from "../../../../src/model/stores/leftover.ts";
import { cloneSqliteFile, SqliteAdapter, stores } from "../../../../src/adapters/sqlite/index.ts";
import { api, openAdapter, SCOPE, scratchFile } from "../../../support/sqlite-scratch.ts";

const BORROWED = { borrowed: true };
const SHOP = [
  "create table orders(id integer primary key autoincrement, status text, code text unique)",
  "create table items(id integer primary key, order_id integer references orders(id))",
  "create table words(what text)",
  "insert into orders(status, code) values('a', 'a'), ('b', 'b'), ('c', 'c')",
  "insert into items values(1, 1)",
  "insert into words values('w')",
];

interface Dead {
  readonly file: string;
  readonly user: Database.Database;
}

/** A run that died after it had recorded these changes. */
async function dead(sql: string): Promise<Dead> {
  const file = scratchFile();
  const user = api(file, ...SHOP);
  const adapter = await openAdapter(file, {}, BORROWED);
  await adapter.root();
  const root = await adapter.mark();
  user.exec(sql);
  await adapter.changed(root);
  user.exec("update seqqa_owner set pid = 0; update seqqa_lease set until = 0");
  expect(() => adapter.close()).toThrow();
  return { file, user };
}

const CHANGES = `update words set what = 'run'; update orders set status = 'run' where id = 1; delete from orders where id = 3;
  insert into orders(status, code) values('run', 'd')`;

const listed = (rows: readonly RowImages[] | undefined): string[] => (rows ?? []).map(({ table, key }) => `${table} ${key}`).sort();
const rowsOf = (db: Database.Database, table: string): unknown[] => db.prepare(`select * from ${table} order by 1`).raw().all();
const ours = (db: Database.Database): unknown[] => db.prepare("select name from sqlite_schema where name like 'seqqa%'").pluck().all();

describe("after a killed run the user alters a table: clean restores the other tables", () => {
  test("DROP TABLE: the rows of the run are listed with the reason", async () => {
    const { file, user } = await dead(CHANGES);
    user.exec("drop table items; drop table orders");
    expect(() => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED })).toThrow(
      expect.objectContaining({ code: "STORE_LEFT", message: expect.stringContaining('table "orders" was dropped') as string }) as Error,
    );
    expect(() => cloneSqliteFile(file, scratchFile())).toThrow('table "orders" was dropped');
    const told: unknown[] = [];
    const { leftover } = await stores.clean(`sqlite:${file}`, { onKept: (one) => void told.push(one) });
    expect(told).toEqual([leftover]);
    expect(listed(leftover?.undo)).toEqual(["words rowid 1"]);
    const why = 'table "orders" was dropped or renamed';
    expect(leftover?.keep).toEqual([
      { table: "orders", key: "id 1", root: { id: 1, status: "a", code: "a" }, recorded: { id: 1, status: "run", code: "a" }, why },
      { table: "orders", key: "id 3", root: { id: 3, status: "c", code: "c" }, recorded: null, why },
      { table: "orders", key: "id 4", root: null, recorded: { id: 4, status: "run", code: "d" }, why },
    ]);
    expect(rowsOf(user, "words")).toEqual([["w"]]);
    expect(ours(user)).toEqual([]);
    const next = await openAdapter(file, {}, BORROWED);
    await next.close();
  });

  test("a table that is made again with other columns keeps its rows", async () => {
    const { file, user } = await dead(CHANGES);
    user.exec(`pragma foreign_keys = off; create table new_orders(id integer primary key autoincrement, state text, code text); insert into new_orders select * from orders;
      drop table orders; alter table new_orders rename to orders`);
    const before = rowsOf(user, "orders");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual(["words rowid 1"]);
    expect(listed(leftover?.keep)).toEqual(["orders id 1", "orders id 3", "orders id 4"]);
    expect(leftover?.keep.map(({ why }) => why)).toEqual(Array.from({ length: 3 }, () => 'table "orders" was altered'));
    expect(rowsOf(user, "orders")).toEqual(before);
    expect(rowsOf(user, "sqlite_sequence")).toEqual([["orders", 4]]);
    expect(ours(user)).toEqual([]);
  });

  test("ADD COLUMN: rows without a value in the new column go back, others stay", async () => {
    const { file, user } = await dead(`${CHANGES}; insert into orders(status, code) values('run', 'e')`);
    user.exec("alter table orders add column extra int not null default 5; update orders set extra = 6 where id in (2, 5)");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual(["orders id 1", "orders id 3", "orders id 4", "words rowid 1"]);
    expect(leftover?.keep).toEqual([
      {
        table: "orders",
        key: "id 5",
        root: null,
        recorded: { id: 5, status: "run", code: "e" },
        now: { id: 5, status: "run", code: "e" },
        why: 'the row has a value in a column that was added to table "orders"',
      },
    ]);
    expect(rowsOf(user, "orders")).toEqual([
      [1, "a", "a", 5],
      [2, "b", "b", 6],
      [3, "c", "c", 5],
      [5, "run", "e", 6],
    ]);
    expect(rowsOf(user, "words")).toEqual([["w"]]);
    expect(ours(user)).toEqual([]);
  });

  test.each(['"new"', "new", "[new]", '"status"', "status", "'new'"])(
    "ADD COLUMN with the default %s, which is a string",
    async (given) => {
      const { file, user } = await dead(CHANGES);
      user.exec(`alter table orders add column state text default ${given}; update orders set state = 'own' where id = 4`);
      const value = given.replaceAll(/["'[\]]/g, "");
      const { leftover } = await stores.clean(`sqlite:${file}`);
      expect(listed(leftover?.undo)).toEqual(["orders id 1", "orders id 3", "words rowid 1"]);
      expect(listed(leftover?.keep)).toEqual(["orders id 4"]);
      expect(rowsOf(user, "orders")).toEqual([
        [1, "a", "a", value],
        [2, "b", "b", value],
        [3, "c", "c", value],
        [4, "run", "d", "own"],
      ]);
      expect(ours(user)).toEqual([]);
    },
  );

  test("ADD COLUMN with its own name as default: a value of the user stays", async () => {
    const { file, user } = await dead(CHANGES);
    user.exec(`alter table orders add column state int default "state"; alter table orders add column on_sale int default true;
      update orders set state = 'own' where id = 4; update orders set on_sale = 0 where id = 1`);
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual(["orders id 3", "words rowid 1"]);
    expect(listed(leftover?.keep)).toEqual(["orders id 1", "orders id 4"]);
  });

  test("a table without key that is made again with the same columns keeps its rows, which have new row ids", async () => {
    const { file, user } = await dead(
      "insert into words values('x'), ('y'); delete from words where what = 'x'; delete from orders where id = 2",
    );
    user.exec(
      "create table new_words(what text); insert into new_words select * from words; drop table words; alter table new_words rename to words",
    );
    const { leftover } = await stores.clean(`sqlite:${file}`);
    const why = 'table "words" was dropped and created again';
    expect(listed(leftover?.undo)).toEqual(["orders id 2"]);
    expect(leftover?.keep).toEqual([{ table: "words", key: "rowid 3", root: null, recorded: { what: "y" }, now: undefined, why }]);
    expect(rowsOf(user, "words")).toEqual([["w"], ["y"]]);
    expect(ours(user)).toEqual([]);
  });

  test("a table with a key that is made again with the same columns: its rows go back, and clean names the table", async () => {
    const { file, user } = await dead(CHANGES);
    user.exec(`pragma foreign_keys = off; create table new_orders(id integer primary key autoincrement, status text, code text unique);
      insert into new_orders select * from orders; drop table orders; alter table new_orders rename to orders; update orders set status = 'own' where id = 4`);
    const why = 'table "orders" was dropped and created again';
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual(["orders id 1", "orders id 3", "words rowid 1"]);
    expect(leftover).toMatchObject({ keep: [{ table: "orders", key: "id 4", why }], unlogged: why });
    expect(rowsOf(user, "orders").map((row) => (row as unknown[])[1])).toEqual(["a", "b", "c", "own"]);
    expect(ours(user)).toEqual([]);
  });

  test("a table that is renamed and gets its name back counts as unaltered", async () => {
    const { file, user } = await dead(CHANGES);
    user.exec("alter table words rename to others; alter table others rename to words");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(leftover).toMatchObject({ keep: [], undo: { length: 4 } });
    expect(leftover).not.toHaveProperty("unlogged");
  });

  test("a row that refers to a row of an altered table is restored only if it finds this row", async () => {
    const { file, user } = await dead("delete from items; delete from orders where id = 1; update words set what = 'run'");
    user.exec("pragma foreign_keys = off; alter table orders rename column status to state");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual(["words rowid 1"]);
    expect(listed(leftover?.keep)).toEqual(["items id 1", "orders id 1"]);
    expect(user.prepare("pragma foreign_key_check").all()).toEqual([]);
  });

  test("changes that the run had not recorded are listed, too", async () => {
    const file = scratchFile();
    const user = api(file, ...SHOP);
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    user.exec("delete from orders where id = 3; insert into orders(status) values('late'); delete from words");
    user.exec("update seqqa_owner set pid = 0; update seqqa_lease set until = 0");
    expect(() => adapter.close()).toThrow();
    user.exec("drop table items; drop table orders");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual([]);
    expect(leftover?.keep).toMatchObject([
      { table: "words", root: { what: "w" }, now: null },
      { table: "orders", key: "id 3", root: { id: 3, status: "c", code: "c" } },
      { table: "orders", key: "id 4", root: null },
    ]);
  });

  test("a virtual table of later is no obstacle", async () => {
    const { file, user } = await dead(CHANGES);
    user.exec("create virtual table found using fts5(t); drop table words; create virtual table words using fts5(what)");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.undo)).toEqual(["orders id 1", "orders id 3", "orders id 4"]);
    expect(leftover?.keep).toMatchObject([{ table: "words", why: expect.stringContaining("virtual table") as string }]);
    expect(ours(user)).toEqual([]);
  });

  test("an altered table with no changed rows: clean says which table it was", async () => {
    const { file, user } = await dead("update words set what = 'run'");
    user.exec("drop table items; alter table orders add column more");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(leftover).toMatchObject({ undo: [{ table: "words" }], keep: [], unlogged: 'table "items" was dropped or renamed' });
    expect(ours(user)).toEqual([]);
  });
});

test("a dropped table is the only change of a killed run: the next run stops, and clean names the table", async () => {
  const { file, user } = await dead("select 1");
  user.exec("drop table items");
  const said = expect.stringContaining('table "items" was dropped') as string;
  const refused = expect.objectContaining({ code: "STORE_LEFT", message: said }) as Error;
  expect(() => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED })).toThrow(refused);
  expect(() => cloneSqliteFile(file, scratchFile())).toThrow('table "items" was dropped');
  const { leftover } = await stores.clean(`sqlite:${file}`);
  expect(leftover).toMatchObject({ undo: [], keep: [], unlogged: said });
  expect(ours(user)).toEqual([]);
  await (await openAdapter(file, {}, BORROWED)).close();
});

test("a dropped table is the only change of a lane of this run: the next lane names the table", async () => {
  const { file, user } = await dead("select 1");
  user.exec("drop table items");
  user.prepare("update seqqa_owner set pid = ?").run(process.pid);
  const refused = expect.objectContaining({
    code: "STORE_NOT_PUT_BACK",
    message: expect.stringContaining('table "items" was dropped') as string,
  }) as Error;
  expect(() => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED })).toThrow(refused);
  expect(ours(user)).toEqual([]);
});

describe("the target alters a table, and the run ends: all other rows go back", () => {
  const end = async (sql: string): Promise<{ readonly user: Database.Database; readonly error: unknown }> => {
    const file = scratchFile();
    const user = api(file, ...SHOP);
    const adapter = await openAdapter(file, {}, { ...BORROWED, asked: () => undefined });
    await adapter.root();
    user.exec(sql);
    const folder = process.cwd();
    process.chdir(mkdtempSync(join(tmpdir(), "seqqa-kept-")));
    try {
      await adapter.close();
      return { user, error: undefined };
    } catch (error) {
      return { user, error };
    } finally {
      process.chdir(folder);
    }
  };

  test("also those that the last step wrote", async () => {
    const { user, error } = await end("delete from words; update orders set status = 'x'; drop table items; drop table orders");
    expect(error).toMatchObject({
      code: "ROWS_KEPT",
      exitStatus: 3,
      message: expect.stringContaining('table "orders" was dropped') as string,
    });
    const file = / to (\S+)\.$/.exec((error as Error).message)![1]!;
    expect((JSON.parse(readFileSync(file, "utf8")) as { rows: { table: string }[] }).rows.map(({ table }) => table)).toEqual([
      "orders",
      "orders",
      "orders",
    ]);
    expect(rowsOf(user, "words")).toEqual([["w"]]);
    expect(ours(user)).toEqual([]);
  });

  test("a dropped table with no changed rows is named", async () => {
    const { user, error } = await end("delete from words; drop table items");
    expect(error).toMatchObject({
      code: "STORE_NOT_PUT_BACK",
      exitStatus: 3,
      message: expect.stringContaining('table "items" was dropped') as string,
    });
    expect(rowsOf(user, "words")).toEqual([["w"]]);
    expect(ours(user)).toEqual([]);
  });

  test("a dropped table with no changed rows is named, too, if rows of another table are kept", async () => {
    const { error } = await end(
      "delete from words; update items set id = 2; drop table words; drop table items; create table items(a); drop table orders",
    );
    expect(error).toMatchObject({ code: "ROWS_KEPT", message: expect.stringContaining('table "orders" was dropped') as string });
  });

  test.each(["items", "words"])("the table %s that is dropped and made again with the same columns is named", async (table) => {
    const { user, error } = await end(`update orders set status = 'x'; drop table items; drop table words; ${SHOP[1]}; ${SHOP[2]};
      ${table === "items" ? SHOP[4] : SHOP[5]}`);
    expect(error).toMatchObject({
      code: "STORE_NOT_PUT_BACK",
      exitStatus: 3,
      message: expect.stringContaining("was dropped and created again") as string,
    });
    expect(rowsOf(user, "orders").map((row) => (row as unknown[])[1])).toEqual(["a", "b", "c"]);
    expect(ours(user)).toEqual([]);
  });

  test("a column that the target added stays", async () => {
    const { user, error } = await end("delete from words; alter table words add column more");
    expect(error).toBeUndefined();
    expect(rowsOf(user, "words")).toEqual([["w", null]]);
  });
});
