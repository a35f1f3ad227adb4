import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MysqlAdapter, stores } from "../../../../../src/adapters/mysql/index.ts";
import { runLock } from "../../../../../src/adapters/mysql/provider/provider-names.ts";
import type { StoreProvider } from "../../../../../src/model/stores/store-provider.ts";
import type { StoreScope } from "../../../../../src/model/stores/store-adapter.ts";
import { some } from "../../../../sizes.ts";
import { bundleOf } from "../../../../support/bundles.ts";
import { admin, databaseUrl, newDatabase } from "../../../../contract/system/mysql-databases.ts";
import { SCHEMA, SEED } from "../../../../contract/system/mysql-world.ts";

const BORROWED: StoreScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: true };
const children: ChildProcess[] = [];
const providers: StoreProvider[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const provider of providers.splice(0)) await provider.close();
});

const runId = (): string => randomBytes(5).toString("hex");

function provider(url: string, run: string, name = "db"): StoreProvider {
  const one = stores.createProvider({ name, url, runId: run, directory: "/tmp" });
  providers.push(one);
  return one;
}

async function childOf(...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("child.mjs", import.meta.url)), await bundleOf("mysql"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`The child ended: ${errors}`)));
  await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => undefined);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/**
 * Kills a run, and expects that a dry run of clean() shows its two databases and that clean() removes them. Returns false if somebody else removed them
 * meanwhile.
 */
async function shownAndRemoved(url: string, run: string, child: ChildProcess): Promise<boolean> {
  const ofRun = async (dryRun: boolean): Promise<string[]> =>
    (await stores.clean(url, { dryRun })).removed.filter((line) => line.includes(run));
  await kill(child);
  let shown: string[] = [];
  // The server may need a moment to notice that a killed run's session is gone.
  await vi.waitFor(async () => {
    shown = await ofRun(true);
    expect(shown.length === 2 || (await databases(run)).length < 2).toBe(true);
  }, 30_000);
  const removed = await ofRun(false);
  await vi.waitFor(async () => expect(await databases(run)).toEqual([]), 30_000);
  if (removed.length < 2) return false;
  expect(removed).toEqual(shown);
  return true;
}

async function databases(run: string): Promise<string[]> {
  const [rows] = await admin((connection) =>
    connection.query("select schema_name as n from information_schema.schemata where schema_name like ? order by 1", [`seqqa\\_${run}%`]),
  );
  return (rows as { n: string }[]).map(({ n }) => n);
}

