import fc from "fast-check";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { stores, type PostgresAdapter } from "../../../../src/adapters/postgres/index.ts";
import { LOCK } from "../../../../src/adapters/postgres/connect/control.ts";
import { connect, TEXT_SETTINGS } from "../../../../src/adapters/postgres/connect/connect.ts";
import { readDump } from "../../../../src/adapters/postgres/journal/full-reading.ts";
import { storeUrl } from "../../../../src/adapters/postgres/connect/store-url.ts";
import type { RowImages } from "../../../../src/model/stores/leftover.ts";
import type { StoreScope } from "../../../../src/model/stores/store-adapter.ts";
import { admin } from "../../../contract/system/postgres-databases.ts";
import { full, size, some } from "../../../sizes.ts";
import { otherRuns } from "../../../support/other-run.ts";
import { adapterOn, column, failure, SCOPE, scratch, session, type By, type Scratch } from "./scratch.ts";

const BORROWED = { ...SCOPE, borrowed: true };
const SHOP = [
  "create table orders(id serial primary key, code text unique, v int)",
  "create table items(id serial primary key, order_id int references orders, v int)",
  "insert into orders(code, v) values ('a', 0), ('b', 0), ('c', 0)",
  "insert into items(order_id, v) values (1, 0), (1, 0), (2, 0)",
];
const runs = otherRuns("postgres");

const scratchBy =
  (by: By) =>
  (statements: readonly string[]): Promise<Scratch> =>
    scratch(statements, by);

/** The database as anybody sees it. */
async function dumpOf(url: string): Promise<string> {
  const client = await connect(storeUrl(url), { rawText: true, settings: TEXT_SETTINGS });
  try {
    return await readDump(client);
  } finally {
    await client.end();
  }
}

/** The database, with all that a run installed in it. */
async function wholeDump(store: Scratch): Promise<string> {
  const ours = await store.api.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relnamespace = 'seqqa_journal'::regnamespace and relkind in ('r', 'S') order by 1",
  );
  const lines = [await dumpOf(store.url)];
  for (const { name } of ours.rows)
    lines.push(name, ...((await column(store.api, `select row(t.*)::text from ${name} t order by 1`)) as string[]));
  return lines.join("\n");
}

const rows = (client: pg.Client, table: string): Promise<unknown[]> => column(client, `select t::text from ${table} t order by id`);

const named = (images: readonly RowImages[] | undefined): string[] => (images ?? []).map(({ table, key }) => `${table} ${key}`).sort();

/** Ends the sessions of the run, with nothing tidied up: SIGKILL does the same. */
async function kill({ database }: Scratch): Promise<void> {
  await admin((client) =>
    client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'seqqa'", [database]),
  );
}

async function expectNoTrace({ api }: Scratch): Promise<void> {
  expect(
    await column(
      api,
      `select nspname from pg_namespace where nspname like 'seqqa%' union all select tgname from pg_trigger where tgname like '%seqqa%'
       union all select evtname from pg_event_trigger`,
    ),
  ).toEqual([]);
}

async function opened(store: Scratch, scope: Partial<StoreScope> = {}): Promise<PostgresAdapter> {
  const adapter = adapterOn(store.url);
  await adapter.open({ ...BORROWED, ...scope });
  await adapter.root();
  return adapter;
}

/** A run that recorded `writes`, and is dead. */
async function killedAfter(store: Scratch, writes: string, scope: Partial<StoreScope> = {}): Promise<void> {
  const adapter = await opened(store, scope);
  await store.api.query(writes);
  await adapter.observe();
  await kill(store);
}

/** Closes a run that has to leave a row as it is. Returns what the file says in which its images are. */
async function keptAtClose(adapter: PostgresAdapter, row: string): Promise<unknown> {
  const error = await adapter.close().catch((cause: unknown) => cause);
  expect(error).toEqual(failure("ROWS_KEPT", row));
  const file = / wrote the earlier values (?:of these rows )?to (.*)\.$/.exec((error as Error).message)![1]!;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } finally {
    rmSync(file);
  }
}

