import { readFileSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { createConnection, type Connection } from "mysql2/promise";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readCatalog } from "../../../../src/adapters/mysql/schema/catalog.ts";
import { Control } from "../../../../src/adapters/mysql/connect/control.ts";
import { MysqlAdapter, stores } from "../../../../src/adapters/mysql/index.ts";
import { guardTriggers, restoreTriggers } from "../../../../src/adapters/mysql/journal/guards.ts";
import { JournalMode, type JournalChoice } from "../../../../src/adapters/mysql/journal/journal-mode.ts";
import { Lease } from "../../../../src/adapters/mysql/journal/lease.ts";
import { leaseLock } from "../../../../src/adapters/mysql/journal/journal-sql.ts";
import { storeUrl } from "../../../../src/adapters/mysql/connect/store-url.ts";
import { SchemaWatch } from "../../../../src/adapters/mysql/schema/schema-watch.ts";
import type { RowImages } from "../../../../src/model/stores/leftover.ts";
import type { StoreScope } from "../../../../src/model/stores/store-adapter.ts";
import { Random } from "../../../contract/system/random.ts";
import { databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { randomStatements, SCHEMA as WORLD, SEED as WORLD_SEED } from "../../../contract/system/mysql-world.ts";
import { size, some } from "../../../sizes.ts";
import { otherRuns } from "../../../support/other-run.ts";

const BORROWED: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: true };
const runs = otherRuns("mysql");
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of open.splice(0).toReversed()) await close().catch(() => undefined);
});

interface Store {
  readonly url: string;
  readonly user: Connection;
}

async function store(...statements: readonly string[]): Promise<Store> {
  const url = await databaseUrl(await newDatabase(statements));
  const user = await createConnection({ uri: url, multipleStatements: true, dateStrings: true });
  open.push(() => user.end());
  return { url, user };
}

async function borrow(url: string, scope: Partial<StoreScope> = {}): Promise<MysqlAdapter> {
  const system = new MysqlAdapter({ url });
  await system.open({ ...BORROWED, ...scope });
  open.push(() => system.close());
  await system.root();
  return system;
}

/** The journal without the adapter. */
async function journal(url: string, choice: Partial<JournalChoice> = {}): Promise<{ mode: JournalMode; control: Control }> {
  const control = await Control.open(storeUrl(url));
  open.push(() => control.close());
  const mode = await JournalMode.open(control, await readCatalog(control), { selection: () => true, borrowed: true, ...choice });
  await mode.root();
  return { mode, control };
}

/** Ends the run's session and nothing else, as a kill does. From then on nothing is logged. */
async function kill({ mode, control }: { readonly mode: JournalMode; readonly control: Control }, user: Connection): Promise<void> {
  await mode.close(false);
  const lock = leaseLock(control.store.database);
  await vi.waitFor(async () => expect(await rowsOf(user, `select is_used_lock('${lock}')`)).toEqual([[null]]), {
    interval: 2,
    timeout: 30_000,
  });
}

async function rowsOf(user: Connection, sql: string): Promise<unknown[][]> {
  return (await user.query({ sql, rowsAsArray: true }))[0] as unknown as unknown[][];
}

/** Everything in a database, what is ours included. */
async function dump(user: Connection): Promise<string[]> {
  const lines: string[] = [];
  for (const [table] of await rowsOf(user, "show full tables")) {
    const name = `\`${String(table).replaceAll("`", "``")}\``;
    lines.push(String((await rowsOf(user, `show create table ${name}`))[0]?.[1]));
    lines.push(...(await rowsOf(user, `select * from ${name}`)).map((row) => `${name} ${JSON.stringify(row)}`).sort());
  }
  for (const [trigger] of await rowsOf(user, "show triggers")) {
    lines.push(String((await rowsOf(user, `show create trigger \`${String(trigger)}\``))[0]?.[2]));
  }
  return lines;
}

const names = (rows: readonly RowImages[] = []): string[] => rows.map(({ table, key }) => `${table} ${key}`).sort();

async function failure(work: Promise<unknown>): Promise<{ code: string; message: string; exitStatus: number; hint?: string }> {
  return work.then(
    () => {
      throw new Error("It did not fail.");
    },
    (error: unknown) => error as never,
  );
}

const SHOP = [
  "create table orders(id int auto_increment primary key, code varchar(20) unique, who varchar(20))",
  "create table lines_of(id int auto_increment primary key, order_id int, who varchar(20), foreign key (order_id) references orders(id))",
  "create table bag(what varchar(20))",
  "insert into orders(code, who) values ('a', 'root'), ('b', 'root'), ('c', 'root'), ('d', 'root')",
  "insert into lines_of(order_id, who) values (1, 'root'), (1, 'root'), (2, 'root')",
  "insert into bag values ('root'), ('root')",
];

