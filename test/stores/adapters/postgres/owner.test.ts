import { describe, expect, test } from "vitest";
import { setTimeout as pause } from "node:timers/promises";
import { stores } from "../../../../src/adapters/postgres/index.ts";
import type { Gate } from "../../../../src/model/stores/store-adapter.ts";
import { admin, databaseUrl } from "../../../contract/system/postgres-databases.ts";
import { some } from "../../../sizes.ts";
import { adapterOn, column, failure, role, rooted, SCOPE, scratch, session, type By, type Scratch } from "./scratch.ts";

const ORDERS = "create table orders(id serial primary key, status text default 'new', total numeric)";
const BORROWED = { ...SCOPE, borrowed: true };
const ROLES: readonly By[] = ["owner", "granted owner"];

/** Ends the sessions of the run: SIGKILL does the same. */
async function kill({ database }: Scratch): Promise<void> {
  await admin((client) =>
    client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'seqqa'", [database]),
  );
}

describe.each(some(ROLES, 1))("a role that is no superuser, %s", (by) => {
  test("journals, and doctor says so", async () => {
    const { adapter, url } = await rooted([ORDERS], {}, {}, by);
    expect(adapter.checkpoint).toEqual({ mode: "journal", why: "the target opens its own connections" });
    const checks = await stores.check(url);
    const says = by === "owner" ? "the role owns the tables, and" : "the role owns the tables and can set session_replication_role, and";
    expect(checks.find(({ what }) => what === "checkpoint")?.says).toContain(`auto chooses journal (${says}`);
  });

  test.each(
    some(
      [
        ["alter table orders add column extra int", "columns"],
        ["refresh materialized view concurrently seen", "materialized view"],
        ["drop table other", "tables"],
        ["create index on orders(total)", "indexes"],
        ["create table fresh(a int)", "tables"],
        ["alter table orders disable trigger user", "triggers"],
        ["create function f() returns int language sql as 'select 1'", "functions"],
        ["create or replace view open as select id, status from orders where id > 5", "rules and views"],
        ["create rule r as on delete to other do instead nothing", "rules and views"],
        ["alter table orders alter column total drop not null", "columns"],
        ["alter table orders alter column status set default 'old'", "defaults"],
        ["alter type mood add value 'new'", "enums"],
        ["refresh materialized view seen", "materialized view"],
        ["alter table other alter column a type int using a + 1", "rewriting"],
        ["grant select on orders to public", "tables"],
        ["select lo_create(0)", "large object"],
      ] as const,
      8,
    ),
  )("notices by the catalog: %s", async (sql, what) => {
    const { api, adapter, mark } = await rooted(
      [
        ORDERS,
        "alter table orders alter column total set not null",
        "create table other(a int)",
        "create type mood as enum ('sad')",
        "create view open as select id, status from orders",
        "create materialized view seen as select * from orders",
        "create unique index on seen(id)",
      ],
      {},
      {},
      by,
    );
    await api.query(sql);
    // A put-back looks before it changes anything.
    await expect(sql.startsWith("drop") ? adapter.restore(mark) : adapter.changed(mark)).rejects.toEqual(failure("SCHEMA_CHANGED", what));
    await expect(adapter.restore(mark)).rejects.toEqual(failure("SCHEMA_CHANGED", "clone"));
  });

  test("takes no offence at temporary tables, a TRUNCATE, nor statements that changed nothing", async () => {
    const { api, adapter, mark, dump } = await rooted([ORDERS, "insert into orders(total) values (1), (2)"], {}, {}, by);
    await api.query("create temp table mine(id serial primary key, o int); create index on mine(o); alter table mine add x int");
    await api.query("create table if not exists orders(a int); drop table if exists missing");
    expect(await adapter.changed(mark)).toBe(false);
    await api.query("drop table mine; truncate orders restart identity; insert into orders(total) values (9)");
    await api.query("vacuum full orders");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
    await api.query("truncate orders; analyze orders");
    await adapter.restore(mark);
    expect(await adapter.dump()).toBe(dump);
  });

  test("waits for a transaction of another role, whose session it may not look into", async () => {
    const { database, adapter, api, mark, dump } = await rooted([ORDERS], {}, {}, by);
    const other = await role();
    await api.query(`grant all on all tables in schema public to ${other}; grant all on all sequences in schema public to ${other}`);
    const url = await scratchUrl(database);
    url.username = other;
    const theirs = await session(url.href);
    await theirs.query("begin; insert into orders(total) values (1)");
    // The grants changed the schema, which shows at the end of the wait.
    const restored = adapter.restore(mark).catch((error: unknown) => error);
    expect(await Promise.race([restored, pause(100, "waits")])).toBe("waits");
    await theirs.query("commit");
    expect(await restored).toEqual(failure("SCHEMA_CHANGED"));
    expect(dump).not.toBe("");
  });

  test.each(
    some(
      [
        [
          "alter table orders owner to OTHER; grant all on orders to public; grant all on all sequences in schema public to public",
          'table "orders" belongs to the role "OTHER"',
        ],
        ["alter table orders enable row level security; alter table orders force row level security", "FORCE ROW LEVEL SECURITY"],
        ["alter sequence loose owner to OTHER", 'sequence "loose" belongs to another role'],
      ] as const,
      2,
    ),
  )("falls back to clone, with the reason and the cost: %s", async (sql, why) => {
    const store = await scratch([ORDERS, "create sequence loose"], by);
    const other = await role();
    await admin((client) => client.query(sql.replaceAll("OTHER", other)), store.database);
    const adapter = adapterOn(store.url);
    const reason = why.replaceAll("OTHER", other);
    // The user's own database cannot be cloned.
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("CHECKPOINT_REFUSED", reason));
    expect((await stores.check(store.url)).find(({ what }) => what === "checkpoint")?.says).toContain(reason);
    await store.api.query("select 1");
    if (sql.includes("loose")) return;
    await adapter.open(SCOPE);
    expect(adapter.checkpoint).toEqual({
      mode: "clone",
      why: expect.stringMatching(/each step copies the database, which takes 0\.1 to 0\.5 s/) as string,
    });
    expect(adapter.checkpoint.why).toContain(reason);
    await adapter.close();
  });

  test("leaves out tables of extensions, such as spatial_ref_sys and cron.job, if it may not write them", async () => {
    const store = await scratch([ORDERS, "insert into orders(total) values (1)"], by);
    const before = await column(store.api, "select o::text from orders o");
    const statements = [
      "create table spatial_ref_sys(srid int primary key); grant select on spatial_ref_sys to public; create schema cron",
      "create table cron.job(jobid bigserial primary key, command text)",
      // A table becomes a member of an extension in the same way when a script of the extension creates it.
      ...["table spatial_ref_sys", "sequence cron.job_jobid_seq", "table cron.job"].map((one) => `alter extension plpgsql add ${one}`),
    ];
    await admin((client) => client.query(statements.join(";")), store.database);
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    expect(adapter.checkpoint.mode).toBe("journal");
    await adapter.root();
    const mark = await adapter.mark();
    await store.api.query("update orders set total = 2");
    await adapter.restore(mark);
    expect(await adapter.dump()).not.toMatch(/^cron\.job_jobid_seq/m);
    await store.api.query("update orders set total = 3");
    await adapter.observe();
    await adapter.close();
    expect(await column(store.api, "select o::text from orders o")).toEqual(before);
    await admin((client) => client.query("grant insert on spatial_ref_sys to public"), store.database);
    await expect(adapterOn(store.url).open(BORROWED)).rejects.toEqual(failure("CHECKPOINT_REFUSED", 'table "spatial_ref_sys" belongs to'));
  });

  test("a new column keeps no row of a user's own database from being restored, and a TRUNCATE is put back", async () => {
    const store = await scratch([ORDERS, "insert into orders(total) values (1), (2)"], by);
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    await adapter.root();
    await store.api.query("truncate orders");
    await adapter.observe();
    await store.api.query("insert into orders(total) values (3); truncate orders");
    await kill(store);
    expect((await stores.clean(store.url)).leftover?.undo.length).toBe(2);
    expect(await column(store.api, "select id from orders order by 1")).toEqual([1, 2]);
    const second = adapterOn(store.url);
    await second.open(BORROWED);
    await second.root();
    await store.api.query("alter table orders add column extra int");
    await store.api.query("update orders set total = 9, extra = 3 where id = 1; delete from orders where id = 2");
    await second.close();
    expect(await column(store.api, "select o::text from orders o order by id")).toEqual(["(1,new,1,3)", "(2,new,2,)"]);
  });

  test("holds a write of another role, and sees what it waits for", async () => {
    const other = await role();
    const grants = [`grant all on all tables in schema public to ${other}`, `grant all on all sequences in schema public to ${other}`];
    const { database, adapter, api } = await rooted([ORDERS, "insert into orders(total) values (1)", ...grants], {}, { gated: true }, by);
    const url = await scratchUrl(database);
    url.username = other;
    const [first, second] = [await session(url.href), await session(url.href)];
    const gate = adapter.gate() as Gate;
    await gate.arm(1);
    const written = first.query("begin; update orders set total = 2");
    expect(await gate.held(written)).toEqual({ statement: "UPDATE orders" });
    const blocked = second.query("begin; lock table orders in share mode");
    await expect.poll(() => gate.view()).toEqual({ kind: "blocked", by: "table orders" });
    await gate.release();
    await written;
    await first.query("rollback");
    await blocked;
    await second.query("rollback");
    expect(await column(api, "select total::int from orders")).toEqual([1]);
  });

  test("what a superuser's run left is named, and left to one", async () => {
    const store = await scratch([ORDERS, "insert into orders(total) values (1)"], by);
    const powerful = await scratchUrl(store.database);
    const adapter = adapterOn(powerful.href);
    await adapter.open(BORROWED);
    await adapter.root();
    await store.api.query("update orders set total = 2");
    await adapter.observe();
    await kill(store);
    expect((await stores.clean(store.url)).failures).toEqual([failure("STORE_NOT_PUT_BACK", 'the run connected as the role "postgres"')]);
    await stores.clean(powerful.href);
    expect(await column(store.api, "select total::int from orders")).toEqual([1]);
  });

  test("what its run left is put back by a superuser too", async () => {
    const store = await scratch([ORDERS, "create table items(o int not null references orders on delete restrict)", "insert into orders(total) values (1)", "insert into items values (1)"], by); // prettier-ignore
    const adapter = adapterOn(store.url);
    await adapter.open(BORROWED);
    await adapter.root();
    await store.api.query("update orders set total = 2; insert into orders(total) values (3); insert into items values (2)");
    await adapter.observe();
    await kill(store);
    expect((await stores.clean((await scratchUrl(store.database)).href)).leftover?.undo.length).toBe(3);
    expect(await column(store.api, "select id || ':' || total from orders union all select o::text from items")).toEqual(["1:1", "1"]);
  });
});