describe.each(some<By>(["owner", "superuser"], 1))("a run of a role that is %s, killed", (by) => {
  const scratch = scratchBy(by);

  test.each(Array.from({ length: size(1, 20) }, (_, i) => i))("leaves every row that another client wrote, kill %i", async (nth) => {
    const store = await scratch(SHOP);
    const { api, url } = store;
    const [other, late] = [await session(url), await session(url)];
    const run = runs.start(`const db = new PostgresAdapter({ url: ${JSON.stringify(url)} });
      await db.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
      await db.root();
      say("ready");
      const seen = async () => (await db.observe()).tables.flatMap(({ added }) => added).some((row) => row.includes(99));
      while (!(await seen())) await new Promise((resolve) => setTimeout(resolve, 5));
      say("recorded");`);
    expect(await run.said()).toBe("ready");
    await api.query(
      "update orders set v = 1 where id = 1; update orders set v = 1 where id = 2; insert into orders(code, v) values ('d', 1), ('e', 1)",
    );
    await api.query("delete from items where id = 2; insert into items(order_id, v) values (4, 1), (5, 99)");
    expect(await run.said()).toBe("recorded");
    // Before the kill, in flight, and after it.
    await other.query("insert into orders(code, v) values ('before', 7)");
    await late.query("begin; insert into orders(code, v) values ('in flight', 7); update orders set v = 7 where id = 3");
    await pause(nth % 7);
    await run.kill();
    await late.query("commit");
    await other.query("update orders set v = 7 where id = 1; insert into items(order_id, v) values (4, 7)");
    const text = await wholeDump(store);
    await expect(adapterOn(url).open(BORROWED)).rejects.toEqual(failure("STORE_LEFT", "does not change "));
    const planned = await stores.clean(url, { dryRun: true });
    expect(await wholeDump(store)).toBe(text);
    let told: readonly RowImages[] | undefined;
    const done = await stores.clean(url, {
      onKept: ({ keep }) => {
        told = keep;
      },
    });
    expect(done).toEqual(planned);
    expect(told).toEqual(done.leftover?.keep);
    expect(await rows(api, "orders")).toEqual(["(1,a,7)", "(2,b,0)", "(3,c,7)", "(4,d,1)", "(6,before,7)", '(7,"in flight",7)']);
    expect(await rows(api, "items")).toEqual(["(1,1,0)", "(2,1,0)", "(3,2,0)", "(6,4,7)"]);
    expect(named(done.leftover?.keep)).toEqual(["items id 6", "orders id 1", "orders id 3", "orders id 4", "orders id 6", "orders id 7"]);
    expect(named(done.leftover?.undo)).toEqual(["items id 2", "items id 4", "items id 5", "orders id 2", "orders id 5"]);
    expect(done.leftover?.keep.find(({ key, table }) => `${table} ${key}` === "orders id 1")).toEqual({
      table: "orders",
      key: "id 1",
      root: { id: 1, code: "a", v: 0 },
      recorded: { id: 1, code: "a", v: 1 },
      now: { id: 1, code: "a", v: 7 },
    });
    await expectNoTrace(store);
    // New rows collide with nothing.
    await api.query("insert into orders(code) values ('next'); insert into items(order_id) values (1)");
    expect(await stores.clean(url)).toEqual({ removed: [] });
  });

  test("puts back what fits: a place that somebody took stays theirs, and what needed it stays away", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "delete from items where order_id = 1; delete from orders where id = 1; delete from items where id = 3");
    await store.api.query("insert into orders(id, code, v) values (9, 'a', 7)");
    const { leftover } = await stores.clean(store.url);
    expect(await rows(store.api, "orders")).toEqual(["(2,b,0)", "(3,c,0)", "(9,a,7)"]);
    expect(await rows(store.api, "items")).toEqual(["(3,2,0)"]);
    expect(named(leftover?.keep)).toEqual(["items id 1", "items id 2", "orders id 1", "orders id 9"]);
    expect(named(leftover?.undo)).toEqual(["items id 3"]);
  });

  test("what somebody put back by hand is nothing to do, and not told of", async () => {
    const store = await scratch(SHOP);
    const before = await dumpOf(store.url);
    await killedAfter(store, "update orders set v = 1 where id = 1; insert into orders(code) values ('d'); delete from items where id = 3");
    await store.api.query("update orders set v = 0 where id = 1; delete from orders where id = 4; insert into items values (3, 2, 0)");
    expect(await stores.clean(store.url)).toEqual({ removed: [expect.any(String)] });
    expect(await dumpOf(store.url)).toBe(before);
  });

  test("a constraint that is deferred is not broken either", async () => {
    const store = await scratch([
      "create table places(id int primary key, place int unique deferrable initially deferred)",
      "insert into places values (1, 1), (2, 2)",
    ]);
    await killedAfter(store, "update places set place = place + 10");
    await store.api.query("insert into places values (3, 1)");
    const { leftover } = await stores.clean(store.url);
    expect(await rows(store.api, "places")).toEqual(["(1,11)", "(2,2)", "(3,1)"]);
    expect(named(leftover?.keep)).toEqual(["places id 1", "places id 3"]);
  });

  // Its NOT VALID foreign key is checked for an owner.
  test.skipIf(by === "owner")(
    "generated and identity columns, partitions, keys with several texts, and rows without a parent from the beginning",
    async () => {
      const store = await scratch([
        "create table own(id int generated always as identity primary key, a int, twice int generated always as (a * 2) stored)",
        "insert into own(a) values (1), (2)",
        "create table part(k numeric primary key, v text) partition by range (k)",
        "create table part_low partition of part for values from (0) to (10)",
        "create table part_high partition of part for values from (10) to (20)",
        "create table leaf(id int primary key, k numeric, v int)",
        "insert into part values (1, 'one'), (11, 'eleven')",
        "insert into leaf values (1, 11, 0), (2, 5, 0)",
        // Row 2 has had no parent from the beginning.
        "alter table leaf add foreign key (k) references part not valid",
      ]);
      const before = await dumpOf(store.url);
      await killedAfter(
        store,
        `update own set a = 5 where id = 1; insert into own(a) values (9); update leaf set v = 1 where id = 2;
       delete from leaf where id = 1; delete from part where k = 11; update part set k = 1.00, v = 'x' where k = 1`,
      );
      const { leftover } = await stores.clean(store.url);
      expect(named(leftover?.keep)).toEqual([]);
      expect(named(leftover?.undo)).toEqual(["leaf id 1", "leaf id 2", "own id 1", "own id 3", "part k 1", "part k 11"]);
      expect(await dumpOf(store.url)).toBe(before);
    },
  );

  test("rows without a key: what was there as often as recorded goes; where one is missing, none is put in beside it", async () => {
    const store = await scratch([
      "create table bag(a int, b text)",
      "create table loose(a int)",
      "insert into bag values (1, 'x'), (1, 'x'), (2, 'y')",
      "insert into loose values (1)",
    ]);
    await killedAfter(store, "update bag set b = 'run' where a = 2; insert into bag values (3, 'run'), (3, 'run'); delete from loose");
    await store.api.query(
      "update bag set b = 'user' where a = 2; insert into bag values (3, 'run'), (4, 'user'); insert into loose values (5)",
    );
    const { leftover } = await stores.clean(store.url);
    expect(await column(store.api, "select t::text from bag t order by 1")).toEqual(["(1,x)", "(1,x)", "(2,user)", "(3,run)", "(4,user)"]);
    expect(await column(store.api, "select t::text from loose t order by 1")).toEqual(["(1)", "(5)"]);
    expect(named(leftover?.keep)).toEqual(["bag a 2, b user", "bag a 2, b y", "bag a 3, b run", "bag a 4, b user", "loose a 5"]);
    expect(named(leftover?.undo)).toEqual(["bag a 3, b run", "bag a 3, b run", "loose a 1"]);
  });

  test("rows without a key that are not there as often as recorded stay", async () => {
    const store = await scratch(["create table pairs(a int)", "insert into pairs values (1)"]);
    await killedAfter(store, "insert into pairs values (2), (2), (3)");
    await store.api.query("delete from pairs where ctid = (select max(ctid) from pairs where a = 2)");
    const { leftover } = await stores.clean(store.url);
    expect(await column(store.api, "select a from pairs order by 1")).toEqual([1, 2]);
    expect(named(leftover?.keep)).toEqual(["pairs a 2"]);
    expect(named(leftover?.undo)).toEqual(["pairs a 3"]);
  });

  test("rows without a key after the lease is over: changed ones of the run are named, and deleted ones that are there again are not doubled", async () => {
    const store = await scratch([
      "create table bag(a int)",
      "insert into bag values (1), (1), (2), (3), (4), (4)",
      "create table loose(a int)",
    ]);
    await killedAfter(
      store,
      "insert into bag values (8); delete from bag where a in (2, 3) or ctid = '(0,5)'; insert into loose values (7), (9)",
    );
    await store.api.query("select setval('seqqa_journal.lease', 1)");
    await store.api.query("update loose set a = 77 where a = 7; insert into bag values (2), (5)");
    const { leftover } = await stores.clean(store.url);
    expect(leftover?.keep).toEqual([{ table: "loose", key: "a 7", root: null, recorded: { a: 7 }, now: null }]);
    expect(named(leftover?.undo)).toEqual(["bag a 3", "bag a 4", "bag a 8", "loose a 9"]);
    expect(await column(store.api, "select a from bag order by 1")).toEqual([1, 1, 2, 3, 4, 4, 5]);
    expect(await column(store.api, "select a from loose")).toEqual([77]);
  });

  test("rows without a key that the run itself put in again are not taken for somebody else's", async () => {
    const store = await scratch(["create table bag(a int)", "insert into bag values (1), (1), (2)"]);
    const before = await dumpOf(store.url);
    const adapter = await opened(store);
    await store.api.query("delete from bag where ctid = '(0,1)'");
    const mark = await adapter.mark();
    await store.api.query("delete from bag where a = 1");
    await adapter.observe();
    await adapter.restore(mark);
    await kill(store);
    await stores.clean(store.url);
    expect(await dumpOf(store.url)).toBe(before);
  });

  test("sequences: not below a value in use, and one that somebody drew from stays", async () => {
    const store = await scratch([...SHOP, "create sequence free", "create sequence drawn"]);
    const { api, url } = store;
    await killedAfter(
      store,
      "insert into orders(code) values ('d'), ('e'), ('f'); insert into items(v) values (1), (2); select nextval('free'), nextval('drawn')",
    );
    await api.query("insert into items(id, order_id) values (6, 5); select nextval('drawn')");
    await stores.clean(url);
    // Row 5 stays, since an item of somebody else's needs it.
    expect(await column(api, "select last_value from orders_id_seq union all select last_value from items_id_seq")).toEqual(["5", "3"]);
    expect(await column(api, "select nextval('free') union all select nextval('drawn')")).toEqual(["2", "3"]);
  });

  test("sequences that were reset behind their old values go back: no value is given twice", async () => {
    const store = await scratch([
      ...SHOP,
      "create sequence free start 5",
      "create sequence down increment -1 start -5",
      "select nextval('free'), nextval('down')",
    ]);
    await killedAfter(store, "insert into orders(code) values ('d')");
    // In flight after the last look.
    await store.api.query("select setval('free', 2), setval('down', -2), setval('orders_id_seq', 1, false)");
    await stores.clean(store.url);
    expect(
      await column(store.api, "select nextval('free') union all select nextval('down') union all select last_value from orders_id_seq"),
    ).toEqual(["6", "-6", "3"]);
  });

  test("sequences that something else than a whole-number column may use stay where they are", async () => {
    const store = await scratch([
      ...SHOP,
      "create sequence code",
      "create table coded(id bigint primary key, st text)",
      "create sequence inv",
      "create table invoices(no text primary key default 'INV-' || nextval('inv'), st text)",
      "create sequence tens",
      "create table shards(id int primary key default nextval('tens') * 10, st text)",
      "create sequence blocks increment by 50",
      "create table hibernate(id int primary key default nextval('blocks'))",
    ]);
    await killedAfter(
      store,
      `insert into coded values (nextval('code'), 'run'); insert into invoices(st) values ('run'); insert into shards(st) values ('run');
       insert into hibernate values (default); insert into orders(code) values ('run')`,
    );
    await store.api.query("update coded set st = 'user'; update invoices set st = 'user'; update shards set st = 'user'");
    await stores.clean(store.url);
    const next = ["code", "inv", "tens", "blocks", "orders_id_seq"].map((name) => `select nextval('${name}')`).join(" union all ");
    expect(await column(store.api, next)).toEqual(["2", "2", "2", "51", "4"]);
  });

  test("sequences of which values are kept in memory are set forward if the run has reset them", async () => {
    const store = await scratch([
      "create sequence blocks increment by 50",
      "create table t(id int primary key default nextval('blocks'))",
      "alter sequence blocks owned by t.id",
      "insert into t values (default), (default)",
    ]);
    await killedAfter(store, "truncate t restart identity; insert into t default values");
    await stores.clean(store.url);
    expect(await column(store.api, "insert into t values (default) returning id")).toEqual([101]);
  });

  test("schema changes after the last record keep nothing from being put back, where the tables of the run are as they were", async () => {
    const store = await scratch([...SHOP, "create materialized view seen as select * from orders"]);
    await killedAfter(store, "update orders set v = 5 where id = 1");
    const ddl = [
      "create function f() returns int language sql as 'select 1'",
      "create index on orders(v); comment on table orders is 'mine'; grant select on orders to public",
      "refresh materialized view seen; create table notes(id serial primary key, order_id int references orders); insert into notes(order_id) values (1)",
    ];
    for (const sql of ddl) await store.api.query(sql);
    expect(named((await stores.clean(store.url)).leftover?.undo)).toEqual(["orders id 1"]);
    expect(await rows(store.api, "orders")).toEqual(["(1,a,0)", "(2,b,0)", "(3,c,0)"]);
    expect(await rows(store.api, "notes")).toEqual(["(1,1)"]);
    await killedAfter(store, "update orders set v = 5 where id = 1");
    await store.api.query("alter table orders add w int not null default 7");
    expect(named((await stores.clean(store.url)).leftover?.undo)).toEqual(["orders id 1"]);
    expect(await rows(store.api, "orders")).toEqual(["(1,a,0,7)", "(2,b,0,7)", "(3,c,0,7)"]);
  });

  test("columns that were added during the run or later keep their values, and deleted rows get the defaults", async () => {
    const store = await scratch([...SHOP, "create table log(what text)"]);
    const adapter = await opened(store);
    await store.api.query(
      "insert into log values ('run'); update orders set v = 5 where id = 1; delete from orders where id = 3; " +
        "alter table orders add w int not null default 7; update orders set v = 6, w = 8 where id = 1; update orders set code = 'z' where id = 2",
    );
    await expect(adapter.observe()).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
    await kill(store);
    await store.api.query("alter table orders add x text; alter table log add at int; update orders set x = 'mine' where id = 2");
    const { leftover, failures } = await stores.clean(store.url);
    expect(failures).toBeUndefined();
    expect(named(leftover?.undo)).toEqual(["orders id 1", "orders id 2", "orders id 3"]);
    expect(await rows(store.api, "orders")).toEqual(["(1,a,0,8,)", "(2,b,0,7,mine)", "(3,c,0,7,)"]);
    expect(leftover?.keep).toEqual([
      {
        table: "log",
        key: "what run",
        root: null,
        recorded: { what: "run" },
        now: undefined,
        why: 'table "public.log" was altered',
      },
    ]);
    expect(await column(store.api, "select nspname from pg_namespace where nspname like 'seqqa%'")).toEqual([]);
  });

  test("a row of the run that has a value of its own in a column that was added later stays", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "insert into orders(code) values ('run'), ('other'); update orders set v = 5 where id = 1");
    await store.api.query(
      "alter table orders add z int generated always as (id + 1) stored; alter table orders add x text, add y int not null default 7; update orders set x = 'mine' where id in (1, 4)",
    );
    const { leftover } = await stores.clean(store.url);
    expect(named(leftover?.undo)).toEqual(["orders id 1", "orders id 5"]);
    expect(leftover?.keep).toMatchObject([
      { table: "orders", key: "id 4", root: null, now: { x: "mine" }, why: expect.stringContaining("a column that was added") as string },
    ]);
    expect(await rows(store.api, "orders")).toEqual(["(1,a,0,2,mine,7)", "(2,b,0,3,,7)", "(3,c,0,4,,7)", "(4,run,,5,mine,7)"]);
  });

  test("a table with a column of another kind does not keep the other tables from being restored", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "update items set v = 9 where id = 3; update orders set v = 5 where id = 1; delete from orders where id = 3");
    await store.api.query("alter table orders drop column v");
    let kept: unknown;
    const { leftover } = await stores.clean(store.url, { onKept: (one) => void (kept = one.keep) });
    expect(named(leftover?.undo)).toEqual(["items id 3"]);
    expect(await rows(store.api, "items")).toEqual(["(1,1,0)", "(2,1,0)", "(3,2,0)"]);
    expect(kept).toMatchObject([
      { table: "orders", key: "id 1", root: { id: 1, code: "a", v: 0 }, recorded: { id: 1, code: "a", v: 5 } },
      { table: "orders", key: "id 3", root: { id: 3, code: "c", v: 0 }, recorded: null, why: 'table "public.orders" was altered' },
    ]);
  });

  test("a row that a table of later refers to stays, and so does what refers to it, although its foreign key cascades", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "insert into orders(code) values ('run'); update orders set v = 5 where id = 1");
    await store.api.query("create table notes(id serial primary key, order_id int references orders on delete cascade)");
    await store.api.query("insert into notes(order_id) values (1), (4)");
    const { leftover } = await stores.clean(store.url);
    expect(await rows(store.api, "notes")).toEqual(["(1,1)", "(2,4)"]);
    expect(named(leftover?.undo)).toEqual(["orders id 1"]);
    expect(named(leftover?.keep)).toEqual(["orders id 4"]);
  });

  test("a schema change that was recorded does not keep rows from being restored", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "update orders set v = 5 where id = 1");
    await store.api.query("insert into seqqa_journal.kept(step, rel, o) values (1, 0, 'CREATE FUNCTION f')");
    expect(named((await stores.clean(store.url, { dryRun: true })).leftover?.undo)).toEqual(["orders id 1"]);
    await store.api.query("create table more(a int)");
    await store.api.query("update seqqa_journal.kept set o = 'REFRESH MATERIALIZED VIEW seen' where rel = 0");
    expect((await stores.clean(store.url)).leftover).toMatchObject({ undo: [{ key: "id 1" }], unlogged: "REFRESH MATERIALIZED VIEW seen" });
  });

  test("a run does not begin where a killed run made only a change that cannot be undone", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "select 1");
    await store.api.query("insert into seqqa_journal.kept(step, rel, o) values (1, 0, 'REFRESH MATERIALIZED VIEW seen')");
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("STORE_LEFT", "cannot undo this change: REFRESH"));
    expect((await stores.clean(store.url)).leftover).toMatchObject({ undo: [], keep: [], unlogged: "REFRESH MATERIALIZED VIEW seen" });
    await (await opened(store)).close();
  });

  test("rows of a table that was dropped after the lease is over go to a file, if the run changed them", async () => {
    const store = await scratch([...SHOP, "create table other(a int primary key)"]);
    await killedAfter(store, "update orders set v = 5 where id = 1");
    await store.api.query("select setval('seqqa_journal.lease', 1); alter table other add b int");
    expect(await stores.clean(store.url, { dryRun: true })).toMatchObject({ leftover: { undo: [{ key: "id 1" }] } });
    await store.api.query("drop table orders cascade");
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("STORE_LEFT", 'table "public.orders" was dropped'));
    expect((await stores.clean(store.url)).leftover?.keep).toMatchObject([{ table: "orders", root: { v: 0 }, recorded: { v: 5 } }]);
  });
});

