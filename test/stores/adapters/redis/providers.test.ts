import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stores } from "../../../../src/adapters/redis/index.ts";
import type { Connection } from "../../../../src/adapters/redis/connect/driver.ts";
import { redisPlace } from "../../../../src/adapters/redis/connect/redis-url.ts";
import { moduleNames } from "../../../../src/adapters/redis/connect/server-facts.ts";
import { fill, readTemplate } from "../../../../src/adapters/redis/provider/template.ts";
import type { StoreProvider } from "../../../../src/model/stores/store-provider.ts";
import { otherRuns } from "../../../support/other-run.ts";
import { openAdapter, ownServer } from "./scratch.ts";

const server = ownServer();
const runs = otherRuns("redis");
let template: Redis;
let directory: string;
const made: StoreProvider[] = [];
const clients: Redis[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "seqqa-redis-test-"));
  template = server.client();
  await template.mset("a", "1", Buffer.from([0xff, 0]), "2");
  await template.set("session", "ada", "PXAT", 4_102_444_800_000);
  await template.xadd("s", "1-1", "n", "1");
  await template.xgroup("CREATE", "s", "g", "0");
});
afterEach(async () => {
  for (const one of clients.splice(0)) one.disconnect();
  for (const provider of made.splice(0)) await provider.close();
  rmSync(directory, { recursive: true, force: true });
});

function provider(isolation: "server" | "index", runId = "1f2e", url = server.url()): StoreProvider {
  const one = stores.createProvider({ name: "cache", url, runId, isolation, directory });
  made.push(one);
  return one;
}

/** A client that does not mind that its server goes. */
function connect(url: string): Redis {
  // No reconnecting: ioredis leaves the promises of its own commands after a reconnect unhandled if it is disconnected then.
  const one = new Redis(url, { protocol: 2, retryStrategy: () => null });
  one.on("error", () => undefined);
  clients.push(one);
  return one;
}

/** The memory limit in bytes that leaves room for this many copies of the server's data. */
async function roomFor(copies: number): Promise<number> {
  const info = await template.info("memory");
  const bytes = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1]);
  return Math.round(bytes("used_memory") + copies * (bytes("used_memory") - bytes("used_memory_startup")));
}

/** All keys of a database, exactly. */
async function keysOf(url: string): Promise<string> {
  const one = connect(url);
  const keys = (await one.keysBuffer("*")).map((key) => key.toString("latin1")).sort();
  const lines = keys.map(async (key) => {
    const bytes = Buffer.from(key, "latin1");
    return `${key} ${(await one.dumpBuffer(bytes))?.toString("hex")} ${await one.call("PEXPIRETIME", bytes)}`;
  });
  return (await Promise.all(lines)).join("\n");
}

const setting = async (): Promise<string> => ((await template.config("GET", "notify-keyspace-events")) as string[])[1] ?? "";

test.each(["server", "index"] as const)("a template that a run uses in place is not copied: %s", async (isolation) => {
  const run = runs.start(`const adapter = new RedisAdapter({ url: ${JSON.stringify(server.url())} });
    await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
    await adapter.root();
    say("ready");`);
  expect(await run.said()).toBe("ready");
  await template.set("a", "of the run");
  await expect(provider(isolation).prepare()).rejects.toMatchObject({ code: "STORE_IN_USE", exitStatus: 2 });
  await run.kill();
  for (const db of await used()) {
    const registry = server.client(Number(db));
    for (const one of await registry.keys("__seqqa__:alive:*")) await registry.del(one);
  }
  await expect(provider(isolation).prepare()).rejects.toMatchObject({
    code: "STORE_LEFT",
    exitStatus: 2,
    hint: expect.stringContaining("`seqqa clean`") as string,
  });
  for (const inPlace of [true, false])
    expect((await stores.check(server.url(), { inPlace, inProcess: false, isolation })).filter(({ ok }) => !ok)).toMatchObject([
      { what: "leftovers", says: expect.stringContaining("`seqqa clean`") as string },
    ]);
  await stores.clean(server.url());
  await provider(isolation).prepare();
});

/** Databases that hold something of anybody's. */
async function used(): Promise<string[]> {
  return [...(await template.info("keyspace")).matchAll(/^db(\d+):/gm)].map(([, db]) => db!);
}

