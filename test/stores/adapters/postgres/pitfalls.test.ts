import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Control } from "../../../../src/adapters/postgres/connect/control.ts";
import { readCatalog } from "../../../../src/adapters/postgres/schema/catalog.ts";
import { JournalMode } from "../../../../src/adapters/postgres/journal/journal-mode.ts";
import { storeUrl } from "../../../../src/adapters/postgres/connect/store-url.ts";
import type { ObservedTable } from "../../../../src/model/stores/store-adapter.ts";
import { size, some } from "../../../sizes.ts";
import { adapterOn, column, failure, role, rooted, SCOPE, scratch, session } from "./scratch.ts";

const ORDERS = "create table orders(id serial primary key, status text, total numeric)";

test("a query whose session is ended meanwhile is asked once more", async () => {
  const { api, adapter } = await rooted(["create table t(id int primary key)", "insert into t values (7)"]);
  const looks =
    "select pid || '' from pg_stat_activity where query like '%from t as looked%' and pid <> pg_backend_pid() and state = 'active'";
  // Twice: then somebody means it.
  for (const [kills, ends] of [
    [1, [{ id: 7, got: 1 }]],
    [2, "STORE_LOST"],
  ] as const) {
    await api.query("select pg_advisory_lock(7)");
    const answer = adapter
      .query("select id, (select 1 where pg_advisory_lock(7) is not null) as got from t as looked")
      .catch(({ code }: { code: string }) => code);
    const ended = new Set<string>();
    while (ended.size < kills) {
      for (const pid of await column(api, looks)) {
        if (!ended.has(String(pid))) await api.query(`select pg_terminate_backend(${String(pid)})`);
        ended.add(String(pid));
      }
    }
    await api.query("select pg_advisory_unlock(7)");
    expect(await answer).toEqual(ends);
    await adapter.query("select pg_advisory_unlock(7)");
  }
});

test.each([
  ["journal", "superuser"],
  ["journal", "owner"],
  ["journal", "granted owner"],
  ["clone", "superuser"],
] as const)("0 and -0 of a float are two values, by %s as %s", async (checkpoint, by) => {
  const made = [
    "create table t(id int primary key, x float8, y float4)",
    "insert into t values (1, 0, '-0')",
    "create table bag(x float8)",
    "insert into bag values (0), ('-0'), ('-0')",
    "create table k(x float8 primary key, v int)",
    "insert into k values (0, 1)",
  ];
  const { url, adapter, mark, dump } = await rooted(made, { checkpoint }, {}, by);
  // By clone, each restore ends the sessions of the API.
  const run = async (sql: string): Promise<unknown> => (await session(url)).query(sql);
  for (const sql of [
    "update t set x = '-0'",
    "update t set y = 0",
    "update bag set x = -x",
    "update bag set x = 0",
    "update k set x = '-0'",
    "delete from t",
    "delete from bag where x::text = '-0'",
  ]) {
    await run(sql);
    expect(await adapter.changed(mark), sql).toBe(true);
    expect(await adapter.dump(), sql).not.toBe(dump);
    const observed = await adapter.observe();
    expect(observed.kind === "rows" && observed.tables.length, sql).toBe(1);
    await adapter.restore(mark);
    expect(await adapter.dump(), sql).toBe(dump);
  }
  await run("update t set x = '-0', y = 0");
  expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[1, -0, 0]], removed: [[1, 0, -0]] }] });
});