/** A run that explores the shop: it stops after some steps with a write that it has not looked at, or, at 0, goes on until it is killed. */
const exploring = (url: string, seed: number, steps: number): string =>
  `const system = new MysqlAdapter({ url: ${JSON.stringify(url)} });
   await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
   const target = await require("mysql2/promise").createConnection({ uri: ${JSON.stringify(url)} });
   let state = ${seed};
   const below = (n) => (state = (state * 48271) % 2147483647) % n;
   const write = () => target.query([
     () => "insert into orders(code, who) values ('r" + below(1e6) + "', 'run')",
     () => "insert into lines_of(order_id, who) values (" + (1 + below(8)) + ", 'run')",
     () => "update orders set who = 'run', code = concat(code, '~') where id = " + (1 + below(6)),
     () => "delete from lines_of where id = " + (1 + below(5)),
     () => "delete from orders where id = " + (1 + below(5)),
     () => "update bag set what = 'run' limit 1",
     () => "insert into bag values ('run')",
   ][below(7)]()).catch(() => undefined);
   await write();
   await system.root();
   const root = await system.mark();
   say("begun");
   for (let step = 1; step !== ${steps}; step++) {
     if (below(4) === 0) await system.restore(root);
     await write(); await write();
     await system.changed(root);
     await system.mark();
   }
   await target.query("insert into orders(code, who) values ('late', 'in flight')");
   say("in flight");`;

describe("a run that is killed", () => {
  test("what another client wrote stays, what the run recorded goes, and the list names what is kept", async () => {
    for (let round = 0; round < size(1, 20); round++) {
      const random = new Random(round + 1);
      const { url, user } = await store(...SHOP);
      await user.query("insert into orders(code, who) values ('before', 'user')");
      const before = await tables(user);
      const stops = round % 2 === 0;
      const run = runs.start(exploring(url, 1000 + round, stops ? 2 + random.below(12) : 0));
      expect(await run.said()).toBe("begun");
      if (stops) {
        expect(await run.said()).toBe("in flight");
        await user.query("insert into orders(code, who) values ('during', 'user'); insert into bag values ('user')");
        await user.query("update orders set who = 'user', code = concat('u', id) where id = 2");
      } else await pause(random.below(300));
      await run.kill();
      await user.query("insert into orders(code, who) values ('after', 'user'); insert into bag values ('user'), ('user')");
      await user.query("insert into lines_of(order_id, who) select max(id), 'user' from orders where who <> 'user'");
      await user.query("update orders set who = 'user', code = 'mine' where id = 3");
      const theirs = await rowsOf(
        user,
        "select 'o', id, code from orders where who = 'user' union all select 'l', id, order_id from lines_of where who = 'user'",
      );
      const bags = await rowsOf(user, "select count(*) from bag where what = 'user'");

      const listed = await stores.clean(url, { dryRun: true });
      const { leftover } = await stores.clean(url);
      expect([names(leftover?.undo), names(leftover?.keep)], `round ${round}`).toEqual([
        names(listed.leftover?.undo),
        names(listed.leftover?.keep),
      ]);
      expect(
        await rowsOf(
          user,
          "select 'o', id, code from orders where who = 'user' union all select 'l', id, order_id from lines_of where who = 'user'",
        ),
      ).toEqual(expect.arrayContaining(theirs));
      expect(await rowsOf(user, "select count(*) from bag where what = 'user'")).toEqual(bags);
      expect(await rowsOf(user, "show tables like 'seqqa%'")).toEqual([]);
      expect(
        await rowsOf(
          user,
          "select 1 from lines_of l where order_id is not null and not exists (select 1 from orders o where o.id = l.order_id)",
        ),
      ).toEqual([]);
      // All else is what it was.
      const kept = new Set(names(leftover?.keep));
      const after = await tables(user);
      for (const key of new Set([...before.keys(), ...after.keys()])) {
        if (kept.has(key) || after.get(key)?.includes("user") === true) continue;
        expect([key, after.get(key)], `round ${round}`).toEqual([key, before.get(key)]);
      }
      if (stops) {
        const last = await rowsOf(user, "select id from orders where who = 'in flight'");
        expect(last).toHaveLength(1);
        expect([...kept]).toContain(`orders id ${String(last[0]![0])}`);
      }
      await user.query("insert into orders(code) values ('next'); insert into lines_of(order_id) values (null)");
    }
  });

  test("after anything that MySQL can do to rows, what it recorded goes back exactly, also beside what others wrote since", async () => {
    for (let round = 0; round < size(1, 60); round++) {
      const random = new Random(100 + round);
      const { url, user } = await store("set timestamp = 1700000000", ...WORLD, ...WORLD_SEED);
      await user.query("set sql_mode = 'ALLOW_INVALID_DATES'");
      const write = async (times: number): Promise<void> => {
        for (let i = 0; i < times; i++) {
          for (const sql of randomStatements(random)) await user.query(sql).catch(() => undefined);
          await user.query("rollback; set foreign_key_checks = 1");
        }
      };
      const before = await dump(user);
      const one = await journal(url);
      const marks = [await one.mode.mark()];
      for (let step = 0; step < 12; step++) {
        await write(3);
        if (random.chance(25)) await one.mode.restore(marks[0]);
        else await one.mode.mark();
      }
      await user.query("insert into slots(id, holder) values (1000, 'run')");
      await one.mode.mark();
      await kill(one, user);
      const others = round % 2 === 1;
      if (others) await write(8);
      const dry = await stores.clean(url, { dryRun: true });
      const { leftover } = await stores.clean(url);
      expect([names(leftover?.undo), names(leftover?.keep)], `round ${round}`).toEqual([
        names(dry.leftover?.undo),
        names(dry.leftover?.keep),
      ]);
      if (!others) {
        expect(leftover?.undo.length, `round ${round}`).toBeGreaterThan(0);
        expect(leftover?.keep, `round ${round}`).toEqual([]);
        const plain = (lines: string[]): string[] => lines.map((line) => line.replace(/ AUTO_INCREMENT=\d+/, ""));
        expect(plain(await dump(user)), `round ${round}`).toEqual(plain(before));
      }
      expect(await rowsOf(user, "show tables like 'seqqa%'")).toEqual([]);
    }
  });

  test("with nothing done, leaves only what it installed, which the next run removes", async () => {
    const { url, user } = await store(...SHOP);
    const before = await dump(user);
    await kill(await journal(url), user);
    const system = await borrow(url);
    await system.close();
    expect(await dump(user)).toEqual(before);
  });
});