/** The database, as a superuser. */
async function scratchUrl(database: string): Promise<URL> {
  return new URL(await databaseUrl(database));
}

describe("without replica role", () => {
  const put = async (statements: readonly string[], writes: readonly string[]): Promise<Scratch> => {
    for (const borrowed of [false, true]) {
      const { api, adapter, mark, dump } = await rooted(statements, {}, { borrowed }, "owner");
      for (let i = 0; i < 3; i++) {
        for (const sql of writes) await api.query(sql);
        await adapter.restore(mark);
        expect(await adapter.dump()).toBe(dump);
      }
      for (const sql of writes) await api.query(sql);
      await adapter.close();
      if (borrowed) expect(await column(api, "select tgname from pg_trigger where tgname like '%seqqa%'")).toEqual([]);
    }
    return scratch(statements, "owner");
  };

  test("children stay as they are while their parent goes and comes back", async () => {
    const actions = ["cascade", "set null", "set default", "no action", "restrict"];
    await put(
      [
        "create table p(id int primary key, v text)",
        ...actions.map(
          (action, i) => `create table c${i}(id int primary key, p int default 1 references p on delete ${action} on update ${action})`,
        ),
        "insert into p values (1, 'a'), (2, 'b')",
        ...actions.map((_, i) => `insert into c${i} values (1, 1), (2, 2)`),
      ],
      ["update p set v = 'x'"],
    );
  });

  test("unique values that went from row to row among parents with RESTRICT", async () => {
    await put(
      [
        "create table users(id int generated always as identity primary key, email text not null unique, code int unique)",
        "create table posts(id int primary key, author int not null references users on delete restrict on update cascade)",
        "create table likes(post int references posts on delete restrict, code int references users(code) on delete restrict)",
        "insert into users(email, code) values ('a', 1), ('b', 2)",
        "insert into posts values (1, 1), (2, 2)",
        "insert into likes values (1, 1), (1, 1), (2, 2)",
      ],
      [
        "update users set email = 'z' where id = 1",
        "update users set email = 'a' where id = 2",
        "update users set email = 'b' where id = 1",
      ],
    );
  });

  test("cycles of keys that cannot be deferred", async () => {
    await put(
      [
        "create table a(id int primary key, b int not null)",
        "create table b(id int primary key, a int not null references a)",
        "insert into a values (1, 1)",
        "insert into b values (1, 1)",
        "alter table a add foreign key (b) references b",
      ],
      ["with x as (insert into a values (2, 2)) insert into b values (2, 2)", "update a set b = 2", "update b set a = 2 where id = 1"],
    );
  });

  test("triggers and rules do not fire, and are enabled as they were", async () => {
    const statements = [
      "create table t(id int primary key, v int)",
      "create table kid(t int references t on delete cascade)",
      "create table log(what text)",
      "create function f() returns trigger language plpgsql as $$ begin insert into log values (TG_NAME); return coalesce(NEW, OLD); end $$",
      ...["t", "kid"].flatMap((table) => [
        `create trigger plain before insert or update or delete on ${table} for each row execute function f()`,
        `create trigger stated after insert or update or delete on ${table} for each statement execute function f()`,
        `create trigger always after insert or update or delete on ${table} for each row execute function f()`,
        `create trigger never after insert on ${table} for each row execute function f()`,
        `create trigger other after insert on ${table} for each row execute function f()`,
        `alter table ${table} enable always trigger always, disable trigger never, enable replica trigger other`,
      ]),
      "create constraint trigger late after insert or delete on t deferrable initially deferred for each row execute function f()",
      "create rule soft as on delete to kid do also insert into log values ('rule')",
      "insert into t values (1, 1)",
      "insert into kid values (1)",
    ];
    await put(statements, ["update t set v = 2", "insert into t values (2, 2)"]);
    const { api, adapter, mark } = await rooted(statements, {}, {}, "owner");
    const states =
      "select tgname || tgenabled::text from pg_trigger where not tgisinternal union all select rulename || ev_enabled::text from pg_rewrite where rulename = 'soft' order by 1";
    const before = await column(api, states);
    await api.query("update t set v = 2");
    await adapter.restore(mark);
    expect(await column(api, states)).toEqual(before);
  });

  test("a foreign key that is NOT VALID, is a reason for clone, and one that leads out of what is put back is refused", async () => {
    const { api, url } = await scratch(
      ["create table p(id int primary key)", "create table c(p int)", "insert into c values (5)"],
      "owner",
    );
    await api.query("alter table c add foreign key (p) references p not valid");
    await expect(adapterOn(url).open(BORROWED)).rejects.toEqual(failure("CHECKPOINT_REFUSED", "is NOT VALID"));
    await api.query("delete from c; alter table c validate constraint c_p_fkey");
    await expect(adapterOn(url, { ignore: ["c"] }).open(BORROWED)).rejects.toEqual(
      failure("IGNORE_REFERS", 'refers to table "p", which this run restores'),
    );
    await adapterOn(url).open(BORROWED);
  });
});