describe.each(some<By>(["superuser", "owner", "granted owner"], 1))("property, as %s", (by) => {
  const scratch = scratchBy(by);
  type Who = "run" | "flight" | "user";
  interface Op {
    readonly who: Who;
    readonly sql: string;
  }
  interface State {
    readonly parents: ReadonlyMap<number, Parent>;
    readonly kids: ReadonlyMap<number, Kid>;
  }
  interface Parent {
    readonly id: number;
    readonly code: string | null;
    readonly v: number;
  }
  interface Kid {
    readonly id: number;
    readonly parent: number | null;
    readonly v: number;
  }
  type Row = Parent | Kid;
  const TABLES = [
    "create table parents(id serial primary key, code text unique, v int not null)",
    "create table kids(id serial primary key, parent int references parents, v int not null)",
  ];
  const SEED =
    "insert into parents(code, v) values ('a', 0), ('b', 0), ('c', 0); insert into kids(parent, v) values (1, 0), (1, 0), (2, 0), (null, 0)";
  const id = fc.integer({ min: 1, max: 5 });
  const code = fc.constantFrom("a", "b", "c", "d");
  const v = fc.integer({ min: 0, max: 2 });
  const sql = fc.oneof(
    fc.tuple(code, v).map(([c, n]) => `insert into parents(code, v) values ('${c}', ${n})`),
    fc.tuple(id, code).map(([i, c]) => `update parents set code = '${c}' where id = ${i}`),
    fc.tuple(id, v).map(([i, n]) => `update parents set v = ${n} where id = ${i}`),
    id.map((i) => `delete from parents where id = ${i}`),
    fc.tuple(id, id).map(([i, to]) => `update parents set id = ${to + 20} where id = ${i}`),
    fc.tuple(id, v).map(([p, n]) => `insert into kids(parent, v) values (${p}, ${n})`),
    fc.tuple(id, id, v).map(([i, p, n]) => `update kids set parent = ${p}, v = ${n} where id = ${i}`),
    id.map((i) => `delete from kids where id = ${i}`),
  );
  const ops = fc
    .record({
      run: fc.array(sql, { maxLength: 10 }),
      flight: fc.array(sql, { maxLength: 3 }),
      user: fc.array(sql, { maxLength: 8 }),
      silent: fc.boolean(),
      looks: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ run, flight, user, ...rest }) => {
      const all: Op[] = [];
      for (const [who, texts] of [
        ["run", run],
        ["flight", flight],
        ["user", user],
      ] as const)
        for (const text of texts) all.push({ who, sql: text });
      return { ops: all, ...rest };
    });

  const read = async (client: pg.Client): Promise<State> => ({
    parents: new Map((await client.query<Parent>("select * from parents")).rows.map((row) => [row.id, row])),
    kids: new Map((await client.query<Kid>("select * from kids")).rows.map((row) => [row.id, row])),
  });
  const same = (a: Row | undefined, b: Row | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

  /** The state that has to come out: a model that knows the three states, and nothing of logs. */
  function expected(
    root: State,
    recorded: State,
    now: State,
  ): { readonly state: State; readonly kept: string[]; readonly undone: string[] } {
    const names = ["parents", "kids"] as const;
    const undo = new Set<string>();
    const kept = new Set<string>();
    for (const name of names) {
      for (const key of new Set([...root[name].keys(), ...recorded[name].keys(), ...now[name].keys()])) {
        const [r, l, n] = [root, recorded, now].map((state) => state[name].get(key));
        if (same(r, n)) continue;
        (same(l, n) ? undo : kept).add(`${name} id ${key}`);
      }
    }
    const at = (name: "parents" | "kids", key: number): Row | undefined => (undo.has(`${name} id ${key}`) ? root : now)[name].get(key);
    for (;;) {
      const parents = new Map<number, Parent>();
      const kids = new Map<number, Kid>();
      for (const key of new Set([...root.parents.keys(), ...now.parents.keys()])) {
        const row = at("parents", key) as Parent | undefined;
        if (row !== undefined) parents.set(key, row);
      }
      for (const key of new Set([...root.kids.keys(), ...now.kids.keys()])) {
        const row = at("kids", key) as Kid | undefined;
        if (row !== undefined) kids.set(key, row);
      }
      const wrong = new Set<string>();
      for (const one of parents.values()) {
        const twice = [...parents.values()].some((other) => other.id !== one.id && one.code !== null && other.code === one.code);
        if (twice && undo.has(`parents id ${one.id}`)) wrong.add(`parents id ${one.id}`);
      }
      const lonely = [...kids.values()].filter(({ parent }) => parent !== null && !parents.has(parent));
      if (wrong.size === 0) for (const { parent } of lonely) if (undo.has(`parents id ${parent}`)) wrong.add(`parents id ${parent}`);
      if (wrong.size === 0) for (const one of lonely) wrong.add(`kids id ${one.id}`);
      if (wrong.size === 0) return { state: { parents, kids }, kept: [...kept].sort(), undone: [...undo].sort() };
      for (const one of wrong) {
        undo.delete(one);
        kept.add(one);
      }
    }
  }

  test("three states decide, whatever the order of the writes of the run, in flight and of the user", async () => {
    const template = await scratch([...TABLES, SEED]);
    const { api } = template;
    await fc.assert(
      fc.asyncProperty(ops, async ({ ops: all, silent, looks }) => {
        await api.query(`truncate parents, kids restart identity; ${SEED}`);
        const root = await read(api);
        const adapter = await opened(template);
        const tried = async (who: Who, each: (i: number) => Promise<void> = async () => undefined): Promise<void> => {
          const own = all.filter((op) => op.who === who);
          for (const [i, op] of own.entries()) {
            await api.query(op.sql).catch(() => undefined);
            await each(i);
          }
        };
        await tried("run", async (i) => void (i % looks === 0 && (await adapter.observe())));
        await adapter.observe();
        const recorded = await read(api);
        await tried("flight");
        await kill(template);
        await tried("user", async (i) => void (silent && i === 0 && (await api.query("select setval('seqqa_journal.lease', 1)"))));
        const now = await read(api);
        const model = expected(root, recorded, now);
        const dump = await dumpOf(template.url);
        const planned = await stores.clean(template.url, { dryRun: true });
        expect(await dumpOf(template.url)).toBe(dump);
        const done = await stores.clean(template.url);
        expect(done).toEqual(planned);
        const state = await read(api);
        expect(new Map([...state.parents].sort(([a], [b]) => a - b))).toEqual(new Map([...model.state.parents].sort(([a], [b]) => a - b)));
        expect(new Map([...state.kids].sort(([a], [b]) => a - b))).toEqual(new Map([...model.state.kids].sort(([a], [b]) => a - b)));
        expect(named(done.leftover?.undo)).toEqual(model.undone);
        // After the lease was over, rows that only the user wrote are nobody's business.
        const told = named(done.leftover?.keep);
        expect(silent ? told.every((row) => model.kept.includes(row)) : told).toEqual(silent ? true : model.kept);
        // The next values of the sequences are free.
        await api.query(
          "insert into parents(v) select 9 from generate_series(1, 2); insert into kids(v) select 9 from generate_series(1, 2)",
        );
      }),
      { numRuns: size(4, 600) },
    );
    await expectNoTrace(template);
  });
});