/** Rows of the tables with a key, as the list names them. */
async function tables(user: Connection): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const table of ["orders", "lines_of"]) {
    for (const row of await rowsOf(user, `select * from ${table}`)) found.set(`${table} id ${String(row[0])}`, JSON.stringify(row));
  }
  return found;
}

describe("three images of each row", () => {
  const PAIR = [
    "create table p(id int auto_increment primary key, code int unique)",
    "create table c(id int auto_increment primary key, p int, foreign key (p) references p(id))",
  ];
  const SEED = "insert into p values (1, 10), (2, 20), (3, 30); insert into c values (1, 1), (2, 2), (3, null)";
  type Row = readonly [id: number, value: number | null];
  interface State {
    readonly p: ReadonlyMap<number, Row>;
    readonly c: ReadonlyMap<number, Row>;
  }
  const state = async (user: Connection): Promise<State> => {
    const of = async (sql: string): Promise<Map<number, Row>> =>
      new Map(((await rowsOf(user, sql)) as unknown as Row[]).map((row) => [row[0], row]));
    return { p: await of("select id, code from p order by id"), c: await of("select id, p from c order by id") };
  };

  /** By nothing but the states: rows that go back, those that are kept, and the state after it. */
  function model(
    root: State,
    recorded: State,
    killed: State,
    now: State,
  ): { undo: string[]; keep: string[]; after: State; hindered: string[] } {
    const same = (a: Row | undefined, b: Row | undefined): boolean => a?.[1] === b?.[1] && a?.[0] === b?.[0];
    const [undo, keep] = [new Set<string>(), new Set<string>()];
    const hindered: string[] = [];
    for (const table of ["p", "c"] as const) {
      for (const id of new Set([...root[table].keys(), ...recorded[table].keys(), ...now[table].keys()])) {
        const [r, l, n] = [root[table].get(id), recorded[table].get(id), now[table].get(id)];
        // Changed after the kill only: no log and no record knows of it.
        if (same(r, n) || (same(r, l) && same(l, killed[table].get(id)))) continue;
        (same(n, l) ? undo : keep).add(`${table} id ${id}`);
      }
    }
    for (;;) {
      const of = (table: "p" | "c"): Map<number, Row> => {
        const rows = new Map(now[table]);
        for (const one of undo) {
          const [name, , id] = one.split(" ");
          if (name !== table) continue;
          const before = root[table].get(Number(id));
          if (before === undefined) rows.delete(Number(id));
          else rows.set(Number(id), before);
        }
        return rows;
      };
      const after = { p: of("p"), c: of("c") };
      const codes = (id: number, code: number | null): boolean =>
        code !== null && [...after.p.values()].some((other) => other[0] !== id && other[1] === code);
      const orphans = [...after.c.values()].filter(([, p]) => p !== null && !after.p.has(p));
      const hinders: Readonly<Record<string, readonly string[]>> = {
        "its place is taken": [...after.p.values()].filter(([id, code]) => codes(id, code)).map(([id]) => `p id ${id}`),
        "a child stays": [...new Set(orphans.map(([, p]) => `p id ${p}`))],
        "its parent is gone": orphans.map(([id]) => `c id ${id}`),
      };
      const [why, out] = Object.entries(hinders)
        .map(([name, rows]) => [name, rows.filter((one) => undo.has(one))] as const)
        .find(([, rows]) => rows.length > 0) ?? ["", []];
      if (why !== "") hindered.push(why);
      if (out.length === 0) return { undo: [...undo].sort(), keep: [...keep].sort(), after, hindered };
      for (const one of out) {
        undo.delete(one);
        keep.add(one);
      }
    }
  }

  const id = fc.integer({ min: 1, max: 5 });
  const code = fc.constantFrom(10, 20, 30, 40, 50);
  const write = fc.oneof(
    code.map((one) => `insert into p(code) values (${one})`),
    id.map((one) => `insert into c(p) values (${one})`),
    fc.constant("insert into c(p) select max(id) from p"),
    fc
      .tuple(id, code)
      .map(([one, other]) => `delete from c where p = ${one}; delete from p where id = ${one}; insert into p(code) values (${other})`),
    fc.tuple(id, code).map(([one, other]) => `update p set code = ${other} where id = ${one}`),
    fc.tuple(id, id).map(([one, other]) => `update c set p = ${other} where id = ${one}`),
    id.map((one) => `delete from c where id = ${one}`),
    id.map((one) => `delete from p where id = ${one}`),
    id.map((one) => `delete from c where p = ${one}; delete from p where id = ${one}`),
  );
  const writes = (most: number): fc.Arbitrary<string[]> => fc.array(write, { maxLength: most });

  test("any interleaving of recorded writes, writes in flight and later ones does what the model says", async () => {
    const { url, user } = await store(...PAIR);
    const run = async (statements: readonly string[]): Promise<void> => {
      for (const sql of statements) await user.query(sql).catch(() => undefined);
    };
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        writes(3),
        fc.array(fc.record({ writes: writes(3), back: fc.boolean() }), { maxLength: 4 }),
        writes(3),
        writes(5),
        async (setup, steps, inFlight, later) => {
          await user.query("delete from c; delete from p; alter table p auto_increment = 1; alter table c auto_increment = 1");
          await user.query(SEED);
          const root = await state(user);
          const one = await journal(url);
          const { mode } = one;
          await run(setup);
          const mark = await mode.mark();
          for (const step of steps) {
            await run(step.writes);
            if (step.back) await mode.restore(mark);
            else await mode.mark();
          }
          const recorded = await state(user);
          await run(inFlight);
          const killed = await state(user);
          await kill(one, user);
          await run(later);
          const now = await state(user);
          const wanted = model(root, recorded, killed, now);
          const { leftover } = await stores.clean(url);
          expect([names(leftover?.undo), names(leftover?.keep)]).toEqual([wanted.undo, wanted.keep]);
          expect(await state(user)).toEqual(wanted.after);
          await user.query("insert into p(code) values (null)");
          for (const one of wanted.hindered) seen.add(one);
          if (wanted.undo.length > 0 && wanted.keep.length > 0) seen.add("both");
        },
      ),
      { numRuns: size(20, 400), seed: 17 },
    );
    expect([...seen].sort()).toEqual(["a child stays", "both", "its parent is gone", "its place is taken"]);
  });

  test("a table without a key: what the run added goes as often; what it took out stays away where its own row was changed", async () => {
    for (const [later, left, keep] of [
      ["do 0", ["a", "a", "b"], []],
      ["insert into bag values ('a'), ('run')", ["a", "a", "a", "b", "run"], []],
      ["update bag set v = 'user' where v = 'run' limit 1", ["a", "a", "user"], ["bag v b", "bag v run"]],
      ["delete from bag where v = 'run'", ["a", "a"], ["bag v b", "bag v run", "bag v run"]],
    ] as const) {
      const { url, user } = await store("create table bag(v varchar(9))", "insert into bag values ('a'), ('a'), ('b')");
      const one = await journal(url);
      const { mode } = one;
      await user.query("update bag set v = 'run' where v = 'b'; insert into bag values ('run')");
      await mode.mark();
      await kill(one, user);
      await user.query(later);
      const { leftover } = await stores.clean(url);
      expect((await rowsOf(user, "select v from bag order by v")).flat(), later).toEqual(left);
      expect(names(leftover?.keep), later).toEqual(keep);
    }
  });

  test("a table without a key: a row that the run added and the user changed since stays, and is listed", async () => {
    const { url, user } = await store("create table events(msg text, seen int)");
    const one = await journal(url);
    await user.query("insert into events values ('a', 0), ('b', 0)");
    await one.mode.mark();
    await kill(one, user);
    await user.query("update events set seen = 1 where msg = 'a'");
    const { leftover } = await stores.clean(url);
    expect(await rowsOf(user, "select msg, seen from events")).toEqual([["a", 1]]);
    expect(leftover?.keep).toMatchObject([{ table: "events", root: null, recorded: { msg: "a", seen: 0 }, now: null }]);
    expect(names(leftover?.undo)).toHaveLength(1);
  });

  test("a trigger that the user made later would change rows: nothing is put back while it is there", async () => {
    const { url, user } = await store(
      ...SHOP,
      "create trigger own before insert on orders for each row set new.who = concat(new.who, '!')",
    );
    const before = await rowsOf(user, "select * from orders");
    const one = await journal(url);
    const { mode } = one;
    await user.query("delete from orders where id = 3");
    await mode.mark();
    await kill(one, user);
    await user.query("create trigger later before insert on orders for each row set new.who = 'changed'");
    expect((await stores.clean(url)).failures).toMatchObject([
      { code: "STORE_NOT_PUT_BACK", message: expect.stringContaining('the trigger "later"') as string },
    ]);
    await user.query("drop trigger later");
    await stores.clean(url);
    expect(await rowsOf(user, "select * from orders")).toEqual(before);
    expect((await rowsOf(user, "show triggers")).map(([name]) => name)).toEqual(["own"]);
  });
});

