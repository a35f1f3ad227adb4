import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { PostgresAdapter } from "../../../../src/adapters/postgres/index.ts";
import { adapterOn, column, failure, role, rooted, SCOPE, scratch } from "./scratch.ts";

const ORDERS = "create table orders(id serial primary key, status text, total numeric)";

describe("query", () => {
  test("reads rows, with parameters; whole numbers are numbers", async () => {
    const { api, adapter } = await rooted([ORDERS, "insert into orders(status, total) values ('a', 10), ('b', 2.50)"]);
    expect(await adapter.query("select id, total from orders where total > $1", [5])).toEqual([{ id: 1, total: "10" }]);
    expect(await adapter.query("select count(*) as n, 9007199254740993::bigint as big from orders")).toEqual([
      { n: 2, big: 9007199254740993n },
    ]);
    await api.query("update orders set status = 'z'");
    const both = await Promise.all([
      adapter.query("with o as (table orders) select * from o where status = 'z'"),
      adapter.query("show search_path"),
    ]);
    expect(both.map((rows) => rows.length)).toEqual([2, 1]);
  });

  const writing = [
    "delete from orders",
    "insert into orders(status) values ('x') returning id",
    "with gone as (delete from orders returning id) select * from gone",
    "select nextval('orders_id_seq')",
    "select setval('orders_id_seq', 90)",
    "begin",
    "set default_transaction_read_only = off",
    "create table x(a int)",
    "select * into copied from orders",
    "/* select */ update orders set total = 0",
    "-- select\n truncate orders",
    "explain analyze delete from orders",
    "copy orders to stdout",
  ];
  test("refuses what writes", async () => {
    const { adapter, dump } = await rooted([ORDERS, "insert into orders(status) values ('a')"]);
    for (const sql of writing) {
      await expect(adapter.query(sql), sql).rejects.toEqual(failure("QUERY_WRITES", "SELECT"));
      expect(await adapter.dump(), sql).toBe(dump);
    }
  });

  test("takes one statement, and says what is wrong with it", async () => {
    const { adapter, dump } = await rooted([ORDERS]);
    await expect(adapter.query("select 1; delete from orders")).rejects.toEqual(failure("QUERY_FAILED", "multiple commands"));
    await expect(adapter.query("select nothing from orders")).rejects.toEqual(failure("QUERY_FAILED", "nothing"));
    expect(await adapter.query("select 1 as one")).toEqual([{ one: 1 }]);
    expect(await adapter.dump()).toBe(dump);
  });
});