describe("the lease", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
  const end = (store: Scratch): Promise<unknown> =>
    store.api.query("select setval('seqqa_journal.lease', extract(epoch from now())::bigint - 1)");

  test("over, triggers stop logging, and the run touches nothing any more, not even when it closes", async () => {
    const store = await scratch(SHOP);
    const { api } = store;
    const adapter = await opened(store);
    const mark = await adapter.mark();
    await api.query("insert into orders(code) values ('run')");
    await adapter.observe();
    await end(store);
    await api.query("insert into orders(code) values ('user'); update items set v = 7; truncate items; create table more(a int)");
    expect(await column(api, "select count(*)::int from seqqa_journal.log")).toEqual([0]);
    const whole = await wholeDump(store);
    for (const ask of [() => adapter.observe(), () => adapter.restore(mark), () => adapter.mark(), () => adapter.close()]) {
      await expect(ask()).rejects.toMatchObject({
        code: "LEASE_OVER",
        exitStatus: 3,
        message: expect.stringContaining(storeUrl(store.url).shown) as string,
      });
      expect(await wholeDump(store)).toBe(whole);
    }
    const { leftover } = await stores.clean(store.url);
    expect(named(leftover?.undo)).toEqual(["orders id 4"]);
    expect(await column(api, "select code from orders order by id")).toEqual(["a", "b", "c", "user"]);
  });

  test("a restore and a close find it over by themselves; a schema that is gone counts as over", async () => {
    for (const asks of ["restore", "close", "gone", "gone at the end"]) {
      const store = await scratch(SHOP);
      const adapter = await opened(store);
      const mark = await adapter.mark();
      await store.api.query("insert into orders(code) values ('run')");
      await adapter.observe();
      if (asks.startsWith("gone")) await store.api.query("drop schema seqqa_journal cascade");
      else await end(store);
      const dump = await dumpOf(store.url);
      await expect(asks === "close" || asks === "gone at the end" ? adapter.close() : adapter.restore(mark)).rejects.toEqual(
        failure("LEASE_OVER"),
      );
      expect(await dumpOf(store.url)).toBe(dump);
    }
  });

  test("over, the session of the run is ended by clean and by the next run, which find what it left", async () => {
    for (const ended of ["clean", "next run"]) {
      const store = await scratch(SHOP);
      const adapter = await opened(store);
      const mark = await adapter.mark();
      await store.api.query("update orders set v = 1 where id = 1");
      await adapter.observe();
      // The run holds the lease: its session is left alone.
      expect(await stores.clean(store.url)).toMatchObject({
        removed: [],
        inUse: expect.stringContaining("another run of seqqa") as string,
      });
      await adapter.observe();
      await end(store);
      // As after a SIGSTOP: the process has sent no heartbeat for this long.
      vi.setSystemTime(Date.now() + 40_000);
      if (ended === "next run") await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("STORE_LEFT"));
      expect(named((await stores.clean(store.url)).leftover?.undo)).toEqual(["orders id 1"]);
      const dump = await dumpOf(store.url);
      for (const ask of [() => adapter.observe(), () => adapter.restore(mark), () => adapter.mark(), () => adapter.close()])
        await expect(ask()).rejects.toMatchObject({ code: "LEASE_OVER", exitStatus: 3 });
      expect(await dumpOf(store.url)).toBe(dump);
      await expectNoTrace(store);
    }
  });

  test("over, no session is ended but that of the run", async () => {
    const store = await scratch(SHOP);
    await killedAfter(store, "update orders set v = 1 where id = 1");
    await end(store);
    const other = await session(store.url);
    await other.query(`select pg_advisory_lock(${LOCK})`);
    expect(await stores.clean(store.url)).toMatchObject({ removed: [], inUse: expect.stringContaining("another run of seqqa") as string });
    expect(await column(other, `select pg_advisory_unlock(${LOCK})`)).toEqual([true]);
    expect(named((await stores.clean(store.url)).leftover?.undo)).toEqual(["orders id 1"]);
  });

  test("is renewed while it holds, for a transaction with an old snapshot as well", async () => {
    const store = await scratch(SHOP);
    const { api, url } = store;
    const adapter = await opened(store);
    const old = await session(url);
    await old.query("begin isolation level repeatable read; select * from orders");
    await api.query("select setval('seqqa_journal.lease', extract(epoch from now())::bigint + 8)");
    const [before] = await column(api, "select last_value from seqqa_journal.lease");
    while ((await column(api, "select last_value from seqqa_journal.lease"))[0] === before) await pause(100);
    await old.query("insert into orders(code) values ('old'); commit");
    expect(await adapter.observe()).toMatchObject({ tables: [{ name: "orders" }] });
    await adapter.close();
    await expectNoTrace(store);
  });
});

