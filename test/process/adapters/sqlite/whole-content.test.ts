import { expect, test } from "vitest";
import { rooted } from "../../../support/sqlite-scratch.ts";

const TABLES = [
  "create table users(id text primary key, no integer)",
  "create table sessions(id integer primary key autoincrement, who text references users(id))",
  "create table tags(name text primary key) without rowid",
];

test("a lane whose root state has other rows takes over the whole content of another lane", async () => {
  const first = await rooted([...TABLES, "insert into users values ('a', 1), ('b', 2); insert into sessions(who) values ('a'), ('b')"]);
  first.db.exec("insert into users values ('c', 3); delete from sessions where who = 'b'; insert into tags values ('x')");
  const whole = structuredClone(await first.adapter.captureWhole());

  const second = await rooted([
    ...TABLES,
    "insert into users values ('b', 2), ('d', 4); insert into sessions(who) values ('d'), ('d'), ('d')",
  ]);
  second.db.exec("insert into tags values ('y'); delete from sessions where id = 2");
  await second.adapter.write(whole);
  const rows = (sql: string): unknown => second.db.prepare(sql).raw().all();
  expect(rows("select id, no from users order by no")).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  expect(rows("select id, who from sessions")).toEqual([[1, "a"]]);
  expect(rows("select name from tags")).toEqual([["x"]]);
  expect(rows("insert into sessions(who) values ('c') returning id")).toEqual([[3]]);

  await second.adapter.restore(second.mark);
  expect(await second.adapter.dump()).toBe(second.dump);
});

test("an external store has no whole content", async () => {
  const { adapter } = await rooted(TABLES, {}, { borrowed: true });
  expect(await adapter.captureWhole()).toBeUndefined();
});