describe("triggers of the user that a killed run has replaced", () => {
  const OWN = [
    ...SHOP,
    "create trigger t before insert on orders for each row set new.who = 'old'",
    "create trigger u before insert on orders for each row set new.who = concat(new.who, ' u')",
  ];
  const bodies = async (user: Connection): Promise<unknown[][]> =>
    (await rowsOf(user, "show triggers")).map(([name, , , body]) => [name, body]);

  test.each(some(["clean", "the next run"], 1))("stay as the user has made them since, by %s", async (by) => {
    const { url, user } = await store(...OWN);
    const one = await journal(url);
    if (by === "clean") {
      await user.query("insert into bag values ('run')");
      await one.mode.mark();
    }
    await kill(one, user);
    await user.query("drop trigger t; drop trigger u; create trigger t before insert on orders for each row set new.who = 'new'");
    if (by === "clean") await stores.clean(url);
    else await (await borrow(url)).close();
    expect(await bodies(user)).toEqual([["t", "set new.who = 'new'"]]);
    expect(await rowsOf(user, "show tables like 'seqqa%'")).toEqual([]);
  });

  test("are the user's own again after a new column and clean, also where rows could not be restored", async () => {
    const { url, user } = await store(...OWN);
    const before = await bodies(user);
    const one = await journal(url);
    await user.query("update orders set who = 'run' where id = 1; delete from orders where id = 3");
    await user.query("insert into bag values ('run')");
    await one.mode.mark();
    await kill(one, user);
    await user.query("alter table orders add column extra int not null default 5; update orders set extra = 6 where id = 1");
    await user.query("alter table bag add column more int");
    const { leftover, failures } = await stores.clean(url);
    expect(failures).toBeUndefined();
    expect(names(leftover?.undo)).toEqual(["orders id 1", "orders id 3"]);
    expect(leftover?.keep).toMatchObject([{ table: "bag", root: null, why: 'table "bag" was altered' }]);
    expect(await rowsOf(user, "select id, extra from orders where id in (1, 3) order by id")).toEqual([
      [1, 6],
      [3, 5],
    ]);
    expect(await bodies(user)).toEqual(before);
    expect(await rowsOf(user, "show tables like 'seqqa%'")).toEqual([]);
  });

  test("a row of the run that has a value of its own in a column that was added later stays", async () => {
    const { url, user } = await store(...OWN);
    const one = await journal(url);
    await user.query("update orders set who = 'run' where id = 1; insert into orders(who) values ('run'), ('run')");
    await one.mode.mark();
    const ids = (await rowsOf(user, "select max(id) - 1, max(id) from orders")).flat() as number[];
    await kill(one, user);
    await user.query(
      `alter table orders add column extra int not null default 5, add column x varchar(9) default 'mine'; update orders set x = 'Mine' where id in (1, ${ids[0]})`,
    );
    const { leftover, failures } = await stores.clean(url);
    expect(failures).toBeUndefined();
    expect(names(leftover?.undo)).toEqual(["orders id 1", `orders id ${ids[1]}`]);
    expect(leftover?.keep).toMatchObject([
      { table: "orders", key: `id ${ids[0]}`, root: null, why: expect.stringContaining("a column that was added") as string },
    ]);
    expect(await rowsOf(user, "select id, x from orders where binary x = 'Mine' order by id")).toEqual([
      [1, "Mine"],
      [ids[0], "Mine"],
    ]);
  });

  test("do not hinder clean if their table was dropped since", async () => {
    const { url, user } = await store(...OWN);
    await kill(await journal(url), user);
    await user.query("drop table lines_of; drop table orders");
    expect((await stores.clean(url)).failures).toMatchObject([
      { message: expect.stringContaining("has restored everything else") as string },
    ]);
    expect(await rowsOf(user, "show tables")).toEqual([["bag"]]);
  });

  test("come back whenever the run, or clean, is killed while it replaces them", async () => {
    for (let at = 1; ; at += size(3, 1)) {
      const { url, user } = await store(...OWN);
      const before = await bodies(user);
      const control = await Control.open(storeUrl(url));
      open.push(() => control.close());
      const { rows } = control;
      let statements = 0;
      control.rows = (sql) => (++statements > at ? Promise.reject(new Error("killed")) : rows.call(control, sql));
      const cut = async (): Promise<boolean> => {
        await guardTriggers(control);
        await restoreTriggers(control);
        return false;
      };
      const wasCut = await cut().catch(() => true);
      await control.close();
      await stores.clean(url);
      expect(await bodies(user), `killed after ${at} statements`).toEqual(before);
      expect(await rowsOf(user, "show tables like 'seqqa%'")).toEqual([]);
      if (!wasCut) break;
    }
  });
});