test("tables that are ignored are left alone", async () => {
  const store = await scratch([
    ...SHOP,
    "alter table items drop constraint items_order_id_fkey",
    "create schema audit",
    "create table audit.trail(id serial, what text)",
    "create table empty(a int)",
  ]);
  const { api } = store;
  const adapter = await opened(store, { asked: () => 1, ignore: ["db.items", "audit.*"] });
  expect(await adapter.schema()).toContainEqual(expect.objectContaining({ name: "audit.trail", columns: ["id", "what"] }));
  expect(await adapter.schema()).toContainEqual({ name: "empty", columns: ["a"] });
  const mark = await adapter.mark();
  await api.query("insert into audit.trail(what) values ('by the user'); delete from items");
  expect(await adapter.changed(mark)).toBe(false);
  await adapter.restore(mark);
  await adapter.close();
  expect(await column(api, "select count(*)::int from audit.trail union all select count(*)::int from items")).toEqual([1, 0]);
  await expectNoTrace(store);
});

test("sequences that an ignored table uses, or may use, are left alone", async () => {
  const store = await scratch([
    "create sequence shared",
    "create sequence code",
    "create table logged(id int primary key default nextval('shared'))",
    "create table orders(id int primary key default nextval('shared'), n serial)",
  ]);
  const adapter = await opened(store, { ignore: ["db.logged"] });
  const mark = await adapter.mark();
  await store.api.query("insert into orders values (default, default); insert into logged values (default), (nextval('code') + 10)");
  await adapter.restore(mark);
  const next = ["shared", "code", "orders_n_seq"].map((name) => `select nextval('${name}')`).join(" union all ");
  expect(await column(store.api, next)).toEqual(["3", "2", "1"]);
});

