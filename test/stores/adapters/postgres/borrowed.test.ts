import { describe, expect, test } from "vitest";
import { stores, type PostgresAdapter } from "../../../../src/adapters/postgres/index.ts";
import { recover } from "../../../../src/adapters/postgres/journal/recover.ts";
import { admin, copiesOf } from "../../../contract/system/postgres-databases.ts";
import { adapterOn, column, failure, SCOPE, scratch, session, type Scratch } from "./scratch.ts";
import { readDump } from "../../../../src/adapters/postgres/journal/full-reading.ts";
import { connect, TEXT_SETTINGS } from "../../../../src/adapters/postgres/connect/connect.ts";
import { storeUrl } from "../../../../src/adapters/postgres/connect/store-url.ts";
import { notPutBack } from "../../../../src/adapters/postgres/connect/failures.ts";
import { Control } from "../../../../src/adapters/postgres/connect/control.ts";
import { JournalMode } from "../../../../src/adapters/postgres/journal/journal-mode.ts";
import { select } from "../../../../src/adapters/postgres/read/selection.ts";
import { readCatalog } from "../../../../src/adapters/postgres/schema/catalog.ts";

const BORROWED = { ...SCOPE, borrowed: true };
const TABLES = [
  "create table orders(id serial primary key, status text)",
  "create table bag(a int, b text)",
  "insert into orders(status) values ('a'), ('b')",
  "insert into bag values (1, 'x'), (1, 'x'), (null, null)",
];

/** Of the database as anybody sees it. */
async function dumpOf(url: string): Promise<string> {
  const client = await connect(storeUrl(url), { rawText: true, settings: TEXT_SETTINGS });
  try {
    return await readDump(client);
  } finally {
    await client.end();
  }
}

/** Names of everything in the database that is not there without us. */
async function traces({ api }: Scratch): Promise<unknown[]> {
  return column(
    api,
    `select nspname from pg_namespace where nspname like 'seqqa%' union all select tgname from pg_trigger where tgname like '%seqqa%'
     union all select evtname from pg_event_trigger union all select proname from pg_proc where proname like '%seqqa%'`,
  );
}