describe("a trigger that another user defined", () => {
  const SCHEMA = [
    "create table t(a int)",
    "create table log_of(a int)",
    "create trigger tr after insert on t for each row insert into log_of values (new.a)",
  ];

  async function asApp(): Promise<Store & { readonly app: string; readonly name: string }> {
    const { url, user } = await store(...SCHEMA);
    const name = `seqqa_${Math.random().toString(36).slice(2, 12)}`;
    open.push(() => user.query(`drop user if exists ${name}@'%'`));
    const app = new URL(url);
    await user.query(`create user ${name}@'%' identified by 'x'; grant all on \`${app.pathname.slice(1)}\`.* to ${name}@'%'`);
    [app.username, app.password] = [name, "x"];
    return { url, user, app: app.href, name };
  }

  test("and that the run's user may not create again, is refused before anything changes", async () => {
    const { user, app } = await asApp();
    const before = await dump(user);
    const refused = await failure(new MysqlAdapter({ url: app }).open(BORROWED));
    expect(refused).toMatchObject({ code: "STORE_NOT_ALLOWED", exitStatus: 2 });
    expect(refused.message).toMatch(/^Trigger "tr" of \S+ belongs to \S+@\S+, and the user/);
    expect(await dump(user)).toEqual(before);
  });

  test("is never lost silently: what could not be removed is said, and clean of another user creates it again", async () => {
    const { url, user, app, name } = await asApp();
    const before = await dump(user);
    const control = await Control.open(storeUrl(app));
    open.push(() => control.close());
    const { rows } = control;
    // The user's rights end after the triggers were dropped.
    let isRevoked = false;
    control.rows = async (sql) => {
      if (sql.includes("probe")) return [];
      if (sql.startsWith("create definer") && !isRevoked) {
        isRevoked = true;
        await user.query(`revoke all on \`${new URL(url).pathname.slice(1)}\`.* from ${name}@'%'`);
      }
      return rows.call(control, sql);
    };
    const catalog = await readCatalog(control);
    const failed = await failure(JournalMode.open(control, catalog, { selection: () => true, borrowed: true }));
    expect(failed).toMatchObject({ code: "STORE_NOT_PUT_BACK", exitStatus: 2 });
    await control.close();
    await stores.clean(url);
    expect(await dump(user)).toEqual(before);
  });
});