describe("transactions that are open", () => {
  test("a mark waits for them: what they commit belongs to the state, and is not undone", async () => {
    const { api, adapter } = await rooted([ORDERS]);
    await api.query("begin; insert into orders(status) values ('late')");
    const marked = adapter.mark();
    expect(await Promise.race([marked.then(() => "marked"), pause(60, "waits")])).toBe("waits");
    await api.query("commit");
    await adapter.restore(await marked);
    expect(await column(api, "select status from orders")).toEqual(["late"]);
  });

  test("a put-back waits for them, so that it does not leave half of a request behind", async () => {
    const { api, adapter, mark, dump } = await rooted([ORDERS]);
    await api.query("begin; insert into orders(status) values ('one')");
    const restored = adapter.restore(mark);
    expect(await Promise.race([restored.then(() => "restored"), pause(60, "waits")])).toBe("waits");
    await api.query("insert into orders(status) values ('two'); commit");
    await restored;
    expect(await adapter.dump()).toBe(dump);
  });

  test("the limit is an error that names the session", async () => {
    const { url, api } = await scratch([ORDERS]);
    const control = await Control.open(storeUrl(url));
    const catalog = await readCatalog(control.client);
    const everything = { tables: () => true, sequences: () => true };
    const mode = await JournalMode.open(control, catalog, { selection: everything, borrowed: false, limitMs: 80 });
    await mode.root();
    await api.query("set application_name = 'the api'; begin; insert into orders(status) values ('x')");
    await expect(mode.mark()).rejects.toEqual(failure("STORE_BUSY", "the api"));
    await api.query("rollback");
    await mode.restore(await mode.mark());
    await mode.close(false);
  });

  test("one that only reads, and one on another database of the server, are not waited for", async () => {
    const { api, adapter } = await rooted([ORDERS]);
    const other = await scratch(["create table t(a int)"]);
    await api.query("begin isolation level repeatable read; select count(*) from orders");
    await other.api.query("begin; insert into t values (1)");
    // Waiting for one of them would end in STORE_BUSY: neither ends its transaction.
    await adapter.restore(await adapter.mark());
  });

  test("a lock that a session holds is waited for", async () => {
    const { url, api, adapter, mark, dump } = await rooted([ORDERS]);
    await api.query("insert into orders(status) values ('x')");
    const locking = await session(url);
    await locking.query("begin; lock table orders in share mode");
    const restored = adapter.restore(mark);
    expect(await Promise.race([restored.then(() => "restored"), pause(100, "waits")])).toBe("waits");
    await locking.query("commit");
    await restored;
    expect(await adapter.dump()).toBe(dump);
  });

  test("entries of the log that become visible out of order are not lost", async () => {
    const { url, api, adapter, mark, dump } = await rooted([ORDERS]);
    const second = await session(url);
    await api.query("begin; insert into orders(status) values ('first written')");
    await second.query("insert into orders(status) values ('first committed')");
    expect(await adapter.changed(mark)).toBe(true);
    await api.query("commit");
    const observed = await adapter.observe();
    expect(observed.kind === "rows" && observed.tables[0]?.added.map((row) => row[1]).sort()).toEqual(["first committed", "first written"]);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("a rolled back transaction leaves no trace but in sequences", async () => {
    const { api, adapter, mark, dump } = await rooted(["create table plain(a int)", ORDERS]);
    await api.query("begin; insert into plain values (1); rollback");
    expect(await adapter.changed(mark)).toBe(false);
    await api.query("begin; insert into orders(status) values ('x'); rollback");
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });
});

describe("sequences", () => {
  const state = "select last_value || ' ' || is_called from ";

  test("go back to what they were, called or not, wherever they began", async () => {
    const sequences = ["a", "b start 7", "c increment -1", "d minvalue -5 maxvalue 5 cycle", "e as smallint"];
    const { api, adapter } = await rooted(sequences.map((one) => `create sequence ${one}`));
    await api.query("select nextval('b'); select setval('c', -40, false); select setval('d', 5)");
    const mark = await adapter.mark();
    const read = (): Promise<unknown[]> => column(api, ["a", "b", "c", "d", "e"].map((name) => state + name).join(" union all "));
    const before = await read();
    await api.query(
      "select nextval('a'); select setval('b', 7, false); select nextval('c'); select nextval('d'); select setval('e', 30000)",
    );
    await adapter.restore(mark);
    expect(await read()).toEqual(before);
    // The first value alone was moved.
    await api.query("select setval('a', 9, false)");
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.restore(mark);
    expect(await read()).toEqual(before);
  });

  test("of which sessions keep values in advance are never put back: values would be given out twice", async () => {
    const { url, api, adapter, mark } = await rooted([
      "create sequence ids cache 20",
      "create table t(id int primary key default nextval('ids'))",
    ]);
    const second = await session(url);
    const insert = async (client: typeof api): Promise<void> => void (await client.query("insert into t default values"));
    await insert(api);
    await insert(second);
    await adapter.restore(mark);
    const third = await session(url);
    for (let i = 0; i < 30; i++) for (const client of [api, second, third]) await insert(client);
    expect(await column(api, "select count(*)::int from t")).toEqual([90]);
    await adapter.restore(mark);
    const observed = await adapter.observe();
    expect(observed.kind === "rows" && observed.counters).toEqual({});
  });

  test("of which an application keeps values in memory are not put back either, but set forward after TRUNCATE RESTART IDENTITY", async () => {
    const { api, adapter, mark } = await rooted([
      "create table t(id int generated always as identity (increment by 50))",
      "create table down(id int generated always as identity (increment by -50 start with -1))",
    ]);
    const draw = "insert into t default values; insert into down default values";
    await api.query(`${draw}; ${draw}`);
    const later = await adapter.mark();
    await api.query(`truncate t, down restart identity; ${draw}`);
    expect(await column(api, "select id from t union all select id from down")).toEqual([1, -1]);
    await adapter.restore(later);
    await api.query(draw);
    expect(await column(api, "select id from t union all select id from down")).toEqual([1, 51, 101, -1, -51, -101]);
    await adapter.restore(mark);
    await api.query(draw);
    expect(await column(api, "select id from t union all select id from down")).toEqual([151, -151]);
  });

  test("of identity columns, and after TRUNCATE RESTART IDENTITY", async () => {
    const { api, adapter, dump, mark } = await rooted([
      "create table t(id int generated always as identity primary key, v text)",
      "create table u(id serial primary key, t int references t)",
      "insert into t(v) values ('a'), ('b'), ('c')",
      "insert into u(t) values (1), (3)",
    ]);
    await api.query("truncate t restart identity cascade");
    await api.query("insert into t(v) values ('again'); insert into u(t) values (1)");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    await api.query("insert into t(v) values ('d')");
    expect(await column(api, "select max(id) from t")).toEqual([4]);
  });
});

describe("rows", () => {
  test("are the same for a session with other formats of times, bytes, floats and money", async () => {
    const { api, adapter, dump, mark } = await rooted([
      "create table t(id int primary key, at timestamptz, d date, i interval, b bytea, f float8, m money, r tstzrange, ts timestamp[])",
      "insert into t values (1, '2024-01-02 03:04:05.678901+00', '2024-03-04', '1 day -2 hours', '\\x00ff5c', 0.1, '12.34', '[2024-01-01,2024-02-02)', '{2024-05-06 07:08:09}')",
    ]);
    await api.query(
      "set timezone = 'Asia/Kathmandu'; set datestyle = 'German'; set bytea_output = 'escape'; set extra_float_digits = -8; set intervalstyle = 'sql_standard'",
    );
    await api.query("delete from t");
    await api.query("insert into t select 2, now(), '2024-10-11', '-3 mons', '\\x0102', 1/3.0, '5', null, null");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    expect(await adapter.changed(mark)).toBe(false);
  });

  test("without a key, equal ones and ones of NULLs alone, keep their number", async () => {
    const { api, adapter, dump, mark } = await rooted([
      "create table bag(a int, b text)",
      "insert into bag values (1, 'x'), (1, 'x'), (1, 'x'), (null, null), (null, null)",
    ]);
    await api.query("delete from bag where ctid in (select ctid from bag where a = 1 limit 2)");
    await api.query("insert into bag values (null, null), (null, null), (2, 'x')");
    await api.query("update bag set b = 'y' where ctid = (select min(ctid) from bag where a is null)");
    await api.query("vacuum full bag");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("of a large table without a key are put back, and no other", async () => {
    const { api, adapter, mark } = await rooted([
      "create table big(a int, b text)",
      "insert into big select g, repeat('x', 100) from generate_series(1, 40000) g",
    ]);
    for (let i = 0; i < 3; i++) {
      await api.query("insert into big values (0, 'mine')");
      await adapter.restore(mark);
    }
    expect(await column(api, "select count(*)::int from big")).toEqual([40000]);
    expect(await column(api, "select count(*)::int from big where a = 0")).toEqual([0]);
  });

  test("that other rules hide from the API are put back: FORCE ROW LEVEL SECURITY, a role without privileges", async () => {
    const name = await role();
    const { url, api, adapter, dump, mark } = await rooted([
      "create table secrets(id int primary key, owner text, body text)",
      "insert into secrets values (1, 'me', 'a'), (2, 'you', 'b')",
      "alter table secrets enable row level security",
      "alter table secrets force row level security",
      "create policy mine on secrets using (owner = 'me')",
      `grant all on secrets to ${name}`,
    ]);
    const weak = await session(url);
    await weak.query(`set role ${name}`);
    await weak.query("update secrets set body = 'changed'");
    await weak.query("insert into secrets values (3, 'me', 'c')");
    await api.query("truncate secrets");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    await weak.query("delete from secrets");
    await expect(weak.query("select * from seqqa_journal.log")).rejects.toThrow("permission denied");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("that the API writes in replica role are logged too", async () => {
    const { api, adapter, dump, mark } = await rooted([ORDERS, "insert into orders(status) values ('a')"]);
    await api.query(
      "set session_replication_role = replica; update orders set status = 'b'; truncate orders; insert into orders values (7, 'c')",
    );
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("the API's own triggers do not fire when rows are put back", async () => {
    const { api, adapter, dump, mark } = await rooted([
      ORDERS,
      "create table audit(what text)",
      "create function note() returns trigger language plpgsql as $$ begin insert into audit values (TG_OP); return null; end $$",
      "create trigger note after insert or update or delete on orders for each row execute function note()",
      "create trigger noted after truncate on orders for each statement execute function note()",
      "insert into orders(status) values ('a'), ('b')",
    ]);
    await api.query(
      "insert into orders(status) values ('c'); update orders set status = 'd'; delete from orders where id = 1; truncate orders",
    );
    expect(await column(api, "select count(*)::int from audit")).toEqual([2 + 1 + 3 + 1 + 1]);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("in partitions: moved to another, in one attached with its columns in another order; observers see one table", async () => {
    const { api, adapter, dump, mark } = await rooted([
      "create table events(at date, id int, what text, primary key (at, id)) partition by range (at)",
      "create table events_a partition of events for values from ('2024-01-01') to ('2024-02-01')",
      "create table events_b(what text, gone int, id int not null, at date not null)",
      "alter table events_b drop column gone",
      "alter table events attach partition events_b for values from ('2024-02-01') to ('2024-03-01')",
      "insert into events values ('2024-01-05', 1, 'a'), ('2024-02-05', 2, 'b')",
    ]);
    await api.query("update events set at = '2024-02-20' where id = 1");
    const observed = await adapter.observe();
    expect(observed.kind === "rows" && observed.tables).toEqual([
      {
        name: "events",
        columns: [{ name: "at", key: true }, { name: "id", key: true }, { name: "what" }],
        added: [["2024-02-20", 1, "a"]],
        removed: [["2024-01-05", 1, "a"]],
      },
    ]);
    await api.query("truncate events");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("exchange keys, unique values and exclusion ranges; cascade three deep, SET NULL, to themselves; deferred and cyclic", async () => {
    const { api, adapter, dump, mark } = await rooted([
      "create table a(id int primary key, u int unique deferrable initially immediate)",
      "create table b(id int primary key, a int references a on delete cascade on update cascade)",
      "create table c(id int primary key, b int references b on delete cascade)",
      "create table d(id int primary key, c int references c on delete set null, self int references d on delete cascade)",
      "create table x(id int primary key, y int)",
      "create table y(id int primary key, x int references x deferrable initially deferred)",
      "alter table x add foreign key (y) references y deferrable initially deferred",
      "create table r(id int primary key, during int4range, exclude using gist (during with &&) deferrable)",
      "insert into a values (1, 1), (2, 2)",
      "insert into b values (1, 1), (2, 2)",
      "insert into c values (1, 1), (2, 2)",
      "insert into d values (1, 1, null), (2, 2, 1), (3, 1, 2)",
      "begin; insert into x values (1, 1); insert into y values (1, 1); commit",
      "insert into r values (1, '[1,5)'), (2, '[5,9)')",
    ]);
    await api.query(
      "begin; set constraints all deferred; update r set during = case id when 1 then '[5,9)'::int4range else '[1,5)' end; commit",
    );
    await api.query("update a set u = 3 - u");
    await api.query("update a set id = id + 10 where id = 1");
    await api.query("delete from a where id = 11");
    await api.query("delete from d where id = 1");
    await api.query("begin; delete from x; delete from y; commit");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });
});

describe("what cannot be put back by rows is refused, and clone is named", () => {
  test.each(
    some(
      [
        ["alter table orders add column extra int", "ALTER TABLE"],
        ["drop table other", "DROP TABLE"],
        ["create index on orders(total)", "CREATE INDEX"],
        ["create table fresh(a int)", "CREATE TABLE"],
        ["alter table orders disable trigger all", "ALTER TABLE"],
        ["refresh materialized view seen", "REFRESH"],
        ["alter table other alter column a type int using a + 1", "REWRITE"],
        ["grant select on orders to public", "GRANT"],
        ["select lo_create(0)", "large object"],
      ] as const,
      4,
    ),
  )("%s", async (sql, what) => {
    const { api, adapter, mark } = await rooted([
      ORDERS,
      "create table other(a int)",
      "create materialized view seen as select * from orders",
    ]);
    await api.query(sql);
    await expect(adapter.changed(mark)).rejects.toEqual(failure("SCHEMA_CHANGED", what));
    // It stays so: nothing here is what it was.
    await expect(adapter.restore(mark)).rejects.toEqual(failure("SCHEMA_CHANGED", "clone"));
  });

  test("but not temporary tables, nor statements that changed nothing, nor a restarted sequence", async () => {
    const { api, adapter, mark, dump } = await rooted([ORDERS]);
    await api.query(
      "create temp table mine(id serial primary key, o int); create index on mine(o); insert into mine(o) values (1); alter table mine add x int",
    );
    await api.query("create table if not exists orders(a int); create schema if not exists public; drop table if exists missing");
    await api.query("drop table mine");
    await api.query("alter sequence orders_id_seq restart with 40");
    await api.query("insert into orders(status) values ('x')");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    await api.query("alter sequence orders_id_seq restart with 40");
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test.each(
    some(
      [
        ["alter table t add constraint lax check (a > 5) not valid", "NOT VALID"],
        [
          "create table top(n int); insert into top values (5); create function below(int) returns boolean language sql as 'select $1 < n from top';" +
            "alter table t add constraint low check (below(a)); update top set n = 0",
          'a row of table "t" no longer fulfils the check "low"',
        ],
        // Waiting for a day to end would take too long, so the catalog is changed by hand.
        [
          "alter table t add constraint old check (current_date < '2000-01-01') not valid; update pg_constraint set convalidated = true where conname = 'old'",
          'no longer fulfils the check "old"',
        ],
        [
          "alter domain small add constraint old check (now() < '2000-01-01') not valid; update pg_constraint set convalidated = true where conname = 'old'",
          'no longer fulfils a check of the domain "small"',
        ],
        // Virtual columns came with PostgreSQL 18. For older servers, the catalog is changed by hand.
        [
          "alter table t add twice int generated always as (a * 2) stored; update pg_attribute set attgenerated = 'v' where attname = 'twice'",
          'column "twice" of table "t"',
        ],
        ["alter domain small add constraint lax check (value > 5) not valid", "domain"],
        ["alter table t enable always trigger noisy", "ALWAYS"],
        ["select lo_create(0)", "large objects"],
      ] as const,
      3,
    ),
  )("auto chooses clone: %s", async (sql, why) => {
    const { url } = await scratch([
      "create domain small as int",
      "create table t(a int, b small)",
      "insert into t values (1, 1)",
      "create function f() returns trigger language plpgsql as 'begin return null; end'",
      "create trigger noisy after insert on t for each row execute function f()",
      sql,
    ]);
    const adapter = adapterOn(url);
    await adapter.open(SCOPE);
    expect(adapter.checkpoint.mode).toBe("clone");
    expect(adapter.checkpoint.why).toContain(why);
  });

  test("auto chooses the journal where all rows fulfil checks whose results can change", async () => {
    const { url } = await scratch([
      "create function positive(int) returns boolean language sql as 'select $1 > 0'",
      "create domain recent as date check (value <= current_date)",
      "create table t(a int check (positive(a)), b text check (b::date <= current_date), c recent, d int check (d < 5))",
      "insert into t values (1, '2020-01-01', '2020-01-01', 1), (null, null, null, null)",
    ]);
    const adapter = adapterOn(url);
    await adapter.open(SCOPE);
    expect(adapter.checkpoint.mode).toBe("journal");
  });

  test("clone observes materialized views, large objects and the schema", async () => {
    const { url, adapter, mark } = await rooted(
      [ORDERS, "create materialized view seen as select count(*) as orders from orders", "create type status as enum ('a')"],
      { checkpoint: "clone" },
    );
    // A copy ends the sessions of others.
    const api = await session(url);
    const tables = async (): Promise<readonly ObservedTable[]> =>
      ((await adapter.observe()) as unknown as { tables: ObservedTable[] }).tables;
    await api.query("insert into orders(total) values (5)");
    expect(await tables()).toMatchObject([{ name: "orders" }]);
    await api.query("refresh materialized view seen");
    expect(await tables()).toMatchObject([{ name: "orders" }, { name: "seen", added: [[1]], removed: [[0]] }]);
    await api.query("select lo_from_bytea(0, 'abc')");
    expect((await tables())[1]).toMatchObject({ name: "pg_largeobject", added: [[expect.any(Number), new Uint8Array([97, 98, 99])]] });
    await api.query("create schema acme; create table acme.items(id int); alter type status add value 'b'");
    const [schema] = await tables();
    expect(schema).toMatchObject({ name: "(schema)", removed: [] });
    expect(schema!.added.map(String).toSorted()).toEqual([
      "column acme.items.id integer",
      "enum public.status 2 b",
      "relation acme.items rp",
      "schema acme",
    ]);
    await adapter.restore(mark);
    expect(await tables()).toEqual([]);
  });

  test("clone notices and restores changes of privileges, owners, sequences, types, aggregates and extensions", async () => {
    const other = await role();
    const { url, adapter, mark, dump } = await rooted(
      [
        ORDERS,
        "create type pair as (a int, b int); create type span as range (subtype = int); create domain small as int",
        "create function plus(int, int) returns int immutable language sql as 'select $1 + $2'",
        "create aggregate total(int) (sfunc = plus, stype = int)",
        `grant insert, select on orders to ${other}`,
      ],
      { checkpoint: "clone" },
    );
    const changes = [
      `revoke insert on orders from ${other}`,
      `grant select (total) on orders to ${other}`,
      "revoke execute on function plus(int, int) from public",
      `grant create on schema public to ${other}`,
      `alter table orders owner to ${other}`,
      `alter function plus(int, int) owner to ${other}`,
      "alter sequence orders_id_seq maxvalue 7",
      "alter type pair add attribute c int",
      "create type wide as range (subtype = bigint)",
      "alter domain small set default 3",
      "create aggregate total(int, int) (sfunc = plus3, stype = int)",
      "create extension pg_freespacemap",
      `alter default privileges grant select on tables to ${other}`,
    ];
    const api = await session(url);
    await api.query("create function plus3(int, int, int) returns int immutable language sql as 'select $1 + $2 + $3'");
    let before = await adapter.dump();
    for (const sql of changes) {
      await api.query(sql);
      const after = await adapter.dump();
      expect([sql, after === before]).toEqual([sql, false]);
      before = after;
    }
    // Granted again in another order, and explicit privileges that are the standard ones.
    for (const sql of [`grant insert on orders to ${other}`, `revoke select on orders from ${other}; grant select on orders to ${other}`])
      await api.query(sql);
    const again = await adapter.dump();
    await api.query(`revoke insert, select on orders from ${other}; grant select, insert on orders to ${other}`);
    expect(await adapter.dump()).toBe(again);
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    expect(await adapter.changed(mark)).toBe(false);
  });

  test("clone restores the content of a large object, as a role that is no superuser", async () => {
    const { url, adapter, mark } = await rooted(["select lo_from_bytea(0, 'abc')"], { checkpoint: "clone" }, {}, "owner");
    const api = await session(url);
    await api.query("select lo_put(oid, 0, 'xyz') from pg_largeobject_metadata");
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.restore(mark);
    const again = await session(url);
    expect(await column(again, "select convert_from(lo_get(oid), 'UTF8') from pg_largeobject_metadata")).toEqual(["abc"]);
  });

  test("auto chooses clone where a table belongs to another role", async () => {
    const owner = await role("createdb password 'pw'");
    const { database, url, api } = await scratch([
      ORDERS,
      `alter table orders owner to ${owner}`,
      `create table theirs(a int)`,
      `grant select on theirs to public`,
    ]);
    await api.query(`alter database ${database} owner to ${owner}`);
    await api.end();
    const own = new URL(url);
    own.username = owner;
    own.password = "pw";
    const adapter = adapterOn(own.href);
    await adapter.open(SCOPE);
    expect(adapter.checkpoint).toEqual({
      mode: "clone",
      why: expect.stringContaining('table "theirs" belongs to the role "postgres"') as string,
    });
    await adapter.root();
    const mark = await adapter.mark();
    const target = await session(own.href);
    await target.query("insert into orders(status) values ('x'); alter table orders add column y int");
    await adapter.restore(mark);
    expect(await adapter.query("select * from orders")).toEqual([]);
    await adapter.close();
  });

  test("a row that its table does not take any more", async () => {
    const { url, api } = await scratch([
      `create function today() returns int language sql as $$ select case when exists (select from pg_locks where locktype = 'advisory' and objid = 4712
         and database = (select oid from pg_database where datname = current_database())) then 1 else 100 end $$`,
      "create table offers(id int primary key, until int check (until > today()))",
      "select pg_advisory_lock(4712)",
      "insert into offers values (1, 5)",
    ]);
    await api.query("select pg_advisory_lock(4712)");
    const adapter = adapterOn(url);
    await adapter.open(SCOPE);
    await adapter.root();
    const mark = await adapter.mark();
    await api.query("delete from offers; select pg_advisory_unlock(4712)");
    await expect(adapter.restore(mark)).rejects.toEqual(failure("STORE_NOT_PUT_BACK", "clone"));
  });

  test("a row that was changed behind the triggers' back is not overwritten", async () => {
    const { api, adapter, mark } = await rooted([ORDERS, "insert into orders(status) values ('a')"]);
    await api.query("update orders set status = 'b'");
    expect(await adapter.changed(mark)).toBe(true);
    await api.query("set seqqa.control = 'on'; update orders set status = 'unseen'");
    await expect(adapter.restore(mark)).rejects.toEqual(failure("JOURNAL_INCOHERENT", "orders"));
    expect(await column(api, "select status from orders")).toEqual(["unseen"]);
  });
});

describe("many cycles", () => {
  test("leave the log and the tables as small as they were", async () => {
    const { api, adapter, mark } = await rooted([ORDERS, "insert into orders(status) select 'x' from generate_series(1, 50)"]);
    const bytes = async (table: string): Promise<number> => Number((await column(api, `select pg_relation_size('${table}')`))[0]);
    const sizes: number[] = [];
    const cycles = size(400, 40_000);
    for (let cycle = 1; cycle <= cycles; cycle++) {
      await api.query("update orders set status = 'y' where id <= 25");
      if (cycle % 2 === 0) await adapter.observe();
      await adapter.restore(mark);
      if (cycle % (cycles / 4) === 0) sizes.push((await bytes("seqqa_journal.log")) + (await bytes("orders")));
    }
    expect(sizes[3]).toBeLessThan(Math.max(sizes[0]! * 1.5, 1_500_000));
    expect(sizes[3]).toBeLessThan(3_000_000);
  });

  test("the control connection compiles nothing and plans once", async () => {
    const { url } = await scratch(["do $$ begin execute format('alter database %I set jit = on', current_database()); end $$"]);
    const control = await Control.open(storeUrl(url));
    const names = ["jit", "plan_cache_mode", "session_replication_role", "lock_timeout"];
    const [shown] = await control.rows(`select ${names.map((name) => `current_setting('${name}')`).join(", ")}`);
    expect(shown).toEqual(["off", "force_generic_plan", "replica", "1s"]);
    await control.close();
  });
});