/** As SIGKILL does it: the connections are gone, and nothing was tidied up. */
async function kill(database: string): Promise<void> {
  const others = "datname in ($1, 'postgres') and application_name = 'seqqa' and (datname = $1 or query not like '%pg_stat_activity%')";
  await admin((client) =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others} and pid <> pg_backend_pid() and datname = $1`, [
      database,
    ]),
  );
}

/** What an exploration does to a store: `setup`, branches, put-backs, a written state, and in the middle of a branch it ends. */
async function explore(adapter: PostgresAdapter, { api }: Scratch): Promise<void> {
  await api.query("insert into orders(status) values ('of setup'); delete from bag where a is null");
  await adapter.root();
  const root = await adapter.mark();
  await api.query("update orders set status = 'one'; insert into bag values (1, 'x')");
  const image = adapter.traits.portable ? await adapter.capture() : undefined;
  const inner = await adapter.mark();
  await api.query("truncate bag");
  await adapter.observe();
  await adapter.restore(inner);
  await adapter.restore(root);
  if (image !== undefined) await adapter.write(image);
  await api.query("delete from orders where id = 1; select nextval('orders_id_seq')");
  await adapter.observe();
  await api.query("insert into bag values (7, 'not read by anybody')");
}

describe("a user's own database, journalled", () => {
  test("ends as it was found, setup's data included, with nothing of ours in it", async () => {
    const store = await scratch(TABLES);
    const before = await dumpOf(store.url);
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    await explore(adapter, store);
    expect((await traces(store)).length).toBeGreaterThan(5);
    await adapter.close();
    expect(await traces(store)).toEqual([]);
    expect(await dumpOf(store.url)).toBe(before);
  });

  test("what a killed run left keeps the next from opening, and is put back by clean", async () => {
    const store = await scratch(TABLES);
    const before = await dumpOf(store.url);
    const killed = adapterOn(store.url);
    await killed.open(BORROWED);
    await explore(killed, store);
    await killed.observe();
    await kill(store.database);
    const left = await dumpOf(store.url);
    expect(left).not.toBe(before);
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("STORE_LEFT", "seqqa clean restores "));
    expect(await dumpOf(store.url)).toBe(left);
    const { removed, leftover } = await stores.clean(store.url);
    expect(removed).toEqual([`tables and triggers of a dead run in ${storeUrl(store.url).shown}`]);
    expect(leftover?.keep).toEqual([]);
    expect(await dumpOf(store.url)).toBe(before);
    expect(await traces(store)).toEqual([]);
    expect(await stores.clean(store.url)).toEqual({ removed: [] });
  });

  test("what was written in flight when a run was killed stays, and is named", async () => {
    const store = await scratch(TABLES);
    const killed = adapterOn(store.url);
    await killed.open(BORROWED);
    await explore(killed, store);
    await kill(store.database);
    const { leftover } = await stores.clean(store.url);
    expect(leftover?.keep).toEqual([
      { table: "bag", key: "a 7, b not read by anybody", root: null, recorded: null, now: { a: 7, b: "not read by anybody" } },
    ]);
    expect(await column(store.api, "select t::text from orders t union all select t::text from bag t order by 1")).toEqual([
      "(,)",
      "(1,a)",
      "(1,x)",
      "(1,x)",
      "(2,b)",
      '(7,"not read by anybody")',
    ]);
    expect(await traces(store)).toEqual([]);
  });

  test("an installation that a killed run left no row with is removed by the next", async () => {
    const store = await scratch(TABLES);
    const before = await dumpOf(store.url);
    const killed = adapterOn(store.url);
    await killed.open(BORROWED);
    await killed.root();
    await store.api.query("select nextval('orders_id_seq')");
    await killed.observe();
    await kill(store.database);
    const next = adapterOn(store.url);
    await next.open(BORROWED);
    expect(await next.dump()).toBe(before);
    await next.close();
    expect(await dumpOf(store.url)).toBe(before);
    expect(await traces(store)).toEqual([]);
  });

  test("the log outlives a crash of the server: it is no unlogged table", async () => {
    const store = await scratch(TABLES);
    await adapterOn(store.url).open(BORROWED);
    expect(
      await column(store.api, "select distinct relpersistence::text from pg_class where relnamespace = 'seqqa_journal'::regnamespace"),
    ).toEqual(["p"]);
  });

  test("one that a living run works on is refused, and left alone by recover", async () => {
    const store = await scratch(TABLES);
    const first = adapterOn(store.url);
    await first.open(BORROWED);
    await first.root();
    const mark = await first.mark();
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("STORE_IN_USE", "another run"));
    await expect(recover(storeUrl(store.url))).rejects.toEqual(failure("STORE_IN_USE"));
    expect(await stores.clean(store.url)).toMatchObject({ removed: [], inUse: expect.stringContaining("another run of seqqa") as string });
    await store.api.query("insert into orders(status) values ('x')");
    await first.restore(mark);
    await first.close();
    expect(await traces(store)).toEqual([]);
  }, 30_000);

  test("closing waits for a request that is still writing", async () => {
    const store = await scratch(TABLES);
    const before = await dumpOf(store.url);
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    await adapter.root();
    await store.api.query("begin; insert into orders(status) values ('late')");
    const closed = adapter.close();
    setTimeout(() => void store.api.query("commit"), 100);
    await closed;
    await store.api.query("select setval('orders_id_seq', 2)");
    expect(await dumpOf(store.url)).toBe(before);
  });

  test("after a lost connection, the adapter says so, and what restores the store", async () => {
    const store = await scratch(TABLES);
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    const mark = await adapter.mark();
    await admin((client) =>
      client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()", [
        store.database,
      ]),
    );
    await expect(adapter.close()).rejects.toMatchObject({ code: "STORE_LOST" });
    await expect(adapter.restore(mark)).rejects.toMatchObject({
      code: "STORE_LOST",
      hint: expect.stringContaining("run `seqqa clean`") as string,
    });
  });

  test("rows are restored after the schema was changed under a run", async () => {
    const store = await scratch(TABLES);
    const before = await column(store.api, "select o.status from orders o order by id");
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    await adapter.root();
    await store.api.query("update orders set status = 'run'");
    await adapter.observe();
    await store.api.query("create index on orders(status); alter table orders add column extra int");
    await expect(adapter.observe()).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
    await adapter.close();
    expect(await column(store.api, "select o.status from orders o order by id")).toEqual(before);
    expect(await traces(store)).toEqual([]);
  });
});

describe("a database with a publication FOR ALL TABLES", () => {
  const PUBLISHED = [
    "create table orders(id serial primary key, status text)",
    "create sequence invoices cache 10",
    "insert into orders(status) values ('a')",
    "create publication everything for all tables",
  ];

  test.each([true, false])("is journalled, in place: %s", async (borrowed) => {
    const store = await scratch(PUBLISHED);
    const before = await dumpOf(store.url);
    const adapter = adapterOn(store.url);
    await adapter.open({ ...SCOPE, borrowed });
    await adapter.root();
    const mark = await adapter.mark();
    await store.api.query("update orders set status = 'b'; insert into orders(status) values ('c'); select nextval('invoices')");
    expect(await adapter.changed(mark)).toBe(true);
    await adapter.restore(mark);
    await store.api.query("delete from orders");
    await adapter.observe();
    if (!borrowed) return;
    await adapter.close();
    expect(await traces(store)).toEqual([]);
    // A sequence with a CACHE is not restored.
    expect((await dumpOf(store.url)).replaceAll(/invoices.*/g, "")).toBe(before.replaceAll(/invoices.*/g, ""));
  });

  test("and a table without a key is not journalled, because its rows cannot be deleted", async () => {
    const parted = ["create table parted(a int) partition by list (a)", "create table part partition of parted default"];
    for (const [table, statements] of [
      ["bag", ["create table bag(a int)"]],
      ["part", parted],
    ] as const) {
      const store = await scratch([...PUBLISHED, ...statements]);
      await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(
        failure("CHECKPOINT_REFUSED", `table "${table}" is in the publication "everything" without a primary key`),
      );
      expect(await traces(store)).toEqual([]);
      await store.api.query(`alter table ${table} replica identity full`);
      await adapterOn(store.url).open(BORROWED);
    }
  });
});

test("an installation that fails at its end leaves nothing in the database", async () => {
  const store = await scratch(TABLES);
  const control = await Control.open(storeUrl(store.url));
  try {
    const catalog = await readCatalog(control.client);
    const rows = control.rows.bind(control);
    control.rows = (text, ...more) => (text.includes("journal.read(") ? Promise.reject(new Error("refused")) : rows(text, ...more));
    const selection = select(control.store, catalog, undefined, undefined);
    await expect(JournalMode.open(control, catalog, { selection, borrowed: true })).rejects.toThrow("refused");
    expect(await traces(store)).toEqual([]);
  } finally {
    await control.close();
  }
});

describe("a database with more tables than the server guarantees locks for", () => {
  test("is refused in place before anything is installed, by doctor, too", async () => {
    const store = await scratch([]);
    const locks = "select current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int";
    const [guaranteed] = (await column(store.api, locks)).map(Number);
    const tables = Math.ceil(guaranteed! / 5);
    await store.api.query(`do $$ begin for i in 1..${tables} loop execute format('create table t%s(id int)', i); end loop; end $$`);
    const why = `to restore ${tables} tables, seqqa needs ${5 * tables + 50} locks, but the server guarantees only ${guaranteed}: set max_locks_per_transaction to `;
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("CHECKPOINT_REFUSED", why));
    expect(await traces(store)).toEqual([]);
    const checks = await stores.check(store.url, { inPlace: true, isolation: undefined, inProcess: false });
    expect(checks.filter(({ ok }) => !ok).map(({ says }) => says)).toEqual([expect.stringContaining(why)]);
  });

  test("names the setting if the end of the run needed more", () => {
    const error = Object.assign(new Error("out of shared memory"), { code: "53200" });
    expect(notPutBack(storeUrl("postgresql://127.0.0.1/db"), error)).toEqual(failure("STORE_NOT_PUT_BACK", "max_locks_per_transaction"));
  });
});

describe("a database, cloned", () => {
  test("is not for a user's own, which stays as it is", async () => {
    const store = await scratch(TABLES);
    const before = await dumpOf(store.url);
    await expect(adapterOn(store.url, { checkpoint: "clone" }).open(BORROWED)).rejects.toEqual(
      failure("CHECKPOINT_REFUSED", "this mode restores the whole store, which also undoes writes of other clients"),
    );
    // Nor where the journal cannot be used.
    await store.api.query("select lo_create(0)");
    for (const checkpoint of ["auto", "journal"] as const) {
      await expect(adapterOn(store.url, { checkpoint }).open(BORROWED)).rejects.toEqual(
        failure("CHECKPOINT_REFUSED", "the journal cannot be used: the database has large objects"),
      );
    }
    await store.api.query("select lo_unlink(oid) from pg_largeobject_metadata");
    expect(await dumpOf(store.url)).toBe(before);
    expect(await traces(store)).toEqual([]);
    expect(
      await admin((client) => column(client, `select datname from pg_database where starts_with(datname, '${copiesOf(store.database)}')`)),
    ).toEqual([]);
  });

  test("is put back with its owner, settings, privileges and comment; schema changes are undone", async () => {
    const store = await scratch(TABLES);
    const { database, url, api } = store;
    await api.query(`alter database ${database} set work_mem = '7MB'`);
    await api.query(`alter database ${database} set search_path = public, "$user", 'odd, "name"'`);
    await api.query(
      `grant create on database ${database} to pg_monitor with grant option; comment on database ${database} is 'the "user''s" own'`,
    );
    await api.query(`alter database ${database} connection limit 40`);
    const properties = (): Promise<unknown> =>
      admin(async (client) => {
        const text = `select d.datname, r.rolname, d.datconnlimit, d.datallowconn, array(select a::text from unnest(d.datacl) a order by 1) as acl, shobj_description(d.oid, 'pg_database') as comment, s.setconfig
             from pg_database d join pg_roles r on r.oid = d.datdba left join pg_db_role_setting s on s.setdatabase = d.oid where d.datname = $1`;
        return (await client.query(text, [database])).rows;
      });
    const [before, owned] = [await dumpOf(url), await properties()];
    const adapter = adapterOn(url, { checkpoint: "clone" });
    await adapter.open(SCOPE);
    await adapter.root();
    const mark = await adapter.mark();
    const target = await session(url);
    await target.query(
      "insert into orders(status) values ('x'); alter table orders add column extra int; drop table bag; create table fresh(a int)",
    );
    await adapter.restore(mark);
    expect(await dumpOf(url)).toBe(before);
    expect(await properties()).toEqual(owned);
    await adapter.close();
    expect(await dumpOf(url)).toBe(before);
    expect(
      await admin((client) => column(client, `select datname from pg_database where starts_with(datname, '${copiesOf(store.database)}')`)),
    ).toEqual([]);
  }, 30_000);

  test("keeps a bounded number of copies, the states that can still be gone back to first", async () => {
    const store = await scratch(["create table t(a int)"]);
    const adapter = adapterOn(store.url, { checkpoint: "clone" });
    await adapter.open(SCOPE);
    const copies = (): Promise<unknown[]> =>
      admin((client) => column(client, `select datname from pg_database where starts_with(datname, '${copiesOf(store.database)}')`));
    const root = await adapter.mark();
    const marks: unknown[] = [];
    for (let i = 0; i < 20; i++) {
      await (await session(store.url)).query(`insert into t values (${i})`);
      marks.push(await adapter.mark());
    }
    expect((await copies()).length).toBeLessThanOrEqual(16);
    await expect(adapter.restore(marks[0])).rejects.toEqual(failure("MARK_INVALID"));
    await adapter.restore(marks[18]);
    expect(await adapter.query("select count(*) as n from t")).toEqual([{ n: 19 }]);
    await adapter.restore(root);
    expect(await adapter.query("select * from t")).toEqual([]);
    await adapter.close();
    expect(await copies()).toEqual([]);
  }, 60_000);
});