/** Everything, as no adapter of ours has touched it. */
async function dump(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  return admin(async (connection) => {
    const lines: string[] = [];
    const ask = async (sql: string): Promise<unknown[][]> =>
      (await connection.query({ sql, rowsAsArray: true }))[0] as unknown as unknown[][];
    for (const [table, type] of await ask("show full tables")) {
      const [row] = await ask(`show create table \`${String(table).replaceAll("`", "``")}\``);
      lines.push(String(row?.[1]).replaceAll(`\`${name}\`.`, ""));
      if (type === "VIEW") continue;
      const rows = await ask(`select * from \`${String(table).replaceAll("`", "``")}\``);
      lines.push(...rows.map((one) => JSON.stringify(one)).sort());
    }
    for (const [trigger] of await ask(
      "select trigger_name from information_schema.triggers where trigger_schema = database() order by 1",
    )) {
      lines.push(String((await ask(`show create trigger \`${String(trigger)}\``))[0]?.[2]));
    }
    return lines.join("\n");
  }, name);
}

test("the session of a provider is another one once it was ended", async () => {
  const run = runId();
  const lanes = provider(await databaseUrl(await newDatabase(["create table t(id int primary key)"])), run);
  await lanes.prepare();
  const session = await lanes.session!();
  await lanes.provide(0, 0);
  expect(await lanes.session!()).toBe(session);
  await admin(async (connection) => {
    const [rows] = await connection.query("select is_used_lock(?) as id", [`${runLock(run)} 0`]);
    await connection.query(`kill ${(rows as { id: number }[])[0]!.id}`);
  });
  expect(await lanes.session!()).not.toBe(session);
});

describe("lanes' databases", () => {
  test("are the template, to the AUTO_INCREMENT, triggers and views", async () => {
    const url = await databaseUrl(
      await newDatabase([...SCHEMA, ...SEED, "insert into audit(table_name) values ('x')", "delete from audit where id > 5"]),
    );
    const run = runId();
    const lanes = provider(url, run);
    await lanes.prepare();
    const before = await dump(url);
    const [one, two] = [await lanes.provide(0, 0), await lanes.provide(1, 0)];
    expect(one).not.toBe(two);
    expect(await dump(one)).toBe(before);
    expect(await dump(two)).toBe(before);
    expect(await stores.disturb(one)).toMatch(/^removed a row of /);
    expect(await dump(one)).not.toBe(before);
    const again = await lanes.provide(0, 1);
    expect(await dump(again)).toBe(before);
    expect(await dump(url)).toBe(before);
    expect(await databases(run)).toHaveLength(3);
    await lanes.release(1);
    expect(await databases(run)).toHaveLength(2);
    await lanes.close();
    await lanes.close();
    expect(await databases(run)).toEqual([]);
  });

  const ways = [
    [", and the template was dropped before, so that it is copied again", true],
    ["", false],
  ] as const;
  test.each(some(ways, 1))("are made although the session that makes them is killed on the way%s", async (_and, drops) => {
    // So many that the copying of them can be met.
    const many =
      "insert into t with recursive n as (select 1 as i union all select i + 1 from n where i < 900) select 1000 * a.i + b.i from n a join n b on b.i < 200";
    const url = await databaseUrl(await newDatabase(["create table t(id int primary key)", many]));
    const run = runId();
    const lanes = provider(url, run);
    await lanes.prepare();
    if (drops) for (const one of await databases(run)) await admin((connection) => connection.query(`drop database \`${one}\``));
    const killed = (async () => {
      for (let left = 2; left > 0;) {
        left -= await admin(async (connection) => {
          const copying = `select id from information_schema.processlist where info like 'insert into \`seqqa\\_${run}\\_%' and id <> connection_id()`;
          const [rows] = await connection.query(copying);
          let hit = 0;
          for (const { id } of rows as { id: number }[]) {
            // It may end in the moment between.
            hit += await connection.query(`kill ${id}`).then(
              () => 1,
              () => 0,
            );
          }
          return hit;
        });
      }
    })();
    const lane = await lanes.provide(0, 0);
    await killed;
    const [rows] = await admin((connection) => connection.query("select count(*) as n from t"), new URL(lane).pathname.slice(1));
    expect(rows).toEqual([{ n: 900 * 199 }]);
    // The sign of life is there again: nobody sweeps the run.
    expect(await stores.clean(url)).toEqual({ removed: [], leftover: undefined });
    expect(await databases(run)).toHaveLength(2);
  });

  test("are made of the store anew where the copy of it is gone: another run may have swept it while the session was lost", async () => {
    const url = await databaseUrl(await newDatabase(["create table t(id int primary key)", "insert into t values (7)"]));
    const run = runId();
    const lanes = provider(url, run);
    await lanes.prepare();
    await admin(async (connection) => {
      for (const name of await databases(run)) await connection.query(`drop database \`${name}\``);
    });
    const lane = await lanes.provide(0, 0);
    const [rows] = await admin((connection) => connection.query("select id from t"), new URL(lane).pathname.slice(1));
    expect(rows).toEqual([{ id: 7 }]);
  });

  test("events are enabled in the lanes as in the store, and never in the run's template", async () => {
    const url = await databaseUrl(
      await newDatabase([
        "create table t(id int primary key)",
        "create event later on schedule every 1 year starts '2037-01-01' comment ' ON COMPLETION PRESERVE ENABLE' do delete from t",
        "create event off on schedule every 1 year starts '2037-01-01' on completion preserve disable do delete from t",
        "create event away on schedule every 1 year starts '2037-01-01' disable on slave do delete from t",
      ]),
    );
    const run = runId();
    const lanes = provider(url, run);
    await lanes.prepare();
    const [template] = await databases(run);
    const own = (database: string): Promise<unknown[]> =>
      admin(async (connection) => {
        const [rows] = await connection.query({
          sql: "select concat(event_name, ' ', status) from information_schema.events where event_schema = ? order by 1",
          values: [database],
          rowsAsArray: true,
        });
        return (rows as unknown as unknown[][]).flat();
      });
    expect(await own(template!)).toEqual(["away SLAVESIDE_DISABLED", "later DISABLED", "off DISABLED"]);
    const lane = new URL(await lanes.provide(0, 0)).pathname.slice(1);
    expect(await own(lane)).toEqual(["away SLAVESIDE_DISABLED", "later ENABLED", "off DISABLED"]);
  });

  test("the copy of a store that is written meanwhile is one state of it, if the tables can be locked", async () => {
    const name = await newDatabase([
      "create table a(id int auto_increment primary key)",
      "create table m(id int primary key, v varchar(100))",
      "create table z(id int auto_increment primary key)",
      "insert into m select seq, repeat('x', 100) from seq_1_to_200000",
    ]);
    const url = await databaseUrl(name);
    const lanes = provider(url, runId());
    let isOver = false;
    const writing = admin(async (connection) => {
      while (!isOver) await connection.query("begin; insert into a values (); insert into z values (); commit");
    }, name);
    await lanes.prepare();
    isOver = true;
    await writing;
    const lane = new URL(await lanes.provide(0, 0)).pathname.slice(1);
    const count = async (database: string): Promise<Record<string, number>> =>
      (
        (
          await admin((connection) => connection.query("select (select count(*) from a) as a, (select count(*) from z) as z"), database)
        )[0] as never
      )[0]!;
    const { a, z } = await count(lane);
    expect([z, (await count(name))["a"]! > a!]).toEqual([a, true]);
    // A transaction that stays open keeps the tables from being locked, but not from being copied.
    await admin(async (connection) => {
      await connection.query("begin; insert into a values (1000000)");
      const others = provider(url, runId());
      await others.prepare();
      await connection.query("rollback");
    }, name);
  });

  test("objects that name the database: the copies write to the lane, and views of a table with the database's name are copied", async () => {
    const name = await newDatabase([], "_blog");
    await admin(async (connection) => {
      for (const sql of [
        `create table \`${name}\`(id int primary key, n int)`,
        `create table orders(id int primary key, n int)`,
        `create table audit(what varchar(20))`,
        `create trigger \`${name}\`.\`orders_BEFORE_INSERT\` before insert on orders for each row insert into ${name}.audit values ('trigger')`,
        `create procedure note() insert into \`${name}\`.audit values ('procedure')`,
        `create function noted() returns int return (select count(*) from ${name}.audit)`,
        `create event later on schedule every 1 year starts '2037-01-01' do delete from ${name}.audit`,
        `create view joined as select ${name}.id, orders.n from ${name} join orders on orders.id = ${name}.id`,
        `create view named as select ${name}.n from orders ${name}`,
      ])
        await connection.query(sql);
    }, name);
    const url = await databaseUrl(name);
    const lanes = provider(url, runId());
    await lanes.prepare();
    const lane = new URL(await lanes.provide(0, 0)).pathname.slice(1);
    await admin(async (connection) => {
      await connection.query(`insert into orders values (1, 2); insert into \`${name}\` values (1, 5); call note()`);
      const [rows] = await connection.query(
        "select (select count(*) from audit) as n, noted() as f, (select n from joined) as j, (select n from named) as k",
      );
      expect(rows).toEqual([{ n: 2, f: 2, j: 2, k: 2 }]);
      expect(JSON.stringify((await connection.query("show create event later"))[0])).not.toContain(`${name}.audit`);
    }, lane);
    const [rows] = await admin((connection) => connection.query("select count(*) as n from audit"), name);
    expect(rows).toEqual([{ n: 0 }]);
    // A state of one lane, written to another with the checkpoint `copy`.
    const [one, two] = [await lanes.provide(0, 1), await lanes.provide(1, 0)];
    const systems = [one, two].map((of) => new MysqlAdapter({ url: of, checkpoint: "copy" }));
    for (const [i, system] of systems.entries()) {
      await system.open({ name: "db", laneIndex: i, inProcess: false, borrowed: false });
      await system.root();
    }
    await admin((connection) => connection.query("drop procedure note; insert into orders values (7, 7)"), new URL(one).pathname.slice(1));
    await systems[1]!.write(await systems[0]!.capture());
    expect(await systems[1]!.query("select id from orders")).toEqual([{ id: 7 }]);
    expect(await systems[1]!.query("select what from audit")).toEqual([{ what: "trigger" }]);
    for (const system of systems) await system.close();
    expect(await dump(two)).not.toContain(new URL(one).pathname.slice(1));
  });

  test("a routine whose definition the user may not read is named", async () => {
    const name = await newDatabase(["create table t(a int)", "create procedure cleanup() delete from t"]);
    const user = `seqqa_${runId()}`;
    await admin(async (connection) => {
      await connection.query(`create user ${user}@'%' identified by 'x'; grant all on \`${name}\`.* to ${user}@'%'`);
      await connection.query(`grant all on \`seqqa\\_%\`.* to ${user}@'%'`);
    });
    const url = new URL(await databaseUrl(name));
    [url.username, url.password] = [user, "x"];
    try {
      const lanes = provider(url.href, runId());
      await expect(lanes.prepare()).rejects.toMatchObject({
        code: "STORE_NOT_ALLOWED",
        exitStatus: 2,
        message: expect.stringMatching(/^The procedure "cleanup" of the database ".*" belongs to \S+@\S+, and the user/) as string,
        hint: expect.stringContaining("mysql.proc") as string,
      });
      await lanes.close();
      // The checkpoint `copy` reads the definitions of a lane's database in the same way.
      const system = new MysqlAdapter({ url: url.href, checkpoint: "copy" });
      await expect(system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false })).rejects.toMatchObject({
        code: "STORE_NOT_ALLOWED",
      });
    } finally {
      await admin((connection) => connection.query(`drop user ${user}@'%'`));
    }
  });

  test("of a killed run are removed by the next, those of a living one are not", async () => {
    const url = await databaseUrl(await newDatabase(["create table t(id int primary key)"]));
    const [dead, alive, mine] = [runId(), runId(), runId()];
    const [one, living] = [await childOf("provide", url, dead), await childOf("provide", url, alive)];
    // Names that look alike, and that no run made.
    const foreign = `seqqa_${runId()}_mine`;
    await admin((connection) => connection.query(`create database ${foreign}`));
    expect(await databases(dead)).toHaveLength(2);
    await kill(one);
    const lanes = provider(url, mine);
    await lanes.prepare();
    // A run of another test on this server may be removing one of them at the moment; then prepare() leaves that one to it.
    await vi.waitFor(async () => expect(await databases(dead)).toEqual([]), 30_000);
    expect(await databases(alive)).toHaveLength(2);
    let [killed, child] = [alive, living];
    // A run of another test on this server may be the one that removes them. Then another run is killed.
    for (let attempt = 0; !(await shownAndRemoved(url, killed, child)); attempt++) {
      expect(attempt).toBeLessThan(5);
      killed = runId();
      child = await childOf("provide", url, killed);
    }
    expect(await databases(mine)).toHaveLength(1);
    expect(await admin((connection) => connection.query(`drop database ${foreign}`))).toBeDefined();
  });

  test("two stores of one run stand beside each other", async () => {
    const url = await databaseUrl(await newDatabase(["create table t(id int primary key)"]));
    const run = runId();
    const [a, b] = [
      provider(url, run, "db"),
      provider(url, run, "Other store, with a very long name that does not fit into a database's name"),
    ];
    await a.prepare();
    await b.prepare();
    await b.provide(99, 12345);
    expect(await databases(run)).toHaveLength(3);
    for (const name of await databases(run)) expect(name.length).toBeLessThanOrEqual(64);
    await a.close();
    expect(await databases(run)).toHaveLength(2);
  });

  test("a template that is missing is named, the password is not", async () => {
    const url = new URL(await databaseUrl("seqqa_test_missing"));
    url.password = "s3cret%2F";
    url.username = "nobody";
    const error = await provider(url.href, runId())
      .prepare()
      .catch((one: unknown) => one as Error & { code: string; hint: string });
    expect(error).toMatchObject({ code: "STORE_NOT_ALLOWED" });
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack, (error as Error).cause])).not.toContain("s3cret");
    await expect(provider(await databaseUrl("seqqa_test_missing"), runId()).prepare()).rejects.toMatchObject({ code: "STORE_MISSING" });
  });
});

