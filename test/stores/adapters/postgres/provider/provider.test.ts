import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { PostgresAdapter, stores } from "../../../../../src/adapters/postgres/index.ts";
import { runOf } from "../../../../../src/adapters/postgres/provider/provider-names.ts";
import type { StoreProvider } from "../../../../../src/model/stores/store-provider.ts";
import { some } from "../../../../sizes.ts";
import { SCHEMA, SEED } from "../../../../contract/system/postgres-savepoint-world.ts";
import { Databases } from "../savepoint/databases.ts";
import { otherRuns } from "../../../../support/other-run.ts";

let databases: Databases;
const runs = otherRuns("postgres");
const made: StoreProvider[] = [];
const SCOPE = { name: "db", laneIndex: 0, inProcess: true, borrowed: false };

beforeAll(async () => {
  databases = await Databases.own();
}, 120_000);

afterEach(async () => {
  for (const one of made.splice(0)) await one.close();
  expect(await databases.names("seqqa\\_%")).toEqual((await databases.names("seqqa\\_%")).filter((name) => runOf(name) === undefined));
});

afterAll(() => databases.close());

function provider(url: string, runId = "1f2e3d", name = "db"): StoreProvider {
  const one = stores.createProvider({ name, url, runId, directory: "/nowhere" });
  made.push(one);
  return one;
}

async function dump(url: string): Promise<string> {
  const adapter = new PostgresAdapter({ url, checkpoint: "savepoint" });
  await adapter.open(SCOPE);
  try {
    return await adapter.dump();
  } finally {
    await adapter.close();
  }
}

const named = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));

test("the session is another one once it was ended", async () => {
  const template = await databases.create(["create table t(id int)"]);
  const one = provider(databases.url(template));
  await one.prepare();
  const session = await one.session!();
  await one.provide(0, 0);
  expect(await one.session!()).toBe(session);
  await databases.within(template, (client) => client.query("select pg_terminate_backend($1)", [session.split(" ")[0]]));
  expect(await one.session!()).not.toBe(session);
});

test("a template whose collations have another version than the server's is copied by pg_dump", async () => {
  const template = await databases.create(["create table t(id int)", "insert into t values (7)"]);
  await databases.within(template, (client) =>
    client.query("update pg_database set datcollversion = '0' where datname = current_database()"),
  );
  const one = provider(databases.url(template));
  await one.prepare();
  const lane = named(await one.provide(0, 0));
  expect(await databases.within(lane, async (client) => (await client.query("select id from t")).rows)).toEqual([{ id: 7 }]);
});

test.each(["journal", "savepoint"] as const)("a template that a run uses in place is not copied: %s", async (checkpoint) => {
  const template = await databases.create(["create table t(id serial primary key)", "insert into t default values"]);
  const url = databases.url(template);
  const run = runs.start(`const adapter = new PostgresAdapter({ url: ${JSON.stringify(url)}, checkpoint: "${checkpoint}" });
    if ("${checkpoint}" === "savepoint") adapter.connection;
    await adapter.open({ name: "db", laneIndex: 0, inProcess: ${checkpoint === "savepoint"}, borrowed: true });
    await adapter.root();
    say("ready");`);
  expect(await run.said()).toBe("ready");
  if (checkpoint === "journal") await databases.within(template, (client) => client.query("insert into t default values"));
  await expect(provider(url).prepare()).rejects.toMatchObject({ code: "STORE_IN_USE", exitStatus: 2 });
  await run.kill();
  const leftovers = async (inPlace: boolean): Promise<unknown> =>
    (await stores.check(url, { inPlace, inProcess: false })).find(({ what }) => what === "leftovers");
  const left = { code: "STORE_LEFT", exitStatus: 2, hint: expect.stringContaining("`seqqa clean`") as string };
  await vi.waitFor(() => expect(provider(url).prepare()).rejects.toMatchObject(left), 30_000);
  const problem = { ok: false, says: expect.stringContaining("`seqqa clean`") as string };
  expect(await leftovers(false)).toMatchObject(problem);
  // A run in place restores the sequences itself.
  expect(await leftovers(true)).toMatchObject(checkpoint === "savepoint" ? { ok: true } : problem);
  const single = stores.createProvider({ name: "db", url, runId: "1f2e3d", directory: "/nowhere", single: true });
  made.push(single);
  await single.prepare();
  await expect(single.provide(0, 0)).rejects.toMatchObject(left);
  await stores.clean(url);
  await provider(url).prepare();
});