/** Processes that carry a run's mark. */
function marked(runId: string): readonly number[] {
  const pids = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`SEQQA_RUN=${runId}`);
    } catch {
      return false;
    }
  });
  return pids.map(Number);
}

/** Nobody listens there, at last: of a process that ends, the environment (by which `marked` finds it) goes before its sockets do. */
async function refuses(url: URL): Promise<void> {
  const attempt = (): Promise<unknown> =>
    new Promise((resolve) => {
      const socket = createConnection(Number(url.port), url.hostname);
      const done = (outcome: unknown): void => {
        socket.destroy();
        resolve(outcome);
      };
      socket.once("connect", () => done("somebody listens")).once("error", (error: NodeJS.ErrnoException) => done(error.code));
    });
  await expect.poll(attempt).toBe("ECONNREFUSED");
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 5000; !holds() && Date.now() < end;) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.each(["server", "index"] as const)("isolation %s", (isolation) => {
  test("lanes get copies, that are apart from each other and from the template", async () => {
    const before = await keysOf(server.url());
    const one = provider(isolation);
    await one.prepare();
    const [first, second] = (await Promise.all([one.provide(0, 0), one.provide(1, 0)])) as [string, string];
    expect(new Set([first, second, server.url()]).size).toBe(3);
    expect(await keysOf(first)).toBe(before);
    expect(await keysOf(second)).toBe(before);
    const lane = connect(first);
    const system = await openAdapter({ url: first, isolation });
    const mark = await system.mark();
    await lane.set("a", "changed");
    await lane.del("s");
    expect(await keysOf(second)).toBe(before);
    expect(await keysOf(server.url())).toBe(before);
    await system.restore(mark);
    expect(await keysOf(first)).toBe(before);
    // A fresh one, whoever is still connected to the older one.
    await lane.set("a", "changed");
    const again = await one.provide(0, 1);
    expect(await keysOf(again)).toBe(before);
    await one.close();
    await one.close();
    expect(await keysOf(server.url())).toBe(before);
    expect(await used()).toEqual(["0"]);
    expect(await setting()).toBe("");
  });

  test("a template that does not answer, or is not allowed, is one clear error without its password", async () => {
    await template.call("ACL", "SETUSER", "lane", "on", ">s3cret/pw", "~*", "&*", "+@all");
    const wrong = server.url().replace("redis://", "redis://lane:wr%2Fong@");
    await expect(provider(isolation, "1f", wrong).prepare()).rejects.toMatchObject({ code: "STORE_NOT_ALLOWED" });
    await expect(provider(isolation, "1f", "redis://:hidden@127.0.0.1:1/0").prepare()).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("redis://127.0.0.1:1/0") as string,
    });
    await expect(provider(isolation, "1f", server.url(99)).prepare()).rejects.toMatchObject({ code: "STORE_MISSING" });
  });

  test("lanes take the template's credentials", async () => {
    await template.call("ACL", "SETUSER", "lane", "on", ">s3cret/pw", "~*", "&*", "+@all");
    const one = provider(isolation, "1f", server.url(2).replace("redis://", "redis://lane:s3cret%2Fpw@"));
    await server.client(2).set("k", "v");
    await one.prepare();
    const url = await one.provide(0, 0);
    expect(new URL(url).username).toBe("lane");
    expect(await keysOf(url)).toBe(await keysOf(server.url(2)));
    if (isolation === "server") {
      const text = readFileSync(join(directory, "redis-cache-0-0", "redis.conf"), "utf8");
      expect(text).not.toContain("s3cret");
      const naked = new Redis(url.replace(/\/\/.*@/, "//"), { protocol: 2, lazyConnect: true, retryStrategy: null });
      clients.push(naked);
      naked.on("error", () => undefined);
      await expect(naked.get("k")).rejects.toThrow("NOAUTH");
    }
  });
});