describe("a borrowed store", () => {
  test("is left as it was found", async () => {
    const database = await newDatabase([...SCHEMA, ...SEED]);
    const url = await databaseUrl(database);
    const before = withoutCounters(await dump(url));
    const system = new MysqlAdapter({ url, checkpoint: "journal" });
    await system.open(BORROWED);
    // As setup does, before the root.
    await admin((connection) => connection.query("insert into orders(status) values ('setup'); delete from tree"), database);
    await system.root();
    const mark = await system.mark();
    const image = await (async () => {
      await admin((connection) => connection.query("delete from orders where id < 3; update slots set id = id + 7"), database);
      return system.capture();
    })();
    await system.restore(mark);
    await system.write(image);
    await system.close();
    expect(withoutCounters(await dump(url))).toBe(before);
  });

  test("is put back by clean when a run was killed, refused until then, and refused while it lives", async () => {
    const database = await newDatabase([...SCHEMA, ...SEED]);
    const url = await databaseUrl(database);
    const before = withoutCounters(await dump(url));
    const child = await childOf("borrow", url, "delete from orders where id < 3; insert into bag values (5, 'x')");
    await expect(new MysqlAdapter({ url }).open(BORROWED)).rejects.toMatchObject({ code: "STORE_IN_USE" });
    await expect(provider(url, runId()).prepare()).rejects.toMatchObject({ code: "STORE_IN_USE", exitStatus: 2 });
    expect((await stores.clean(url)).removed.filter((line) => line.includes(database))).toEqual([]);
    await kill(child);
    const left = await dump(url);
    await expect(new MysqlAdapter({ url }).open(BORROWED)).rejects.toMatchObject({ code: "STORE_LEFT", exitStatus: 2 });
    await expect(provider(url, runId()).prepare()).rejects.toMatchObject({
      code: "STORE_LEFT",
      exitStatus: 2,
      hint: expect.stringContaining("`seqqa clean`") as string,
    });
    for (const inPlace of [true, false])
      expect((await stores.check(url, { inPlace, inProcess: false })).filter(({ ok }) => !ok)).toMatchObject([
        { what: "leftovers", says: expect.stringContaining("`seqqa clean`") as string },
      ]);
    expect(await dump(url)).toBe(left);
    const { removed, leftover } = await stores.clean(url);
    const lines = removed.filter((line) => line.includes(database));
    expect(lines).toEqual([`tables and triggers of a dead run in ${leftover!.store.replace("the database ", "")}`]);
    expect(leftover?.keep).toEqual([]);
    expect(leftover?.undo.map(({ table }) => table)).toContain("orders");
    expect(withoutCounters(await dump(url))).toBe(before);
    expect((await stores.clean(url)).removed.filter((line) => line.includes(database))).toEqual([]);
  });

  test("a run that was killed before it wrote is removed by the next one", async () => {
    const database = await newDatabase([...SCHEMA, ...SEED]);
    const url = await databaseUrl(database);
    const before = withoutCounters(await dump(url));
    await kill(await childOf("borrow", url, ""));
    const system = new MysqlAdapter({ url });
    await system.open(BORROWED);
    await system.close();
    expect(withoutCounters(await dump(url))).toBe(before);
  });
});