describe("lanes", () => {
  test("are equal to the template, which is not written, and are made side by side", async () => {
    const template = await databases.create([...SCHEMA, ...SEED]);
    const before = await dump(databases.url(template));
    const one = provider(databases.url(template));
    await one.prepare();
    const urls = await Promise.all([0, 1, 2].map((lane) => one.provide(lane, 0)));
    expect(urls.map(named)).toEqual(["seqqa_1f2e3d_db_lane0_0", "seqqa_1f2e3d_db_lane1_0", "seqqa_1f2e3d_db_lane2_0"]);
    for (const url of urls) {
      expect(await dump(url)).toBe(before);
      await databases.within(named(url), (client) => client.query("delete from bag; insert into ledger(amount) values(5)"));
    }
    expect(await dump(databases.url(template))).toBe(before);
    // A later generation is fresh, and takes the place of the one before.
    expect(await dump(await one.provide(1, 1))).toBe(before);
    expect(await databases.names("seqqa\\_1f2e3d\\_db\\_lane1%")).toEqual(["seqqa_1f2e3d_db_lane1_1"]);
  });

  test("are released whoever is connected, with what their checkpoints made beside them", async () => {
    const one = provider(databases.url(await databases.create(["create table t(id int)"])));
    await one.prepare();
    const url = await one.provide(0, 0);
    await one.provide(10, 0);
    const pool = new pg.Pool({ connectionString: url, max: 3 });
    pool.on("error", () => undefined);
    await Promise.all([1, 2, 3].map(() => pool.query("select pg_sleep(0.01)")));
    await databases.create([], "template0", "seqqa_1f2e3d_db_lane0_0_c7");
    await one.release(0);
    await one.release(0);
    expect(await databases.names("seqqa\\_1f2e3d\\_db\\_lane%")).toEqual(["seqqa_1f2e3d_db_lane10_0"]);
    await pool.end();
  });

  test("get settings and privileges of the database, and do not wait for the disk", async () => {
    const template = await databases.create(["create schema app; create table app.t(id int)"]);
    await databases.admin.query(`alter database ${template} set search_path = app, "$user", public`);
    await databases.admin.query(`alter database ${template} set timezone = 'Asia/Tokyo'`);
    await databases.admin.query(`alter database ${template} set my.setting = 'it''s "odd", \\ really'`);
    await databases.admin.query(`revoke all on database ${template} from public`);
    const one = provider(databases.url(template));
    await one.prepare();
    const lane = named(await one.provide(0, 0));
    const read = "select current_setting('search_path') as path, current_setting('timezone') as zone, current_setting('my.setting') as odd";
    const facts = await databases.within(template, async (client) => (await client.query(read)).rows);
    await databases.within(lane, async (client) => {
      expect((await client.query(read)).rows).toEqual(facts);
      expect((await client.query("select * from t")).rowCount).toBe(0);
      expect((await client.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "off" }]);
    });
    const acl = await databases.admin.query("select datname, datacl from pg_database where datname = any($1)", [[template, lane]]);
    expect(acl.rows[0].datacl).toEqual(acl.rows[1].datacl);
    await databases.within(template, async (client) => {
      expect((await client.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }]);
    });
  });
});