describe.each(some<By>(["superuser", "owner"], 1))("functions of the user's that a restore calls, as %s", (by) => {
  test("find what they name, and take the place of no function of PostgreSQL's", async () => {
    const store = await scratch(
      [
        "create function plain(text) returns text immutable language sql as 'select lower($1)'",
        "create function f_plain(text) returns text immutable language sql as 'select plain($1)'",
        "create domain word as text check (f_plain(value) <> 'bad')",
        "create table t(id int primary key, n text check (f_plain(n) <> 'bad'), g text generated always as (f_plain(n)) stored, w word)",
        "create index on t(f_plain(n))",
        "create table bag(w word, n text check (f_plain(n) <> 'bad'), p point)",
        "create index on bag(f_plain(n))",
        "create table lax(n text)",
        "alter table lax add constraint lax check (f_plain(n) <> 'bad') not valid",
        "create table seen(id int primary key, w word, at int)",
        "insert into t(id, n, w) values (1, 'A', 'B'), (2, 'C', 'D'); insert into bag values ('E', 'F'); insert into seen values (1, 'G', 1)",
        "create function cardinality(text[]) returns int language sql as 'select 0'",
        "create function unnest(text[]) returns setof text language sql as 'select null::text'",
        "create function array_append(text[], text) returns text[] language sql as 'select null::text[]'",
      ],
      by,
    );
    const before = await dumpOf(store.url);
    const writes =
      "update t set n = 'x' where id = 1; delete from t where id = 2; update bag set n = 'x'; insert into bag values ('y', 'z'); truncate bag; insert into bag values ('y', 'z'); update seen set w = 'x'";
    const ignore = ["db.seen.at"];
    const adapter = await opened(store, { ignore });
    const mark = await adapter.mark();
    await store.api.query(writes);
    await adapter.observe();
    await adapter.restore(mark);
    expect(await dumpOf(store.url)).toBe(before);
    await store.api.query(writes);
    await adapter.close();
    expect(await dumpOf(store.url)).toBe(before);
    await killedAfter(store, writes, { ignore });
    expect((await stores.clean(store.url)).leftover?.keep).toEqual([]);
    expect(await dumpOf(store.url)).toBe(before);
  });

  test.each(some([`public, "$user", 'odd, "name"'`, "''"], 1))("and the database has the search_path %s", async (path) => {
    const store = await scratch(SHOP, by);
    await store.api.query(`alter database ${store.database} set search_path = ${path}`);
    const before = await dumpOf(store.url);
    await killedAfter(store, "update orders set v = 1; insert into items(v) values (1)");
    await stores.clean(store.url);
    expect(await dumpOf(store.url)).toBe(before);
  });

  test("fail by their own name; rows that they refuse stay, and all others are put back", async () => {
    const store = await scratch(
      [
        `create function strictly(text) returns text language plpgsql as $$begin
           if not exists (select from pg_locks where locktype = 'advisory' and objid = 4711 and database = (select oid from pg_database where datname = current_database()))
           then return nowhere($1); end if; return $1; end$$`,
        "create table t(id int primary key, n text check (strictly(n) is not null))",
        "create table other(id int primary key, v int)",
        "select pg_advisory_lock(4711); insert into t values (1, 'a'); insert into other values (1, 0)",
      ],
      by,
    );
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(
      failure("CHECKPOINT_REFUSED", 'a row of table "t" no longer fulfils the check "t_n_check"'),
    );
    await store.api.query("select pg_advisory_lock(4711)");
    const adapter = await opened(store);
    const mark = await adapter.mark();
    await store.api.query("update t set n = 'x'; update other set v = 1");
    await adapter.observe();
    await store.api.query("select pg_advisory_unlock(4711)");
    await expect(adapter.restore(mark)).rejects.toEqual(failure("STORE_NOT_PUT_BACK", "nowhere"));
    const why = "the store refuses a row (function nowhere(text) does not exist)";
    expect(
      await keptAtClose(adapter, `could not restore all rows of the database ${storeUrl(store.url).shown}: t id 1, because ${why}.`),
    ).toMatchObject({
      rows: [{ key: "id 1", root: { n: "a" }, why }],
    });
    expect(await rows(store.api, "t")).toEqual(["(1,x)"]);
    expect(await rows(store.api, "other")).toEqual(["(1,0)"]);
    await expectNoTrace(store);
  });
});