test("a failure after the journal was installed removes the journal and ends the lease", async () => {
  const { url, user } = await store("create table t(id int primary key)", "insert into t values (1)");
  const before = await dump(user);
  const control = await Control.open(storeUrl(url));
  open.push(() => control.close());
  const catalog = await readCatalog(control);
  const read = vi.spyOn(SchemaWatch, "open").mockRejectedValue(new Error("the server ended a long query"));
  const stopped = vi.spyOn(Lease.prototype, "stop");
  try {
    const opening = JournalMode.open(control, catalog, { selection: () => true, borrowed: true });
    await expect(opening).rejects.toThrow("the server ended a long query");
    expect(stopped).toHaveBeenCalledOnce();
  } finally {
    read.mockRestore();
    stopped.mockRestore();
  }
  expect(await dump(user)).toEqual(before);
});

test("what another version of seqqa left is said, and stays", async () => {
  const { url, user } = await store(...SHOP);
  await kill(await journal(url), user);
  await user.query("drop table seqqa_journal_run");
  const left = await dump(user);
  const opening = await failure(new MysqlAdapter({ url }).open(BORROWED));
  const cleaning = (await stores.clean(url)).failures?.[0];
  for (const one of [cleaning, opening])
    expect(one).toMatchObject({ code: "STORE_NOT_PUT_BACK", message: expect.stringContaining("another version of seqqa") as string });
  expect(await dump(user)).toEqual(left);
});

test("what another client writes before the first read ends the run, and stays", async () => {
  const { url, user } = await store(...SHOP);
  const system = new MysqlAdapter({ url });
  await system.open({ ...BORROWED, asked: () => 0 });
  await user.query("insert into orders(id, code, who) values (70, 'u', 'user')");
  expect(await failure(system.root())).toMatchObject({ code: "FOREIGN_WRITE" });
  const { message } = await failure(system.close());
  rmSync(/ wrote the earlier values to (\S+\.json)\.$/.exec(message)![1]!);
  expect(await rowsOf(user, "select who from orders where id = 70")).toEqual([["user"]]);
});

test("a table that is ignored and refers to one that is not, is refused", async () => {
  const { url } = await store(
    ...SHOP,
    "create table audit(id int primary key, order_id int, foreign key (order_id) references orders(id))",
  );
  const system = new MysqlAdapter({ url, ignore: ["audit"] });
  expect(await failure(system.open(BORROWED))).toMatchObject({ code: "IGNORE_REFERS", exitStatus: 2 });
});

test("a table that is ignored, and whose deleted rows take rows of another table along, is refused", async () => {
  const { url } = await store(
    ...SHOP,
    "create table stock(id int primary key, order_id int, foreign key (order_id) references orders(id) on delete cascade)",
  );
  const opening = (...ignore: string[]): Promise<unknown> => new MysqlAdapter({ url, ignore }).open(BORROWED);
  expect(await failure(opening("orders"))).toMatchObject({
    code: "IGNORE_REFERS",
    exitStatus: 2,
    message: expect.stringContaining('rows of table "stock", which this run restores (ON DELETE of column order_id)') as string,
  });
  // Without an action, the server itself refuses to delete rows that others refer to.
  const both = new MysqlAdapter({ url, ignore: ["orders", "stock"] });
  await both.open(BORROWED);
  await both.close();
});

describe("the lease", () => {
  test("once it is over, triggers log nothing, and the run touches nothing more", async () => {
    const { url, user } = await store(...SHOP);
    const { mode } = await journal(url, { leaseSeconds: 1 });
    await user.query("insert into orders(code, who) values ('x', 'run')");
    const mark = await mode.mark();
    const log = (): Promise<unknown[][]> => rowsOf(user, "select count(*) from seqqa_journal_log");
    await user.query("insert into orders(code, who) values ('in flight', 'run')");
    expect(await log()).toEqual([[1]]);
    // The server ends a session that was silent for a second. What holds the lease is a lock of that session, which may go a moment later.
    const [[database]] = (await rowsOf(user, "select database()")) as [[string]];
    await vi.waitFor(
      async () => {
        expect(await rowsOf(user, "select 1 from information_schema.processlist where db = database()")).toHaveLength(1);
        expect(await rowsOf(user, `select is_used_lock('${leaseLock(database)}')`)).toEqual([[null]]);
      },
      { timeout: 20_000, interval: 100 },
    );
    await user.query(
      "insert into orders(code, who) values ('y', 'user'); delete from orders where code = 'd'; update orders set who = 'user' where code = 'x'",
    );
    expect(await log()).toEqual([[1]]);
    const left = await dump(user);
    for (const work of [mode.restore(mark), mode.mark(), mode.changed(mark), mode.root(), mode.close(true)]) {
      expect(await failure(work)).toMatchObject({ code: "LEASE_OVER", exitStatus: 3 });
    }
    expect(await dump(user)).toEqual(left);
    const { leftover } = await stores.clean(url);
    expect(names(leftover?.undo)).toEqual([]);
    expect(names(leftover?.keep)).toEqual(["orders id 5", "orders id 6"]);
  });

  test("is renewed while the run does nothing, and held by no run that is over", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { url, user } = await store(...SHOP);
    const one = await journal(url, { leaseSeconds: 2 });
    const { mode } = one;
    for (let i = 0; i < size(5, 8); i++) {
      await pause(500);
      await vi.advanceTimersByTimeAsync(5000);
    }
    await user.query("insert into orders(code) values ('x')");
    expect(await rowsOf(user, "select count(*) from seqqa_journal_log")).toEqual([[1]]);
    await mode.mark();
    await kill(one, user);
    await user.query("insert into orders(code) values ('y')");
    expect(await rowsOf(user, "select count(*) from seqqa_journal_log")).toEqual([[0]]);
  });

  test("a run whose tables are gone says so", async () => {
    const { url, user } = await store(...SHOP);
    const one = await journal(url);
    const { mode } = one;
    const mark = await mode.mark();
    await user.query("insert into orders(code) values ('x')");
    await user.query("drop table seqqa_journal_log");
    for (const work of [mode.changed(mark), mode.close(true)]) expect(await failure(work)).toMatchObject({ code: "LEASE_OVER" });
    expect(await rowsOf(user, "select code from orders where id > 4")).toEqual([["x"]]);
  });
});