describe("the template", () => {
  test("is dumped where somebody works on it, and stays as it is", async () => {
    const template = await databases.create([...SCHEMA, ...SEED]);
    const before = await dump(databases.url(template));
    await databases.within(template, async (session) => {
      await session.query("begin; insert into bag values(99, 'not committed')");
      const one = provider(databases.url(template));
      await one.prepare();
      const url = await one.provide(0, 0);
      expect(await dump(url)).toBe(before);
      await session.query("rollback");
    });
  });

  test.each(some(['it\'s "odd" ; drop', "UPPER.dot/slash?#", "ΑΒΓ ünï%41", "a=b host=nowhere", "-c"], 2))(
    "may be named %j",
    async (odd) => {
      const name = await databases.create(["create table t(id int); insert into t values(7)"], "template1", `${databases.prefix} ${odd}`);
      const read = "select id from t";
      for (const open of [false, true]) {
        const one = provider(databases.url(name), "1f2e3d", `${odd} ${"x".repeat(80)}`);
        const work = async (): Promise<void> => {
          await one.prepare();
          const lane = named(await one.provide(11, 22));
          expect(Buffer.byteLength(lane)).toBeLessThanOrEqual(63);
          expect(await databases.within(lane, async (client) => (await client.query(read)).rows)).toEqual([{ id: 7 }]);
        };
        await (open ? databases.within(name, work) : work());
        await one.close();
      }
    },
  );

  test("that is not there, a server that is not, and a password that is wrong are told without the password", async () => {
    const { host, port } = new URL(databases.base);
    const errors = await Promise.all(
      [
        `postgresql://postgres:s3cr3t@${host}/seqqa_nowhere`,
        "postgresql://postgres:s3cr3t@127.0.0.1:1/db",
        `postgresql://nobody:s3cr3t@${host}/postgres`,
      ].map((url) =>
        provider(url, "1f2e3d")
          .prepare()
          .catch((error: Error) => error),
      ),
    );
    expect(errors.map((error) => (error as { code?: string }).code)).toEqual(["STORE_MISSING", "STORE_UNREACHABLE", "STORE_NOT_ALLOWED"]);
    expect((errors[0] as Error).message).toBe(
      `The database "seqqa_nowhere" does not exist at postgresql://127.0.0.1:${port}/seqqa_nowhere. seqqa copies this database for every lane.`,
    );
    for (const error of errors)
      expect(JSON.stringify([error, String(error), (error as Error).cause, String((error as Error).cause)])).not.toContain("s3cr3t");
  });

  test("cannot be copied by a role that may not create databases, and is dumped for one that does not own it", async () => {
    const template = await databases.create(["create table t(id int); insert into t values(1); grant select on t to public"]);
    await databases.admin.query("create role poor login");
    await databases.admin.query("create role maker login createdb");
    const as = (role: string): string => databases.url(template).replace("postgres@", `${role}@`);
    await expect(provider(as("poor")).prepare()).rejects.toMatchObject({
      code: "STORE_NOT_ALLOWED",
      hint: expect.stringContaining("CREATEDB") as string,
    });
    const one = provider(as("maker"), "1f2e3e");
    await one.prepare();
    const lane = await one.provide(0, 0);
    expect(new URL(lane).username).toBe("maker");
    await databases.within(named(lane), async (client) => expect((await client.query("select * from t")).rows).toEqual([{ id: 1 }]));
    await one.close();
    await databases.admin.query("drop role poor; drop role maker");
  });
});