describe.each(some<By>(["superuser", "owner"], 1))("a write of somebody else, while a run of a role that is %s asked for nothing", (by) => {
  const scratch = scratchBy(by);
  const TOLD = "orders id 4, seen at";

  test("before the first read ends the run, and stays", async () => {
    const store = await scratch(SHOP);
    const adapter = adapterOn(store.url);
    await adapter.open({ ...BORROWED, asked: () => 0 });
    await store.api.query("insert into orders(code, v) values ('theirs', 7)");
    await expect(adapter.root()).rejects.toEqual(failure("FOREIGN_WRITE", TOLD));
    await keptAtClose(adapter, "orders id 4");
    expect(await column(store.api, "select v from orders where code = 'theirs'")).toEqual([7]);
  });

  test("to a table that is ignored and refers to one that is not, is refused", async () => {
    const store = await scratch(SHOP);
    const adapter = adapterOn(store.url, { ignore: ["items"] });
    await expect(adapter.open(BORROWED)).rejects.toEqual(failure("IGNORE_REFERS", 'its column order_id refers to table "orders"'));
  });

  test("to a table that is ignored, and whose deleted rows take rows of another table along, is refused", async () => {
    const store = await scratch([...SHOP, "create table notes(id int primary key, item_id int references items on delete set null)"]);
    await expect(adapterOn(store.url, { ignore: ["items", "orders"] }).open(BORROWED)).rejects.toEqual(
      failure("IGNORE_REFERS", 'changes rows of table "notes", which this run restores (ON DELETE of column item_id)'),
    );
  });

  test("stays after close, and is named", async () => {
    const store = await scratch(SHOP);
    const { api } = store;
    let asked = 1;
    const adapter = await opened(store, { asked: () => asked });
    const mark = await adapter.mark();
    await api.query("insert into orders(code, v) values ('theirs', 7)");
    await expect(adapter.changed(mark)).rejects.toMatchObject({
      code: "FOREIGN_WRITE",
      exitStatus: 3,
      message: expect.stringContaining(TOLD) as string,
    });
    expect(await column(api, "select count(*)::int from seqqa_journal.kept")).toEqual([0]);
    // Not even when something is asked for afterwards.
    asked++;
    for (const ask of [() => adapter.observe(), () => adapter.restore(mark)])
      await expect(ask()).rejects.toEqual(failure("FOREIGN_WRITE", TOLD));
    expect(await keptAtClose(adapter, "orders id 4")).toMatchObject({
      store: `the database ${storeUrl(store.url).shown}`,
      runBegan: expect.stringMatching(/^20/) as string,
      rows: [{ table: "orders", key: "id 4", root: null, recorded: null, now: { id: 4, code: "theirs", v: 7 } }],
    });
    expect(await rows(api, "orders")).toEqual(["(1,a,0)", "(2,b,0)", "(3,c,0)", "(4,theirs,7)"]);
    await expectNoTrace(store);
  });

  test("is found by a put-back and by close as well, also where it is in the way", async () => {
    const writes = [
      "insert into orders(code, v) values ('theirs', 7)",
      "update orders set v = 7 where id = 4",
      "update orders set v = 7 where id = 1",
    ];
    for (const [nth, theirs] of writes.entries()) {
      const ways = ["restore", "last look", "close"] as const;
      for (const first of full ? ways : [ways[nth]!]) {
        let asked = 1;
        const store = await scratch(SHOP);
        const { api } = store;
        const adapter = await opened(store, { asked: () => asked });
        const mark = await adapter.mark();
        asked++;
        await api.query("update orders set v = 1 where id = 1; insert into orders(code, v) values ('run', 1)");
        expect(await adapter.changed(mark)).toBe(true);
        await api.query(theirs);
        const row = theirs.startsWith("insert") ? 5 : theirs.endsWith("4") ? 4 : 1;
        const [written] = await column(api, `select t::text from orders t where id = ${row}`);
        if (first === "restore") await expect(adapter.restore(mark)).rejects.toEqual(failure("FOREIGN_WRITE", `orders id ${row}, seen`));
        if (first === "last look")
          await expect(adapter.lastLook()!.restore(mark)).rejects.toEqual(failure("FOREIGN_WRITE", `orders id ${row}, seen`));
        await keptAtClose(adapter, `orders id ${row}`);
        const here = ["(1,a,0)", "(2,b,0)", "(3,c,0)"].filter((one) => !one.startsWith(`(${row},`));
        expect(await rows(api, "orders")).toEqual([...here, String(written)].toSorted((a, b) => (a < b ? -1 : 1)));
        await expectNoTrace(store);
      }
    }
  });

  test("a request that comes between the look and its answer makes it the run's", async () => {
    let looks = Infinity;
    const store = await scratch(SHOP);
    const { api, url } = store;
    const before = await dumpOf(url);
    const adapter = await opened(store, { asked: () => (looks-- > 0 ? 1 : 2) });
    const mark = await adapter.mark();
    await api.query("insert into orders(code) values ('asked for meanwhile')");
    // Once for the count and once for the question whether it is quiet: from then on something was asked.
    looks = 2;
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.close();
    expect(await dumpOf(url)).toBe(before);
  });

  test("after something was asked, or while it is, it counts as the run's; what cancels out is nothing", async () => {
    let asked: number | undefined = 1;
    const store = await scratch(SHOP);
    const { api, url } = store;
    const before = await dumpOf(url);
    const adapter = await opened(store, { asked: () => asked });
    const mark = await adapter.mark();
    asked = undefined;
    await api.query("insert into orders(code) values ('one')");
    expect(await adapter.changed(mark)).toBe(true);
    asked = 2;
    await api.query("insert into orders(code) values ('two')");
    await adapter.observe();
    await api.query("insert into orders(code) values ('three'); delete from orders where code = 'three'");
    expect(await adapter.changed(mark)).toBe(true);
    asked = 3;
    await api.query("insert into orders(code) values ('four')");
    await adapter.restore(mark);
    asked = 4;
    await api.query("insert into orders(code) values ('five')");
    await adapter.close();
    expect(await dumpOf(url)).toBe(before);
    await expectNoTrace(store);
  });
});