describe("somebody else's write", () => {
  test("tables that are ignored are left alone", async () => {
    const { url, user } = await store(...SHOP);
    const [[, created]] = (await rowsOf(user, "show create table lines_of")) as [[string, string]];
    for (const [, key] of created.matchAll(/CONSTRAINT `(\w+)` FOREIGN KEY/g))
      await user.query(`alter table lines_of drop foreign key ${key}`);
    const system = new MysqlAdapter({ url, ignore: ["bag"] });
    await system.open({ ...BORROWED, asked: () => 1, ignore: ["lines_*"] });
    open.push(() => system.close());
    expect(system.schema()).toContainEqual({ name: "bag", columns: ["what"] });
    await system.root();
    const mark = await system.mark();
    await user.query("insert into bag values ('user'); delete from lines_of where order_id = 2");
    expect(await system.changed(mark)).toBe(false);
    await system.restore(mark);
    await system.close();
    expect(await rowsOf(user, "select count(*) from bag union all select count(*) from lines_of")).toEqual([[3], [2]]);
  });

  test.each(["a look", "a restore", "a root", "a write"])(
    "%s that finds it while nothing was asked stops the run, and it stays",
    async (how) => {
      const { url, user } = await store(...SHOP);
      const before = await rowsOf(user, "select * from orders");
      const asked = { n: 1 };
      const system = await borrow(url, { asked: () => asked.n });
      const mark = await system.mark();
      const image = await system.capture();
      asked.n = 2;
      await user.query("insert into orders(id, code, who) values (50, 'r', 'run'); update orders set who = 'run' where id = 1");
      expect(await system.changed(mark)).toBe(true);
      await user.query("insert into orders(id, code, who) values (70, 'u', 'user'); update orders set who = 'user' where id = 2");
      const works = {
        "a look": () => system.changed(mark),
        "a restore": () => system.restore(mark),
        "a root": () => system.root(),
        "a write": () => system.write(image),
      };
      const error = await failure(works[how as keyof typeof works]());
      expect(error).toMatchObject({ code: "FOREIGN_WRITE", exitStatus: 3 });
      expect(error.message).toMatch(
        /^Something wrote to the database mysql:.* while this run sent no request: orders id 70, orders id 2, seen at/,
      );
      expect(await failure(system.mark())).toBe(error);
      const end = await failure(system.close());
      expect(end).toMatchObject({ code: "ROWS_KEPT", exitStatus: 3 });
      const file = / wrote the earlier values to (\S+\.json)\.$/.exec(end.message)![1]!;
      const told = JSON.parse(readFileSync(file, "utf8")) as { rows: RowImages[] };
      rmSync(file);
      expect(names(told.rows)).toEqual(["orders id 2", "orders id 70"]);
      expect(await rowsOf(user, "select * from orders")).toEqual([
        ...before.map((row) => (row[0] === 2 ? [2, "b", "user"] : row)),
        [70, "u", "user"],
      ]);
      expect(await rowsOf(user, "show tables like 'seqqa%'")).toEqual([]);
    },
  );

  test.each([
    ["something was asked since", (asked: { n: number | undefined }) => (asked.n = 2)],
    ["something is under way", (asked: { n: number | undefined }) => (asked.n = undefined)],
  ])("it counts as the run's where %s", async (_, ask) => {
    const { url, user } = await store(...SHOP);
    const before = await rowsOf(user, "select * from orders");
    const asked: { n: number | undefined } = { n: 1 };
    const system = await borrow(url, { asked: () => asked.n });
    const mark = await system.mark();
    ask(asked);
    await user.query("insert into orders(code) values ('x')");
    expect(await system.changed(mark)).toBe(true);
    ask(asked);
    await system.restore(mark);
    expect(await rowsOf(user, "select * from orders")).toEqual(before);
    await system.close();
  });

  test("after the last look, it stays when the run ends; what is under way then is the run's", async () => {
    for (const [n, stays] of [
      [1, true],
      [undefined, false],
    ] as const) {
      const { url, user } = await store(...SHOP);
      const asked: { n: number | undefined } = { n: 1 };
      const system = await borrow(url, { asked: () => asked.n });
      await system.mark();
      asked.n = n;
      await user.query("insert into orders(id, code) values (9, 'x')");
      if (stays) {
        const { code, message } = await failure(system.close());
        expect(code).toBe("ROWS_KEPT");
        rmSync(/ wrote the earlier values to (\S+\.json)\.$/.exec(message)![1]!);
      } else await system.close();
      expect(await rowsOf(user, "select id from orders where id = 9")).toHaveLength(stays ? 1 : 0);
    }
  });
});