describe("dead runs", () => {
  const start = (url: string, runId: string): string => `
    const one = stores.createProvider({ name: "db", url: ${JSON.stringify(url)}, runId: ${JSON.stringify(runId)}, directory: "/nowhere" });
    await one.prepare();
    say([await one.provide(0, 0), await one.provide(1, 0)]);`;

  test("are swept by the next run, living ones and strangers are not", async () => {
    const url = databases.url(await databases.create(["create table t(id int)"]));
    const strangers = ["seqqa_test_x_lane0_0", "seqqa_dead_letters", "seqqa_beef", "notseqqa_1f2e_db_lane0_0", "SEQQA_1f2e_db_lane0_0"];
    for (const name of strangers) await databases.create([], "template0", name);
    const [dead, alive] = [runs.start(start(url, "dddd01")), runs.start(start(url, "aaaa01"))];
    await Promise.all([dead.said(), alive.said()]);
    await dead.kill();
    const one = provider(url, "cccc01");
    // The server takes a moment to notice that a killed run's sessions are gone.
    await vi.waitFor(
      async () => {
        await one.prepare();
        expect(await databases.names("seqqa\\_dddd01\\_%")).toEqual([]);
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(await databases.names("seqqa\\_aaaa01\\_%")).toHaveLength(3);
    expect(await databases.names("%seqqa%")).toEqual(expect.arrayContaining(strangers.filter((name) => name.startsWith("seqqa"))));
    await alive.kill();
    const theirs = ["database seqqa_aaaa01_db_lane0_0", "database seqqa_aaaa01_db_lane1_0", "database seqqa_aaaa01_template_db"];
    // The server may take another moment here, too.
    await vi.waitFor(async () => expect([...(await stores.clean(url, { dryRun: true })).removed].sort()).toEqual(theirs), {
      timeout: 20_000,
      interval: 200,
    });
    expect(await databases.names("seqqa\\_aaaa01\\_%")).toHaveLength(3);
    expect([...(await stores.clean(url)).removed].sort()).toEqual(theirs);
    expect(await databases.names("seqqa\\_cccc01\\_%")).toHaveLength(1);
    expect(await stores.clean(url)).toEqual({ removed: [] });
    for (const name of strangers) await databases.drop(name);
  });

  test("that belong to another role stay, and clean names them and removes the others", async () => {
    const [role, theirs] = [`${databases.prefix}_role`, "seqqa_eeee01_db_lane0_0"];
    await databases.admin.query(`create role ${role} login createdb password 'x'`);
    try {
      const url = new URL(databases.url(await databases.create(["create table t(id int)"])));
      [url.username, url.password] = [role, "x"];
      await databases.create([], "template1", theirs);
      await databases.create([], "template1", "seqqa_eeee02_db_lane0_0");
      await databases.admin.query(`alter database seqqa_eeee02_db_lane0_0 owner to ${role}`);
      const cleaned = { removed: ["database seqqa_eeee02_db_lane0_0"], notAllowed: [`database ${theirs}, which belongs to another role`] };
      expect(await stores.clean(url.href, { dryRun: true })).toEqual(cleaned);
      expect(await stores.clean(url.href)).toEqual(cleaned);
      expect(await databases.names("seqqa\\_eeee%")).toEqual([theirs]);
    } finally {
      await databases.drop(theirs);
      await databases.admin.query(`drop role ${role}`);
    }
  });

  test("do not keep two runs at once from their work", async () => {
    const url = databases.url(await databases.create(["create table t(id int)"]));
    const both = ["aaaa02", "bbbb02"].map((run) => provider(url, run));
    await Promise.all(both.map((one) => one.prepare()));
    // Two stores of one run say that it is alive beside each other.
    const second = provider(url, "aaaa02", "other");
    await second.prepare();
    await Promise.all([...both, second].flatMap((one) => [one.provide(0, 0), one.provide(1, 0)]));
    await both[0]!.close();
    expect(await stores.clean(url)).toEqual({ removed: [] });
    expect(await databases.names("seqqa\\_bbbb02\\_%")).toHaveLength(3);
    expect(await databases.names("seqqa\\_aaaa02\\_%")).toHaveLength(3);
  });

  test("a run whose connection was ended says again that it is alive", async () => {
    const url = databases.url(await databases.create(["create table t(id int)"]));
    const one = provider(url, "aaaa03");
    await one.prepare();
    const lane = new pg.Client({ connectionString: await one.provide(0, 0) });
    lane.on("error", () => undefined);
    await lane.connect();
    await databases.admin.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'");
    // At once: its databases are in use, so it is given time.
    expect(await stores.clean(url)).toEqual({ removed: [] });
    await one.provide(1, 0);
    await lane.end();
    expect(await stores.clean(url)).toEqual({ removed: [] });
    expect(await databases.names("seqqa\\_aaaa03\\_%")).toHaveLength(3);
  });

  test("a run goes on after the server was restarted", async () => {
    const url = databases.url(await databases.create(["create table t(id int)"]));
    const one = provider(url, "aaaa04");
    await one.prepare();
    await one.provide(0, 0);
    await databases.restart();
    expect(await databases.within(named(await one.provide(0, 1)), (client) => client.query("select * from t"))).toMatchObject({
      rowCount: 0,
    });
    expect(await stores.clean(url)).toEqual({ removed: [] });
    await one.close();
    await one.close();
    expect(await databases.names("seqqa\\_aaaa04\\_%")).toEqual([]);
  });
});
