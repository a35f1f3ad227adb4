import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { column, rooted, session } from "./scratch.ts";

const TABLES = [
  "create table orders(id int primary key, status text)",
  "create table other(n int)",
  "insert into orders values (1, 'new')",
];

const waiting = "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

for (const borrowed of [false, true]) {
  test(`what is committed while a restore is under way shows in the last look${borrowed ? ", of a borrowed store" : ""}`, async () => {
    const { url, api, adapter, mark, dump } = await rooted(TABLES, {}, { borrowed });
    const slow = await session(url);
    await api.query("update orders set status = 'paid'");
    expect(await adapter.changed(mark)).toBe(true);
    // Holds the restore up without being in the middle of a write.
    await slow.query("begin; lock table orders in share mode");
    const restored = adapter.lastLook()!.restore(mark);
    while ((await column(api, waiting))[0] === 0) await pause(2);
    await api.query("insert into other values (1)");
    await slow.query("commit");
    expect(await restored).toBe(true);
    const late = adapter.lastLook()!;
    expect(late.mark).not.toBe(mark);
    expect(late.observe()).toMatchObject({ tables: [{ name: "other", added: [[1]], removed: [] }] });
    expect(await adapter.changed(late.mark)).toBe(false);
    expect(await late.restore(mark)).toBe(true);
    expect(await adapter.dump()).toBe(dump);
  });
}

test("a counter that was moved since the last look is a write", async () => {
  const { api, adapter, mark } = await rooted(["create sequence numbers", "create table t(n int)"]);
  await api.query("insert into t values (1)");
  await adapter.changed(mark);
  const look = adapter.lastLook()!;
  await api.query("select nextval('numbers')");
  expect(await look.restore(mark)).toBe(false);
  expect(await column(api, "select n from t")).toEqual([1]);
  await adapter.restore(mark);
  expect(adapter.lastLook()!.mark).toBe(mark);
});

test("a schema that was changed since the last look is refused", async () => {
  const { api, adapter, mark } = await rooted(TABLES);
  await api.query("update orders set status = 'paid'");
  await adapter.changed(mark);
  const look = adapter.lastLook()!;
  await api.query("alter table orders add column more int");
  await expect(look.restore(mark)).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
});

test("a restore from the last look waits for an open transaction, and refuses what it has written", async () => {
  const { api, url, adapter, mark } = await rooted(TABLES);
  await api.query("update orders set status = 'paid'");
  await adapter.changed(mark);
  const slow = await session(url);
  await slow.query("begin; insert into other values (2)");
  const restored = adapter.lastLook()!.restore(mark);
  expect(await Promise.race([restored.then(() => "restored"), pause(60, "waits")])).toBe("waits");
  await slow.query("commit");
  expect(await restored).toBe(false);
  expect(await column(api, "select status from orders")).toEqual(["paid"]);
});

test("rows of several tables, some without a key and equal, are put back in one restore", async () => {
  const { api, adapter, mark, dump } = await rooted([...TABLES, "insert into other values (1), (1), (2)"]);
  await api.query(
    "delete from other where n = 1; insert into other values (3), (3), (3); update orders set id = 5; insert into orders values (1, 'x')",
  );
  await adapter.changed(mark);
  expect(await adapter.lastLook()!.restore(mark)).toBe(true);
  expect(await adapter.dump()).toBe(dump);
});