describe("a borrowed store whose schema was changed while it was explored", () => {
  const work = async (sql: string, after: string): Promise<{ closed: unknown; rows: unknown; ours: unknown }> => {
    const database = await newDatabase([
      "create table t(id int primary key, a int, b int)",
      "create table u(id int)",
      "insert into t values (1, 10, 20)",
    ]);
    const system = new MysqlAdapter({ url: await databaseUrl(database), checkpoint: "journal" });
    await system.open(BORROWED);
    await system.root();
    await admin((connection) => connection.query(`${sql}; insert into u values (5); ${after}`), database);
    const closed = await system.close().catch((error: unknown) => error);
    return admin(async (connection) => {
      const [rows] = await connection
        .query("select (select count(*) from t) as t, (select count(*) from u) as u")
        .catch(() => [undefined] as const);
      const [ours] = await connection.query("show tables like 'seqqa%'");
      return { closed, rows, ours };
    }, database);
  };

  test("ADD COLUMN: the rows are restored, with the default value of the new column", async () => {
    const { closed, rows, ours } = await work("delete from t", "alter table t add column x int not null default 4 first");
    expect(closed).toBeUndefined();
    expect(rows).toEqual([{ t: 1, u: 0 }]);
    expect(ours).toEqual([]);
  });

  test.each(some(["drop column a", "modify a varchar(9)", "rename to v"], 1))(
    "%s: the rows of this table go to a file, and all others are restored",
    async (alter) => {
      const { closed, rows, ours } = await work("delete from t", `alter table t ${alter}`);
      expect(closed).toMatchObject({ code: "ROWS_KEPT", message: expect.stringMatching(/table "t" was (?:altered|dropped)/) });
      const file = / to (\S+)\.$/.exec((closed as Error).message)![1]!;
      const { rows: kept } = JSON.parse(readFileSync(file, "utf8")) as { rows: unknown };
      rmSync(file);
      expect(kept).toMatchObject([{ table: "t", key: "id 1", root: { id: 1, a: 10, b: 20 }, recorded: null }]);
      if (!alter.startsWith("rename")) expect(rows).toEqual([{ t: 0, u: 0 }]);
      expect(ours).toEqual([]);
    },
  );

  test("TRUNCATE: what was logged is put back, and the rest is said", async () => {
    const { closed, rows, ours } = await work("do 0", "truncate t");
    expect(closed).toMatchObject({ code: "STORE_NOT_PUT_BACK", message: expect.stringMatching(/^Table "t" of .* was truncated/) });
    expect(rows).toEqual([{ t: 0, u: 0 }]);
    expect(ours).toEqual([]);
  });
});

