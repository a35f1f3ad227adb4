import { expect, test } from "vitest";
import { column, rooted } from "./scratch.ts";

const TABLES = [
  "create table users(id text primary key, no serial)",
  "create table sessions(who text references users, token text)",
  "create table empty(n int)",
];

test("a lane whose root state has other rows takes over the whole content of another lane", async () => {
  const first = await rooted([
    ...TABLES,
    "insert into users(id) values ('a'), ('b')",
    "insert into sessions values ('a', 'x'), ('a', 'x'), (null, null)",
  ]);
  await first.api.query("insert into users(id) values ('c'); delete from sessions where who is null");
  const whole = structuredClone(await first.adapter.captureWhole());

  const second = await rooted([...TABLES, "insert into users(id) values ('b'), ('d')", "insert into sessions values ('d', 'x')"]);
  await second.api.query("insert into empty values (1)");
  await second.adapter.write(whole);
  expect(await column(second.api, "select id from users order by no")).toEqual(["a", "b", "c"]);
  expect(await column(second.api, "select who || token from sessions")).toEqual(["ax", "ax"]);
  expect(await column(second.api, "select n from empty")).toEqual([]);
  expect(await column(second.api, "insert into users(id) values ('e') returning no")).toEqual([4]);

  await second.adapter.restore(second.mark);
  expect(await second.adapter.dump()).toBe(second.dump);
});

test("a store with too many rows, and an external store, have no whole content", async () => {
  const { adapter } = await rooted(["create table t(n int)", "insert into t select generate_series(1, 20001)"]);
  expect(await adapter.captureWhole()).toBeUndefined();
  const external = await rooted(TABLES, {}, { borrowed: true });
  expect(await external.adapter.captureWhole()).toBeUndefined();
});