describe("what observers see", () => {
  test("values by their types", async () => {
    const { api, adapter } = await rooted([
      "create domain cents as int",
      `create table t(id bigint primary key, small smallint, c cents, ok boolean, f float8, n numeric(10,2), whole numeric, b bytea, at timestamptz, local timestamp,
         d date, j jsonb, a int[], u uuid, twice int generated always as (c * 2) stored)`,
    ]);
    await api.query(
      `insert into t values (9007199254740993, 1, 5, true, 0.1, 1.5, 12, '\\x00ff', '2024-01-02 03:04:05.678+01', '2024-01-02 03:04:05', '2024-01-02', '{"b":1,"a":[1]}', '{1,null}',
         '00000000-0000-4000-8000-000000000001')`,
    );
    await api.query("insert into t(id, at, f) values (2, 'infinity', 'NaN')");
    const observed = await adapter.observe();
    if (observed.kind !== "rows") throw new Error("no rows");
    expect(observed.tables[0]?.columns.map(({ name }) => name)).not.toContain("twice");
    const rows = observed.tables[0]!.added.toSorted((a, b) => (a[0]! > b[0]! ? 1 : -1));
    const nothing = null;
    expect(rows).toEqual([
      [2, nothing, nothing, nothing, NaN, nothing, nothing, nothing, "infinity", nothing, nothing, nothing, nothing, nothing],
      // prettier-ignore
      [9007199254740993n, 1, 5, true, 0.1, "1.50", 12, new Uint8Array([0, 255]), "2024-01-02T02:04:05.678Z", "2024-01-02T03:04:05", "2024-01-02",
        '{"a": [1], "b": 1}', "{1,NULL}", "00000000-0000-4000-8000-000000000001"],
    ]);
  });

  test("keys, references, and tables of other schemas by their full names", async () => {
    const { api, adapter } = await rooted([
      "create schema shop",
      "create table shop.users(id serial primary key, name text unique)",
      'create table "Orders"("userId" int references shop.users, no int, primary key (no, "userId"))',
      'create table lines(no int, who int, foreign key (no, who) references "Orders"(no, "userId"))',
    ]);
    await api.query(`insert into shop.users(name) values ('a'); insert into "Orders" values (1, 7); insert into lines values (7, 1)`);
    const observed = await adapter.observe();
    expect(observed.kind === "rows" && observed.tables.map(({ name, columns }) => [name, columns])).toEqual([
      [
        "Orders",
        [
          { name: "userId", key: true, references: { table: "shop.users", column: "id" } },
          { name: "no", key: true },
        ],
      ],
      [
        "lines",
        [
          { name: "no", references: { table: "Orders", column: "no" } },
          { name: "who", references: { table: "Orders", column: "userId" } },
        ],
      ],
      ["shop.users", [{ name: "id", key: true }, { name: "name" }]],
    ]);
    expect(observed.kind === "rows" && observed.counters).toEqual({ "shop.users_id_seq": 2 });
  });

  test("leave out a counter that restores are to leave as it is", async () => {
    const notes = "create table notes(id serial primary key)";
    const { api, adapter, mark } = await rooted(
      [ORDERS, notes, "insert into orders(status) values ('a')"],
      {},
      { unrestored: ["orders_id_seq"] },
    );
    expect(adapter.traits).toMatchObject({ portable: true, canLeaveCounters: true });
    const write = "insert into orders(status) values ('b'); insert into notes default values";
    await api.query(write);
    expect(await adapter.observe()).toMatchObject({
      tables: [{ name: "notes" }, { name: "orders", added: [[2, "b", null]] }],
      counters: { notes_id_seq: 2 },
    });
    await adapter.restore(mark);
    expect(await adapter.changed(mark)).toBe(false);
    expect(await adapter.observe()).toEqual({ kind: "rows", tables: [], counters: {} });
    await api.query(write);
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[1]] }, { added: [[3, "b", null]] }] });
    // A snapshot of another lane may have been made with higher numbers, also of rows that were deleted again.
    const image = await adapter.capture();
    await api.query("select setval('orders_id_seq', 2)");
    await adapter.write(image);
    await api.query("insert into orders(status) values ('c')");
    expect(await adapter.observe()).toMatchObject({
      tables: [
        { name: "notes" },
        {
          added: [
            [3, "b", null],
            [4, "c", null],
          ],
        },
      ],
    });
    await adapter.restore(mark);
    expect(await adapter.keptCounters?.restore?.()).toBe(true);
    await api.query("insert into orders(status) values ('d')");
    expect(await adapter.observe()).toMatchObject({ tables: [{ added: [[2, "d", null]] }] });
    await adapter.restore(mark);
    expect(await adapter.changed(mark)).toBe(false);
    expect(await adapter.root()).toMatchObject({ counters: { notes_id_seq: 1 } });
  });

  test("tables and schemas that were not chosen are put back, and not looked at", async () => {
    const { url, api } = await scratch([
      ORDERS,
      "create table logs(id serial, what text)",
      "create schema other",
      "create table other.t(id serial)",
    ]);
    const chosen = adapterOn(url, { tables: ["public.orders"] });
    await chosen.open(SCOPE);
    const root = await chosen.root();
    expect(root.kind === "rows" && root.counters).toEqual({ orders_id_seq: 1 });
    const [mark, dump] = [await chosen.mark(), await chosen.dump()];
    await api.query("insert into logs(what) values ('x'); insert into other.t default values");
    expect(await chosen.observe()).toEqual({ kind: "rows", tables: [], counters: {} });
    await chosen.restore(mark);
    expect(await chosen.dump()).toBe(dump);
    await chosen.close();
    const schema = adapterOn(url, { schemas: ["other"] });
    await schema.open(SCOPE);
    await schema.root();
    await api.query("insert into orders(status) values ('x'); insert into other.t default values");
    const observed = await schema.observe();
    expect(observed.kind === "rows" && [observed.tables.map(({ name }) => name), observed.counters]).toEqual([
      ["other.t"],
      { "other.t_id_seq": 2 },
    ]);
  });

  test.each([
    [{ tables: ["missing"] }, "TABLE_UNKNOWN"],
    [{ schemas: ["missing"] }, "SCHEMA_UNKNOWN"],
  ])("a name that is not there is refused: %o", async (options, code) => {
    const { url } = await scratch([ORDERS]);
    await expect(adapterOn(url, options).open(SCOPE)).rejects.toEqual(failure(code, "Use an existing name: "));
    await expect(adapterOn(url, { ...options, checkpoint: "clone" }).open(SCOPE)).rejects.toEqual(failure(code));
  });
});