function withoutCounters(text: string): string {
  return text.replaceAll(/ AUTO_INCREMENT=\d+/g, "");
}

test("check says what was found, and leaves nothing behind", async () => {
  const url = await databaseUrl(await newDatabase([...SCHEMA, ...SEED]));
  const before = await dump(url);
  const checks = await stores.check(url);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ what }) => what)).toEqual(["reachable", "privileges", "checkpoint", "connections", "speed", "leftovers"]);
  expect(checks[2]?.says).toContain("auto chooses journal");
  // The number of free connections changes with what else uses the server.
  const steady = checks.map((check) => (check.what === "connections" ? { ...check, says: expect.any(String) as string } : check));
  expect(await stores.check(url, { inPlace: true, inProcess: false })).toEqual(steady);
  expect(await dump(url)).toBe(before);
  const old = await databaseUrl(await newDatabase(["create table t(id int) engine=MyISAM"]));
  for (const [inPlace, inProcess] of [
    [false, false],
    [true, true],
    [true, false],
  ] as const)
    expect((await stores.check(old, { inPlace, inProcess })).filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(
      inPlace && !inProcess ? ["checkpoint"] : [],
    );
  const none = await stores.check("mysql://root:geheim@127.0.0.1:1/x");
  expect(none).toMatchObject([{ ok: false, what: "reachable" }]);
  expect(JSON.stringify(none)).not.toContain("geheim");
});