describe("isolation server", () => {
  test("functions are copied, FLUSHALL and SWAPDB of a lane reach nobody else", async () => {
    await template.call("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('one', function() return 1 end)");
    const one = provider("server");
    await one.prepare();
    const [first, second] = [await one.provide(0, 0), await one.provide(1, 0)];
    const before = await keysOf(second);
    const lane = connect(first);
    expect(await lane.call("FCALL", "one", "0")).toBe(1);
    await lane.flushall();
    expect(await keysOf(second)).toBe(before);
    expect(await keysOf(server.url())).toBe(before);
    await template.call("FUNCTION", "FLUSH");
  });

  test("servers announce the events that the template's server announces", async () => {
    await template.config("SET", "notify-keyspace-events", "Exm");
    const lane = connect(await provider("server").provide(0, 0));
    const [, flags = ""] = (await lane.config("GET", "notify-keyspace-events")) as string[];
    expect([...flags].sort().join("")).toBe("AEKm");
    const heard = connect(await provider("server").provide(1, 0));
    const messages: string[] = [];
    await heard.psubscribe("__keyevent@0__:expired");
    heard.on("pmessage", (_pattern: string, _channel: string, key: string) => void messages.push(key));
    const [host, port] = [heard.options.host!, heard.options.port!];
    await connect(`redis://${host}:${port}/0`).set("code", "1", "PX", 1);
    await expect.poll(() => messages).toEqual(["code"]);
  });

  test("servers listen on the loopback interface only, and end with the lane", async () => {
    const one = provider("server", "ab12");
    await one.prepare();
    const url = await one.provide(0, 0);
    expect(new URL(url).hostname).toBe("127.0.0.1");
    const lane = new Redis(url, { protocol: 2 });
    expect(await lane.config("GET", "bind")).toEqual(["bind", "127.0.0.1"]);
    expect(await lane.config("GET", "save")).toEqual(["save", ""]);
    lane.disconnect();
    expect(marked("ab12").length).toBeGreaterThan(0);
    await one.release(0);
    await until(() => marked("ab12").length === 0);
    expect(marked("ab12")).toEqual([]);
    expect(existsSync(join(directory, "redis-cache-0-0"))).toBe(false);
  });

  test("servers end when the run is killed", async () => {
    const run = runs.start(
      `const one = stores.createProvider({ name: "cache", url: ${JSON.stringify(server.url())}, runId: "dead1", directory: ${JSON.stringify(directory)} });
       await one.prepare(); say(await one.provide(0, 0));`,
    );
    const url = String(await run.said());
    expect(await keysOf(url)).toBe(await keysOf(server.url()));
    for (const one of clients.splice(0)) one.disconnect();
    await run.kill();
    await until(() => marked("dead1").length === 0);
    expect(marked("dead1")).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "all that a server consists of carries the run's mark, by which the next run ends it",
    async () => {
      const one = provider("server", "ab13");
      await one.prepare();
      const url = new URL(await one.provide(0, 0));
      for (const pid of marked("ab13")) process.kill(pid, "SIGKILL");
      await until(() => marked("ab13").length === 0);
      await refuses(url);
    },
  );

  test.runIf(process.platform === "linux")("a server whose guard was killed ends with the lane", async () => {
    const one = provider("server", "ab14");
    await one.prepare();
    const url = new URL(await one.provide(0, 0));
    for (const pid of marked("ab14")) if (readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("/bin/sh")) process.kill(pid, "SIGKILL");
    await one.release(0);
    await refuses(url);
  });

  test("a missing program is named, with the way around it", async () => {
    const url = server.url();
    const script = `process.env.PATH = "/nowhere"; const one = stores.createProvider({ name: "cache", url: ${JSON.stringify(url)}, runId: "dead2", directory: ${JSON.stringify(directory)} });
       await one.prepare(); try { await one.provide(0, 0); say("started"); } catch (error) { say([error.code, error.hint]); }`;
    const installed = ["/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"].some((folder) =>
      existsSync(join(folder, "redis-server")),
    );
    const said = await runs.start(script).said();
    if (installed) expect(said).toBe("started");
    else expect(said).toEqual(["REDIS_SERVER_MISSING", expect.stringContaining("isolation: index")]);
  });
});

/** Makes the last heartbeat that a claim records a minute older. */
const AGE = "if redis.call('EXISTS', ARGV[1]) == 1 then redis.call('HINCRBY', ARGV[1], 'beat', -60) end";

describe("isolation index", () => {
  test("the session is another one once it was ended", async () => {
    const one = provider("index");
    await one.prepare();
    const session = await one.session!();
    await one.provide(0, 0);
    expect(await one.session!()).toBe(session);
    await template.client("KILL", "ID", session.split(" ")[0]!);
    expect(await one.session!()).not.toBe(session);
    expect(provider("server").session).toBeUndefined();
  });

  test("databases that hold anything are never taken", async () => {
    for (const db of [1, 2, 4, 15]) await server.client(db).set("foreign", String(db));
    const one = provider("index");
    await one.prepare();
    const urls = await Promise.all([0, 1, 2].map((lane) => one.provide(lane, 0)));
    for (const url of urls) expect(["/0", "/1", "/2", "/4", "/15"]).not.toContain(new URL(url).pathname);
    await one.close();
    expect((await used()).sort()).toEqual(["0", "1", "15", "2", "4"]);
    for (const db of [1, 2, 4, 15]) expect(await server.client(db).get("foreign")).toBe(String(db));
  });

  test("too many lanes, or no empty database, is one clear error", async () => {
    for (let db = 3; db < 16; db++) await server.client(db).set("foreign", String(db));
    const one = provider("index");
    await one.prepare();
    await one.provide(0, 0);
    await expect(one.provide(1, 0)).rejects.toMatchObject({ code: "STORE_NO_DATABASE", exitStatus: 2 });
    await one.close();
    await server.client(1).set("foreign", "1");
    await server.client(2).set("foreign", "2");
    await expect(provider("index").prepare()).rejects.toMatchObject({ code: "STORE_NO_DATABASE" });
  });

  test("two runs at once do not touch each other, and the last one puts the setting back", async () => {
    await template.config("SET", "notify-keyspace-events", "Ex");
    const before = [...(await setting())].sort().join("");
    const [one, two] = [provider("index", "aaaa"), provider("index", "bbbb")];
    await Promise.all([one.prepare(), two.prepare()]);
    const urls = await Promise.all([one.provide(0, 0), two.provide(0, 0), one.provide(1, 0), two.provide(1, 0)]);
    expect(new Set(urls).size).toBe(4);
    const copy = await keysOf(server.url());
    await one.close();
    expect(await keysOf(urls[1]!)).toBe(copy);
    expect(await setting()).toContain("K");
    expect((await stores.clean(server.url())).removed).toEqual([]);
    expect(await keysOf(urls[3]!)).toBe(copy);
    await two.close();
    expect([...(await setting())].sort().join("")).toBe(before);
    expect(await used()).toEqual(["0"]);
  });

  test("after a SIGKILL the next run removes what is left, and nothing else", async () => {
    const run = runs.start(
      `const one = stores.createProvider({ name: "cache", url: ${JSON.stringify(server.url())}, runId: "dead3", isolation: "index", directory: ${JSON.stringify(directory)} });
       await one.prepare(); say([await one.provide(0, 0), await one.provide(1, 0)]);`,
    );
    const urls = (await run.said()) as string[];
    const living = provider("index", "cccc");
    await living.prepare();
    const own = await living.provide(0, 0);
    expect(urls).not.toContain(own);
    await run.kill();
    await server.client(9).set("foreign", "9");
    const { removed } = await stores.clean(server.url());
    expect([...removed].sort()).toEqual(urls.map((url) => `database ${new URL(url).pathname.slice(1)}, a copy for run dead3`).sort());
    for (const url of urls) expect(await keysOf(url)).toBe("");
    expect(await keysOf(own)).toBe(await keysOf(server.url()));
    await living.close();
    expect((await used()).sort()).toEqual(["0", "9"]);
    expect(await setting()).toBe("");
  });

  describe("a dead lane's database that somebody else uses since", () => {
    let url: string;
    let db: number;
    let user: Redis;
    beforeEach(async () => {
      const run = runs.start(
        `const one = stores.createProvider({ name: "cache", url: ${JSON.stringify(server.url())}, runId: "dead4", isolation: "index", directory: ${JSON.stringify(directory)} });
         await one.prepare(); say(await one.provide(0, 0));`,
      );
      url = String(await run.said());
      await run.kill();
      db = Number(new URL(url).pathname.slice(1));
      user = server.client(db);
      // A minute later.
      for (const key of await user.keysBuffer("*")) {
        await user.restore(key, 0, (await user.dumpBuffer(key))!, "REPLACE", "IDLETIME", 60);
      }
      for (const other of await used()) await server.client(Number(other)).eval(AGE, 0, `__seqqa__:db:${db}`);
      await user.mset("name", "of the user", "visits", "3");
    });

    test("is left alone by the next run; clean removes only unused keys", async () => {
      const before = await user.dbsize();
      const next = provider("index");
      await next.prepare();
      expect(await next.provide(0, 0)).not.toBe(url);
      await next.close();
      expect(await user.dbsize()).toBe(before);
      const removed = [`database ${db}, a copy for run dead4, except 4 keys that may have been used since the run ended`];
      expect((await stores.clean(server.url(), { dryRun: true })).removed).toEqual(removed);
      expect(await user.dbsize()).toBe(before);
      expect((await stores.clean(server.url())).removed).toEqual(removed);
      // The server does not know when a small number was used: two keys of the copy, and one of the user.
      expect((await user.keysBuffer("*")).map((key) => key.toString("latin1")).sort()).toEqual(["a", "name", "visits", "\xff\0"]);
      expect((await used()).sort()).toEqual(["0", String(db)]);
    });

    test("is not emptied when a run uses it in place", async () => {
      const before = await keysOf(url);
      const system = await openAdapter({ url }, { borrowed: true });
      await system.root();
      await user.set("name", "of the run");
      await system.close();
      expect(await keysOf(url)).toBe(before);
    });
  });

  test("a dead lane's database with small numbers, whose last use is unknown, is removed by clean only", async () => {
    const run = runs.start(
      `const one = stores.createProvider({ name: "cache", url: ${JSON.stringify(server.url())}, runId: "dead5", isolation: "index", directory: ${JSON.stringify(directory)} });
       await one.prepare(); say(await one.provide(0, 0));`,
    );
    const url = String(await run.said());
    await run.kill();
    const copy = await keysOf(url);
    await provider("index").prepare();
    expect(await keysOf(url)).toBe(copy);
    await stores.clean(server.url());
    expect(await keysOf(url)).toBe("");
  });

  test("FLUSHALL of a target does not make others take its lanes", async () => {
    const one = provider("index", "dddd");
    await one.prepare();
    const url = await one.provide(0, 0);
    await template.flushall();
    await new Promise((resolve) => setTimeout(resolve, 5500));
    const two = provider("index", "eeee");
    await two.prepare();
    expect(await two.provide(0, 0)).not.toBe(url);
  }, 15_000);
});

describe("check", () => {
  const IN_PLACE = { inPlace: true, inProcess: false };
  const INDEX = { inPlace: false, inProcess: false, isolation: "index" };

  test("says what the configuration needs, and leaves nothing behind", async () => {
    const written = async (): Promise<unknown> => /^cmdstat_(?:set|restore|config\|set):.*/gm.exec(await template.info("commandstats"));
    const ofServer = ["privileges", "notifications", "memory"];
    for (const [use, whats] of [
      [IN_PLACE, ofServer],
      [INDEX, [...ofServer, "isolation index"]],
      [undefined, ["isolation server"]],
    ] as const) {
      await template.config("RESETSTAT");
      const checks = await stores.check(server.url(), use);
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
      expect(checks.map(({ what }) => what)).toEqual(["reachable", "version", ...whats, "leftovers"]);
      if (use === INDEX) expect(checks.at(-2)!.says).toContain("enough for 14 lanes");
      if (use === undefined) expect(await written()).toBeNull();
    }
    expect(await used()).toEqual(["0"]);
    expect(await setting()).toBe("");
  });

  test("never throws, and never shows a password", async () => {
    await template.call("ACL", "SETUSER", "narrow", "on", ">s3cret", "~*", "&*", "+@all", "-config", "-eval", "-evalsha");
    const narrow = await stores.check(server.url().replace("redis://", "redis://narrow:s3cret@"), INDEX);
    expect(narrow.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(["privileges", "notifications", "isolation index"]);
    const gone = await stores.check("redis://narrow:s3cret@127.0.0.1:1/0");
    expect(gone).toEqual([{ ok: false, what: "reachable", says: expect.stringContaining("Connection refused") as string }]);
    const wrong = await stores.check("mysql://narrow:s3cret@127.0.0.1:1/0");
    expect(wrong.map(({ ok }) => ok)).toEqual([false]);
    expect(JSON.stringify([narrow, gone, wrong])).not.toContain("s3cret");
  });

  test("names the other databases with keys, which are not copied for a server per lane", async () => {
    await server.client(3).set("third", "1");
    await server.client(11).set("eleventh", "1");
    const says = async (use?: typeof INDEX): Promise<string> =>
      (await stores.check(server.url(), use)).find(({ what }) => what.startsWith("isolation"))!.says;
    expect(await says()).toMatch(/ The keys in the databases 3, 11 are not copied\.$/);
    expect(await says(INDEX)).not.toContain("not copied");
  });

  test("warns of an eviction policy", async () => {
    await template.config("SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru");
    const checks = await stores.check(server.url(), IN_PLACE);
    const copied = await stores.check(server.url());
    const lanes = await stores.check(server.url(), INDEX);
    await template.set("large", "x".repeat(1_000_000));
    await template.config("SET", "maxmemory", await roomFor(1.5));
    const small = await stores.check(server.url(), INDEX);
    await template.config("SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
    expect(checks.find(({ what }) => what === "memory")).toMatchObject({
      ok: false,
      says: expect.stringContaining("allkeys-lru") as string,
    });
    expect(copied.filter(({ ok }) => !ok)).toEqual([]);
    // A run with `isolation: index` accepts the first of these limits and refuses the second.
    expect([lanes, small].map((all) => all.find(({ what }) => what === "memory"))).toMatchObject([
      { ok: true, says: expect.stringContaining("has room for a copy of the data") as string },
      { ok: false, says: expect.stringContaining("to make room for seqqa's copy") as string },
    ]);
  });
});

test("a server that would evict keys of the user to make room for the copies of lanes is refused", async () => {
  for (let i = 0; i < 100; i++) void template.set(`large ${i}`, "x".repeat(10_000));
  await template.config("SET", "maxmemory", "3mb", "maxmemory-policy", "allkeys-lru");
  const preparing = provider("index").prepare();
  await expect(preparing).rejects.toMatchObject({
    code: "STORE_UNSUPPORTED",
    exitStatus: 2,
    message: expect.stringMatching(
      /may evict keys \(allkeys-lru\) to make room for seqqa's copy: \d\.\d MB of 3\.0 MB are in use\.$/,
    ) as string,
  });
  await template.config("SET", "maxmemory", "100mb");
  await provider("index").prepare();
  await template.config("SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
  expect(await template.info("stats")).toContain("evicted_keys:0");
});

test("a lane gets no copy if the copies of other lanes have taken the room for it", async () => {
  for (let i = 0; i < 400; i++) void template.set(`large ${i}`, "x".repeat(10_000));
  await template.config("SET", "maxmemory", await roomFor(3.5), "maxmemory-policy", "allkeys-lru");
  const before = await keysOf(server.url());
  const lanes = provider("index");
  await lanes.prepare();
  const given = await Promise.allSettled([0, 1, 2, 3].map((lane) => lanes.provide(lane, 0)));
  expect(given.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  expect(given[2]).toMatchObject({
    reason: { code: "STORE_UNSUPPORTED", exitStatus: 2, hint: expect.stringContaining("fewer lanes (--parallel)") as string },
  });
  await lanes.provide(1, 1);
  await template.config("SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
  expect(await template.info("stats")).toContain("evicted_keys:0");
  expect(await keysOf(server.url())).toBe(before);
});

test("disturb changes something, which a put-back undoes", async () => {
  const system = await openAdapter({ url: server.url() });
  const [mark, dump] = [await system.mark(), await system.dump()];
  expect(await stores.disturb(server.url())).toBe("removed one key and wrote another");
  expect(await system.dump()).not.toBe(dump);
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
});

test("a lane's server that lacks modules of the template is refused, unless no client has used them", async () => {
  const connection = (text: string): Connection => ({ text: () => Promise.resolve(text) }) as unknown as Connection;
  const modules = "# Modules\r\nmodule:name=search,ver=21005,api=1\r\nmodule:name=bf,ver=1,api=1\r\n";
  expect(await moduleNames(connection(modules))).toEqual(["search", "bf"]);
  expect(await moduleNames(connection(`${modules}cmdstat_get:calls=1`), { used: true })).toEqual([]);
  const used = await moduleNames(connection(`${modules}cmdstat_FT.SEARCH:calls=1`), { used: true });
  const place = redisPlace(server.url());
  const filling = fill(place, { ...(await readTemplate(place)), modules: used }, { isOwn: true });
  await expect(filling).rejects.toMatchObject({
    code: "STORE_NOT_COPIED",
    exitStatus: 2,
    message: expect.stringContaining("search, bf"),
    hint: expect.stringContaining("isolation: index"),
  });
});