describe("the mode", () => {
  test("auto is journal for another process, and says why; savepoint is refused for it", async () => {
    const { url, adapter } = await rooted([ORDERS]);
    expect(adapter.checkpoint).toEqual({ mode: "journal", why: "the target opens its own connections" });
    expect(adapter.traits).toEqual({ portable: true, commits: true, canLeaveCounters: true });
    expect(() => adapter.connection).toThrow("has no shared connection");
    await expect(adapterOn(url, { checkpoint: "savepoint" }).open(SCOPE)).rejects.toEqual(failure("SAVEPOINT_OUT_OF_PROCESS"));
  });

  test("auto in process is savepoint when the target took the connection, else journal", async () => {
    const { url } = await scratch([ORDERS]);
    const shared = adapterOn(url);
    expect(await shared.connection.query("select 1 as one")).toMatchObject({ rows: [{ one: 1 }] });
    await shared.open({ ...SCOPE, inProcess: true });
    expect(shared.checkpoint.mode).toBe("savepoint");
    await shared.close();
    const own = adapterOn(url);
    await own.open({ ...SCOPE, inProcess: true });
    expect(own.checkpoint).toEqual({ mode: "journal", why: "the target runs in seqqa's process, but opens its own connections" });
  });

  test("nothing is answered before it is opened, nor from another lane's schema", async () => {
    const { url } = await scratch([ORDERS]);
    await expect(adapterOn(url).mark()).rejects.toEqual(failure("STORE_NOT_OPEN"));
    const { adapter } = await rooted(["create table t(a int)", ORDERS]);
    const other = await rooted([ORDERS]);
    await other.api.query("insert into orders(status) values ('x')");
    const image = (await other.adapter.capture()) as { tables: { name: string }[] };
    await expect(adapter.write({ ...image, tables: [{ name: "public.strange", rows: [] }] })).rejects.toEqual(
      failure("IMAGE_FOREIGN", "strange"),
    );
    await expect(adapter.write({ ...image, sequences: 7 })).rejects.toEqual(failure("IMAGE_FOREIGN"));
    await expect(adapter.write({})).rejects.toThrow(TypeError);
  });

  test("a mark that an older one has undone is refused", async () => {
    const { api, adapter, mark } = await rooted([ORDERS]);
    await api.query("insert into orders(status) values ('x')");
    const later = await adapter.mark();
    await adapter.restore(mark);
    await expect(adapter.restore(later)).rejects.toEqual(failure("MARK_INVALID"));
  });

  test("goes on after a restart of the target: marks stay valid, what the target wrote at its start is a change", async () => {
    const { api, adapter, mark, dump } = await rooted([ORDERS, "create table bag(a int)"]);
    await api.query("insert into orders(status) values ('before'); insert into bag values (1), (1)");
    const later = await adapter.mark();
    const then = await adapter.dump();
    await adapter.close();
    await api.query("insert into orders(status) values ('at its start'); create table if not exists orders(a int); delete from bag");
    await adapter.open(SCOPE);
    expect(await adapter.changed(later)).toBe(true);
    await adapter.restore(later);
    expect(await adapter.dump()).toBe(then);
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    await adapter.close();
    await api.query("alter table orders add column x int");
    await adapter.open(SCOPE);
    await adapter.root();
    await expect(adapter.restore(mark)).rejects.toEqual(failure("MARK_INVALID"));
  });
});

describe("errors", () => {
  const secret = "s3cr%40t-pässword";

  test.each([
    ["nobody listens", (url: URL) => void (url.port = "1"), "STORE_UNREACHABLE"],
    ["no such host", (url: URL) => void (url.hostname = "nowhere.invalid"), "STORE_UNREACHABLE"],
    ["no such database", (url: URL) => void (url.pathname = "/seqqa_test_missing"), "STORE_MISSING"],
    ["no such role", (url: URL) => void (url.username = "seqqa_test_nobody"), "STORE_NOT_ALLOWED"],
  ])("%s: one sentence, without the password", async (_name, change, code) => {
    const { url } = await scratch([]);
    for (const checkpoint of ["journal", "clone"] as const) {
      const broken = new URL(url);
      broken.password = secret;
      change(broken);
      const adapter = new PostgresAdapter({ url: broken.href, checkpoint });
      const error: unknown = await adapter.open(SCOPE).catch((cause: unknown) => cause);
      expect(error).toEqual(failure(code));
      const everything = inspect(error, { depth: 10, showHidden: true }) + inspect(adapter) + JSON.stringify(adapter);
      for (const text of [secret, encodeURIComponent(secret), broken.password, decodeURIComponent(broken.password)])
        expect(everything).not.toContain(text);
      expect((error as Error).message).toContain(decodeURIComponent(broken.hostname));
    }
  });

  test("a URL that is none is not repeated", () => {
    for (const url of ["postgres:// : secret@", "mysql://u:secret@h/d", "secret", "postgresql://h/%E0%A4%A"]) {
      const error = ((): unknown => {
        try {
          return new PostgresAdapter({ url });
        } catch (cause) {
          return cause;
        }
      })();
      expect(error).toEqual(failure("STORE_URL_INVALID"));
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("secret");
    }
    expect(() => new PostgresAdapter({ url: "" })).toThrow(expect.objectContaining({ code: "POSTGRES_WITHOUT_URL" }) as Error);
  });

  test("a lost control connection is said, and does not end the process", async () => {
    const { api, adapter, mark } = await rooted([ORDERS]);
    await column(
      api,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'seqqa' and datname = current_database()",
    );
    await expect(adapter.changed(mark)).rejects.toEqual(failure("STORE_LOST"));
    await expect(adapter.restore(mark)).rejects.toEqual(failure("STORE_LOST"));
    await adapter.close();
    await adapter.open(SCOPE);
    await adapter.root();
    await adapter.restore(await adapter.mark());
  });

  test("a role that may not read is told so", async () => {
    const name = await role("password 'pw'");
    const { url } = await scratch([ORDERS]);
    const poor = new URL(url);
    poor.username = name;
    poor.password = "pw";
    await expect(adapterOn(poor.href).open(SCOPE)).rejects.toEqual(failure("STORE_NOT_ALLOWED", "right to read"));
  });
});