test("a row whose unique value is taken stays deleted, and the message names the key without the value", async () => {
  const { url, user } = await store(...SHOP);
  const asked = { n: 1 };
  const system = await borrow(url, { asked: () => asked.n });
  asked.n = 2;
  await user.query("delete from orders where id = 3");
  await system.observe();
  await user.query("insert into orders(id, code, who) values (9, 'c', 'user')");
  const { message } = await failure(system.close());
  rmSync(/ wrote the earlier values of these rows to (\S+\.json)\.$/.exec(message)![1]!);
  expect(message).toContain("because the store refuses a row (Duplicate entry for key 'code'), and another client changed some of them.");
});

test("a write that commits late, with a lower number than one that was read, is not taken for recorded", async () => {
  const { url, user } = await store(...SHOP);
  const one = await journal(url);
  const { mode } = one;
  const late = await createConnection({ uri: url });
  open.push(() => late.end());
  await late.query("begin");
  await late.query("insert into orders(code, who) values ('late', 'user')");
  await user.query("insert into orders(code, who) values ('x', 'run')");
  // Nobody waits for the open transaction here.
  await mode.position();
  await late.query("commit");
  await kill(one, user);
  const { leftover } = await stores.clean(url);
  expect([names(leftover?.undo), names(leftover?.keep)]).toEqual([["orders id 6"], ["orders id 5"]]);
  expect(await rowsOf(user, "select code from orders where id > 4")).toEqual([["late"]]);
});

describe("a copy of the whole database", () => {
  test("is refused for a user's own, before anything is installed", async () => {
    const { url, user } = await store(...SHOP);
    const before = await dump(user);
    expect(await failure(new MysqlAdapter({ url, checkpoint: "copy" }).open(BORROWED))).toMatchObject({
      code: "CHECKPOINT_REFUSED",
      exitStatus: 2,
      message: expect.stringContaining("this mode restores the whole store") as string,
    });
    expect(await dump(user)).toEqual(before);
  });

  test("is not chosen where the journal cannot be used, which is said", async () => {
    const { url, user } = await store("create table t(id int) engine=MyISAM");
    const before = await dump(user);
    expect(await failure(new MysqlAdapter({ url }).open(BORROWED))).toMatchObject({
      code: "CHECKPOINT_REFUSED",
      message: expect.stringContaining("MyISAM") as string,
    });
    expect(await dump(user)).toEqual(before);
  });
});

test("a dry run changes nothing and lists what the real one does", async () => {
  const { url, user } = await store(...SHOP);
  const one = await journal(url);
  const { mode } = one;
  await user.query(
    "insert into orders(code, who) values ('x', 'run'), ('z', 'run'); delete from lines_of; update orders set who = 'run' where id = 1",
  );
  await mode.mark();
  await kill(one, user);
  await user.query(
    "insert into lines_of(order_id, who) values (5, 'user'); update orders set who = 'user', code = 'q' where id = 1; delete from orders where id = 2",
  );
  const before = await dump(user);
  const told: unknown[] = [];
  const dry = await stores.clean(url, { dryRun: true, onKept: (leftover) => told.push(leftover) });
  expect(await dump(user)).toEqual(before);
  expect(told).toEqual([]);
  expect(names(dry.leftover?.undo)).toEqual(["lines_of id 1", "lines_of id 2", "orders id 6"]);
  // A line that was there lacks the order that the user deleted, and the user's line needs the run's order.
  expect(names(dry.leftover?.keep)).toEqual(["lines_of id 3", "orders id 1", "orders id 5"]);
  expect(dry.leftover?.keep.find(({ key, table }) => table === "orders" && key === "id 1")).toEqual({
    table: "orders",
    key: "id 1",
    root: { id: 1, code: "a", who: "root" },
    recorded: { id: 1, code: "a", who: "run" },
    now: { id: 1, code: "q", who: "user" },
  });
  const atCommit: string[][] = [];
  let seen: Promise<unknown> | undefined;
  const real = await stores.clean(url, {
    onKept: (leftover) => {
      atCommit.push(names(leftover.keep));
      seen = rowsOf(user, "select id from orders where who = 'run'");
    },
  });
  expect({ ...real, removed: [] }).toEqual({ ...dry, removed: [] });
  expect(real.removed.filter((line) => line.startsWith("tables and triggers of a dead run in mysql:"))).toHaveLength(1);
  expect(atCommit).toEqual([names(dry.leftover?.keep)]);
  expect(await seen).toBeDefined();
  expect(await rowsOf(user, "select id, who from orders order by id")).toEqual([[1, "user"], [3, "root"], [4, "root"], [5, "run"]]); // prettier-ignore
  expect(await rowsOf(user, "select id, order_id from lines_of order by id")).toEqual([[1, 1], [2, 1], [4, 5]]); // prettier-ignore
});
