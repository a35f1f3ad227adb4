import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RowImages } from "../../../../src/model/stores/leftover.ts";
import { size } from "../../../sizes.ts";
import { RedisAdapter, stores } from "../../../../src/adapters/redis/index.ts";
import { ExternalStore } from "../../../../src/adapters/redis/external-store.ts";
import { Keyspace, type Fix } from "../../../../src/adapters/redis/keys/keyspace.ts";
import { otherRuns } from "../../../support/other-run.ts";
import { openAdapter, ownServer } from "./scratch.ts";

const server = ownServer();
const runs = otherRuns("redis");
let target: Redis;

beforeEach(async () => {
  target = server.client();
  await target.mset("a", "1", "\xff", "2");
  await target.hset("order", "status", "new");
  await target.set("session", "ada", "PXAT", 4_102_444_800_000);
});

/** Lets another client write just before seqqa writes a key, when seqqa has read all it needs. */
function justBefore(key: string, write: () => Promise<unknown>): void {
  const { apply } = Keyspace.prototype;
  let written = false;
  vi.spyOn(Keyspace.prototype, "apply").mockImplementation(async function (this: Keyspace, fixes: readonly Fix[], ...how) {
    if (!written && fixes.some(([one]) => one === key)) {
      written = true;
      await write();
    }
    return apply.call(this, fixes, ...how);
  });
}
afterEach(() => vi.restoreAllMocks());

/** Everything on the server, and its setting. */
async function everything(): Promise<string> {
  const all: string[] = [(((await target.config("GET", "notify-keyspace-events")) as string[])[1] ?? "").split("").sort().join("")];
  // One connection for all databases: most of the time of a new one goes into its start.
  const one = server.client();
  for (let db = 0; db < 16; db++) {
    await one.select(db);
    for (const key of (await one.keys("*")).sort())
      all.push(`${db} ${key} ${(await one.dumpBuffer(key))?.toString("hex")} ${await one.call("PEXPIRETIME", key)}`);
  }
  one.disconnect();
  return all.join("\n");
}

/** Makes a run count as dead. */
async function endHeartbeats(): Promise<void> {
  const registry = server.client();
  for (let db = 1; db < 16; db++) {
    await registry.select(db);
    for (const one of await registry.keys("__seqqa__:alive:*")) await registry.del(one);
  }
  registry.disconnect();
}

async function change(): Promise<void> {
  await target.set("a", "changed");
  await target.del("order", "session");
  await target.rpush("new", "x");
}

/** Opens the database in another process, as a run with `base_url` does. */
const borrow = (url: string): string =>
  `const system = new RedisAdapter({ url: ${JSON.stringify(url)} });
   await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
   await system.root(); globalThis.mark = await system.mark(); say("open");`;

test("close leaves it as open found it, what setup wrote included, and nothing of ours", async () => {
  await target.config("SET", "notify-keyspace-events", "Ex");
  const before = await everything();
  const system = await openAdapter({ url: server.url() }, { borrowed: true });
  await target.set("by setup", "1");
  await system.root();
  await change();
  expect(await system.dump()).not.toContain("__seqqa__");
  await system.mark();
  await target.incr("counter");
  await system.close();
  expect(await everything()).toBe(before);
});

test("close puts back what FLUSHALL took, our own notes included", async () => {
  const before = await everything();
  const system = await openAdapter({ url: server.url() }, { borrowed: true });
  const mark = await system.mark();
  await target.flushall();
  await system.restore(mark);
  expect(await target.get("a")).toBe("1");
  await change();
  await system.close();
  expect(await everything()).toBe(before);
});

test("it works where no other database is empty", async () => {
  for (let db = 1; db < 16; db++) await server.client(db).set("foreign", String(db));
  const before = await everything();
  const system = await openAdapter({ url: server.url() }, { borrowed: true });
  const mark = await system.mark();
  await change();
  await system.restore(mark);
  expect(await system.dump()).not.toContain("__seqqa__");
  expect(JSON.stringify(await system.root(), (_key, one: unknown) => (one instanceof Uint8Array ? "" : one))).not.toContain("__seqqa__");
  await change();
  await system.close();
  expect(await everything()).toBe(before);
});

test("one that a living run uses is refused, and is not touched", async () => {
  const run = runs.start(borrow(server.url()));
  expect(await run.said()).toBe("open");
  const during = await everything();
  await expect(openAdapter({ url: server.url() }, { borrowed: true })).rejects.toMatchObject({ code: "STORE_IN_USE", exitStatus: 2 });
  expect(await stores.clean(server.url())).toMatchObject({ removed: [], inUse: "Another run of seqqa is using the Redis database 0." });
  expect(await everything()).toBe(during);
  await run.kill();
  await stores.clean(server.url());
});

test("another database of the same server is another store", async () => {
  await server.client(3).set("third", "1");
  const before = await everything();
  const first = await openAdapter({ url: server.url() }, { borrowed: true });
  const third = await openAdapter({ url: server.url(3) }, { borrowed: true });
  await first.root();
  await third.root();
  await change();
  await server.client(3).del("third");
  await first.close();
  // Notifications stay on for the one that is left.
  const mark = await third.mark();
  await server.client(3).set("fourth", "1");
  expect(await third.changed(mark)).toBe(true);
  await third.close();
  expect(await everything()).toBe(before);
});

/** Opens it in another process, which looks until it has seen a change, and then does nothing more. */
const look = (url: string): string =>
  `${borrow(url)}
   while (!(await system.changed(mark))) await new Promise((resolve) => setTimeout(resolve, 5));
   say("recorded");`;

const listed = (rows: readonly RowImages[] | undefined): string[] => (rows ?? []).map(({ key }) => key);

describe("after a SIGKILL", () => {
  let before: string;
  beforeEach(async () => {
    await target.config("SET", "notify-keyspace-events", "Ex");
    before = await everything();
    const run = runs.start(look(server.url()));
    expect(await run.said()).toBe("open");
    await target.multi().set("a", "changed").del("order", "session").rpush("new", "x").exec();
    expect(await run.said()).toBe("recorded");
    await run.kill();
    expect(await everything()).not.toBe(before);
  });

  test("clean puts it back", async () => {
    const dry = await stores.clean(server.url(), { dryRun: true });
    expect(await target.get("a")).toBe("changed");
    const { removed, leftover } = await stores.clean(server.url());
    expect({ removed, leftover }).toEqual(dry);
    expect(removed).toEqual([expect.stringMatching(/^the record that run \d+@\S+ uses database 0$/)]);
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["a", "new", "order", "session"], []]);
    expect(leftover?.undo[2]).toMatchObject({ root: { type: "hash", value: ["status", "new"] }, recorded: null, now: null });
    expect(await everything()).toBe(before);
    expect(await stores.clean(server.url())).toEqual({ removed: [] });
  });

  test("keys that were written since stay, and are listed", async () => {
    await target.set("a", "of the user");
    await target.hset("order", "status", "of the user");
    await target.set("b", "of the user");
    await target.set("session", "of the user", "PXAT", 4_102_444_800_000);
    const told: unknown[] = [];
    const { leftover } = await stores.clean(server.url(), { onKept: (one) => void told.push(one) });
    expect(told).toEqual([leftover]);
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["new"], ["a", "b", "order", "session"]]);
    expect(leftover?.keep[0]).toEqual({
      table: "key",
      key: "a",
      root: { type: "string", value: "1" },
      recorded: { type: "string", value: "changed" },
      now: { type: "string", value: "of the user" },
    });
    expect(await target.mget("a", "b", "session")).toEqual(["of the user", "of the user", "of the user"]);
    expect(await target.hget("order", "status")).toBe("of the user");
    expect(await target.exists("new")).toBe(0);
  });

  test("a key that is written while clean restores stays, and is listed", async () => {
    justBefore("new", async () => target.multi().set("a", "of the user").rpush("new", "of the user").exec());
    const told: unknown[] = [];
    const { leftover } = await stores.clean(server.url(), { onKept: (one) => void told.push(one) });
    expect(told).toEqual([leftover]);
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([
      ["order", "session"],
      ["a", "new"],
    ]);
    expect(leftover?.keep[0]).toMatchObject({ recorded: { value: "changed" }, now: { value: "of the user" } });
    expect([await target.get("a"), await target.lrange("new", 0, -1)]).toEqual(["of the user", ["x", "of the user"]]);
    expect(await target.hget("order", "status")).toBe("new");
  });

  test("no run begins in it before it is cleaned", async () => {
    const left = await everything();
    await expect(openAdapter({ url: server.url() }, { borrowed: true })).rejects.toMatchObject({
      code: "STORE_LEFT",
      exitStatus: 2,
      hint: expect.stringContaining("`seqqa clean`") as string,
    });
    expect(await everything()).toBe(left);
  });

  test("two that clean at once do not meet", async () => {
    const cleaned = await Promise.all([stores.clean(server.url()), stores.clean(server.url()), stores.clean(server.url())]);
    expect(cleaned.flatMap(({ removed }) => removed)).toHaveLength(1);
    expect(await everything()).toBe(before);
  });
});

test("after FLUSHALL in a branch and a SIGKILL it is put back too", async () => {
  const before = await everything();
  const run = runs.start(`${borrow(server.url())}
    for (let times = 0; ; ) {
      if (!(await system.changed(mark))) continue;
      if (++times === 2) return say("recorded");
      await system.restore(mark);
      say("restored");
    }`);
  expect(await run.said()).toBe("open");
  await target.flushall();
  expect(await run.said()).toBe("restored");
  await target.multi().set("a", "changed").del("order", "session").rpush("new", "x").exec();
  expect(await run.said()).toBe("recorded");
  await run.kill();
  expect((await stores.clean(server.url())).leftover?.keep).toEqual([]);
  expect(await everything()).toBe(before);
});

describe("after FLUSHALL and a SIGKILL before the run looks again", () => {
  /** Opens the database in another process, empties the server, and kills the process. */
  const flushedAndKilled = async (): Promise<void> => {
    const run = runs.start(borrow(server.url()));
    expect(await run.said()).toBe("open");
    await target.flushall();
    await run.kill();
  };
  const others = ["other keys", "none"] as const;

  test.each(others)("clean restores the keys; on the server there are %s", async (also) => {
    const before = await everything();
    await flushedAndKilled();
    if (also === "other keys") await server.client(5).set("x", "1");
    await expect(openAdapter({ url: server.url() }, { borrowed: true })).rejects.toMatchObject({ code: "STORE_LEFT", exitStatus: 2 });
    const planned = await stores.clean(server.url(), { dryRun: true });
    expect(planned.leftover?.undo.map(({ key }) => key).sort()).toEqual(["a", "order", "session", "ÿ"]);
    expect(await target.dbsize()).toBe(0);
    expect((await stores.clean(server.url())).leftover?.keep).toEqual([]);
    await server.client(5).del("x");
    expect(await everything()).toBe(before);
    expect(await stores.clean(server.url())).toMatchObject({ removed: [] });
    await (await openAdapter({ url: server.url() }, { borrowed: true })).close();
  });

  test("keys that were written since then stay, and are named", async () => {
    await flushedAndKilled();
    await target.mset("a", "mine", "z", "mine");
    const { leftover } = await stores.clean(server.url());
    expect(leftover?.keep.map(({ key }) => key)).toEqual(["a", "z"]);
    expect(leftover?.keep[0]).toMatchObject({ root: { value: "1" }, now: { value: "mine" } });
    expect(await target.mget("a", "z")).toEqual(["mine", "mine"]);
    expect(await target.hgetall("order")).toEqual({ status: "new" });
  });

  test("a run that was undone from another machine is not undone again", async () => {
    const run = runs.start(borrow(server.url()));
    expect(await run.said()).toBe("open");
    await run.kill();
    const folder = join(tmpdir(), `seqqa-${process.getuid!()}`);
    const files = readdirSync(folder).filter((name) => name.startsWith("redis-"));
    const contents = files.map((name) => readFileSync(join(folder, name)));
    await stores.clean(server.url());
    // The other machine cannot remove the file on this one.
    files.forEach((name, at) => writeFileSync(join(folder, name), contents[at]!));
    await target.del("session");
    expect(await stores.clean(server.url())).toMatchObject({ removed: [] });
    expect(await target.exists("session")).toBe(0);
    await (await openAdapter({ url: server.url() }, { borrowed: true })).close();
  });

  test("a run that is alive is not disturbed", async () => {
    const run = runs.start(borrow(server.url()));
    expect(await run.said()).toBe("open");
    await target.flushall();
    expect(await stores.clean(server.url())).toMatchObject({ removed: [], inUse: expect.any(String) as string });
    await run.kill();
    await stores.clean(server.url());
  });
});

test("a run that gave no sign of life touches nothing any more", async () => {
  const system = await openAdapter({ url: server.url() }, { borrowed: true });
  await system.root();
  const mark = await system.mark();
  await target.set("a", "changed");
  await system.changed(mark);
  // As after 30 s of SIGSTOP: the server has forgotten it, and its own clock says so.
  const now = Date.now;
  await endHeartbeats();
  Date.now = () => now() + 31_000;
  try {
    const over = { code: "LEASE_OVER", exitStatus: 3 };
    await expect(system.restore(mark)).rejects.toMatchObject(over);
    await expect(system.changed(mark)).rejects.toMatchObject(over);
    await expect(system.close()).rejects.toMatchObject(over);
  } finally {
    Date.now = now;
  }
  expect(await target.get("a")).toBe("changed");
  expect(listed((await stores.clean(server.url())).leftover?.undo)).toEqual(["a"]);
  expect(await target.get("a")).toBe("1");
});

test("a key that somebody writes before the first read ends the run, and stays", async () => {
  const system = await openAdapter({ url: server.url() }, { borrowed: true, asked: () => 0 });
  await target.set("user", "of the user");
  await expect(system.root()).rejects.toMatchObject({ code: "FOREIGN_WRITE", exitStatus: 3 });
  const folder = mkdtempSync(join(tmpdir(), "seqqa-kept-"));
  const cwd = process.cwd;
  process.cwd = () => folder;
  try {
    await expect(system.close()).rejects.toMatchObject({ code: "ROWS_KEPT", exitStatus: 3 });
  } finally {
    process.cwd = cwd;
    rmSync(folder, { recursive: true });
  }
  expect(await target.get("user")).toBe("of the user");
});

test("a key that somebody writes while nothing is asked ends the run, and stays", async () => {
  let asked: number | undefined = 1;
  const system = await openAdapter({ url: server.url() }, { borrowed: true, asked: () => asked });
  await system.root();
  const mark = await system.mark();
  asked = 2;
  await target.set("a", "of the run");
  expect(await system.changed(mark)).toBe(true);
  await target.set("user", "of the user");
  const foreign = {
    code: "FOREIGN_WRITE",
    exitStatus: 3,
    message: expect.stringMatching(/: key user, seen at 2/) as string,
    hint: expect.stringContaining('write ignore: ["user"] in seqqa.yaml, under systems') as string,
  };
  await expect(system.restore(mark)).rejects.toMatchObject(foreign);
  const folder = mkdtempSync(join(tmpdir(), "seqqa-kept-"));
  const cwd = process.cwd;
  process.cwd = () => folder;
  try {
    await expect(system.close()).rejects.toMatchObject({ code: "ROWS_KEPT", exitStatus: 3 });
    expect(readdirSync(folder)).toHaveLength(1);
  } finally {
    process.cwd = cwd;
    rmSync(folder, { recursive: true });
  }
  expect(await target.mget("a", "user")).toEqual(["1", "of the user"]);
  expect(await target.keys("__seqqa__*")).toEqual([]);
});

test.each(["restore", "lastLook"] as const)("a key that somebody writes just before a %s ends the run, and stays", async (how) => {
  let asked: number | undefined = 1;
  const system = await openAdapter({ url: server.url() }, { borrowed: true, asked: () => asked });
  await system.root();
  const mark = await system.mark();
  asked = 2;
  await target.mset("a", "of the run", "b", "of the run");
  expect(await system.changed(mark)).toBe(true);
  justBefore("a", () => target.set("a", "of the user"));
  const restored = how === "restore" ? system.restore(mark) : system.lastLook()!.restore(mark);
  await restored.catch((error: unknown) => expect(error).toMatchObject({ code: "FOREIGN_WRITE" }));
  await expect(system.restore(mark)).rejects.toMatchObject({
    code: "FOREIGN_WRITE",
    message: expect.stringMatching(/: key a, seen/) as string,
  });
  expect(await target.mget("a", "b")).toEqual(["of the user", how === "restore" ? null : "of the run"]);
  const cwd = process.cwd;
  const folder = mkdtempSync(join(tmpdir(), "seqqa-kept-"));
  process.cwd = () => folder;
  try {
    await expect(system.close()).rejects.toMatchObject({ code: "ROWS_KEPT" });
  } finally {
    process.cwd = cwd;
    rmSync(folder, { recursive: true });
  }
  expect(await target.mget("a", "b")).toEqual(["of the user", null]);
});

test("values whose DUMP differs each time are restored", async () => {
  const names = Array.from({ length: 700 }, (_, i) => `field ${i}`);
  const before = new Set(names);
  await target.sadd("many", ...names);
  const system = await openAdapter({ url: server.url() }, { borrowed: true });
  await system.root();
  const mark = await system.mark();
  for (let n = 0; n < 5; n++) {
    await target.sadd("many", ...names.map((name) => `${name} ${n}`));
    expect(await system.changed(mark)).toBe(true);
    // Sets of this size are moved to a larger hash table step by step, by reads, too. That changes their order.
    await target.sismember("many", "field 1");
    await system.restore(mark);
    expect(await system.changed(mark)).toBe(false);
    expect(new Set(await target.smembers("many"))).toEqual(before);
  }
  await target.sadd("many", "x");
  await system.close();
  expect(new Set(await target.smembers("many"))).toEqual(before);
});

describe("keys that are ignored", () => {
  test("are neither judged nor put back, whoever writes them", async () => {
    const asked = 1;
    const system = await openAdapter({ url: server.url(), ignore: ["seen:*"] }, { borrowed: true, asked: () => asked });
    await target.set("seen:ada", "0");
    await system.root();
    const mark = await system.mark();
    for (let n = 1; n < 4; n++) {
      await target.multi().set("seen:ada", n).set(`seen:${n}`, n).exec();
      expect(await system.changed(mark)).toBe(false);
      expect(await system.lastLook()!.restore(mark)).toBe(true);
      await system.restore(mark);
    }
    await system.close();
    expect(await target.mget("seen:ada", "seen:1", "seen:3", "a")).toEqual(["3", "1", "3", "1"]);
    expect(await target.keys("__seqqa__*")).toEqual([]);
  });

  test("stay as they are in a clean after a SIGKILL, and are not listed", async () => {
    await target.set("seen:ada", "0");
    const run = runs.start(look(server.url()).replace("})", ', ignore: ["seen:*"] })'));
    expect(await run.said()).toBe("open");
    await target.multi().set("seen:ada", "1").set("seen:eve", "1").set("a", "changed").exec();
    expect(await run.said()).toBe("recorded");
    await run.kill();
    await target.set("seen:ada", "2");
    const { leftover } = await stores.clean(server.url());
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["a"], []]);
    expect(await target.mget("seen:ada", "seen:eve", "a")).toEqual(["2", "1", "1"]);
  });
});

test("whatever is written by whom, keys go back only where they are as the run recorded them", async () => {
  const key = fc.constantFrom("a", "b", "order", "list");
  const write = fc.oneof(
    fc.tuple(key, fc.constantFrom("x", "y")).map(([one, value]) => ["SET", one, value]),
    key.map((one) => ["DEL", one]),
    fc.constantFrom("x", "y").map((value) => ["HSET", "order", "status", value]),
    fc.constantFrom("x", "y").map((value) => ["RPUSH", "list", value]),
    fc.constantFrom(60_000, 90_000).map((ms) => ["PEXPIREAT", "a", String(4_102_444_800_000 + ms)]),
  );
  const writes = fc.array(write, { maxLength: 4 });
  const execute = async (all: readonly (readonly string[])[]): Promise<void> => {
    for (const [name = "", ...args] of all) await target.call(name, ...args).catch(() => undefined);
  };
  const read = async (): Promise<Map<string, string>> => {
    const keys = (await target.keys("*")).filter((one) => !one.startsWith("__seqqa__")).sort();
    return new Map(
      await Promise.all(
        keys.map(
          async (one) => [one, `${(await target.dumpBuffer(one))?.toString("hex")} ${await target.call("PEXPIRETIME", one)}`] as const,
        ),
      ),
    );
  };
  const story = fc.record({
    steps: fc.array(fc.record({ write: writes, isUndone: fc.boolean() }), { maxLength: 3 }),
    inFlight: writes,
    afterwards: writes,
  });
  await fc.assert(
    fc.asyncProperty(story, async ({ steps, inFlight, afterwards }) => {
      await target.flushall();
      await target.mset("a", "1", "b", "2");
      await target.hset("order", "status", "new");
      const root = await read();
      const system = new RedisAdapter({ url: server.url() });
      await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
      await system.root();
      const mark = await system.mark();
      for (const { write: one, isUndone } of steps) {
        await execute(one);
        await system.changed(mark);
        if (isUndone) await system.restore(mark);
      }
      const recorded = await read();
      await execute([...inFlight, ...afterwards]);
      const now = await read();
      await endHeartbeats();
      const dry = await stores.clean(server.url(), { dryRun: true });
      expect(await read()).toEqual(now);
      const { leftover } = await stores.clean(server.url());
      expect(leftover).toEqual(dry.leftover);
      const final = await read();
      for (const one of new Set([...root.keys(), ...recorded.keys(), ...now.keys()])) {
        const [r, l, n] = [root.get(one), recorded.get(one), now.get(one)];
        expect(final.get(one), one).toBe(n === l ? r : n);
        expect(listed(leftover?.keep).includes(one), one).toBe(n !== l && n !== r);
      }
      await system.close().catch(() => undefined);
    }),
    { numRuns: size(5, 500) },
  );
});

describe("keys with an expiry time from before the run", () => {
  const HOUR = 3_600_000;
  let now: number;
  beforeEach(async () => {
    now = Date.now();
    await target.set("login", "ada", "PXAT", now + HOUR);
    await target.set("code", "1234", "PXAT", now + 700);
    await target.set("lock", "mine", "PXAT", now + 1500);
  });
  const expiry = async (key: string): Promise<number> => Number(await target.call("PEXPIRETIME", key)) - now;
  const expired = (key: string): Promise<void> => vi.waitFor(async () => expect(await target.exists(key)).toBe(0), { timeout: 3000 });

  test("that expired or were deleted after a killed run stay away, and others keep their time", async () => {
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    const mark = await system.mark();
    await target
      .multi()
      .del("login")
      .set("a", "changed")
      .set("lock", "of the run", "PXAT", now + HOUR)
      .exec();
    expect(await system.changed(mark)).toBe(true);
    await endHeartbeats();
    await target.del("session");
    await expired("code");
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(now + 1520), { timeout: 3000 });
    const { leftover } = await stores.clean(server.url());
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["a", "lock", "login"], ["session"]]);
    expect(await target.keys("*")).toEqual(expect.not.arrayContaining(["code", "lock", "session"]));
    expect([await target.get("login"), await expiry("login")]).toEqual(["ada", HOUR]);
  });

  test("are left alone during a run that does not change them, and keep their time at its end", async () => {
    let asked = 1;
    const system = await openAdapter({ url: server.url() }, { borrowed: true, asked: () => asked });
    await system.root();
    const mark = await system.mark();
    const step = async (...write: [string, ...string[]]): Promise<void> => {
      asked++;
      await target.call(...write);
      expect(await system.changed(mark)).toBe(true);
      await system.restore(mark);
      expect(await system.changed(mark)).toBe(false);
    };
    await step("SET", "a", "changed");
    await step("DEL", "login");
    expect([await target.get("login"), await expiry("login")]).toEqual(["ada", HOUR]);
    // More than half of its time is over.
    await new Promise((resolve) => setTimeout(resolve, now + 900 - Date.now()));
    await step("SET", "a", "changed");
    expect(await expiry("lock")).toBe(1500);
    await expired("code");
    await step("SET", "a", "changed");
    await step("SET", "code", "of the run", "EX", "100");
    expect(await target.exists("code")).toBe(0);
    await expired("lock");
    expect(await system.changed(mark)).toBe(false);
    asked++;
    await target.del("login");
    await target.call("SET", "made", "1", "EX", "100");
    expect(await system.changed(mark)).toBe(true);
    await system.close();
    expect((await target.keys("*")).sort()).toEqual(["a", "login", "order", "session", "\xff"]);
    expect([await target.get("login"), await expiry("login")]).toEqual(["ada", HOUR]);
  });
});

describe("lifetimes of hash fields (Redis 7.4, Valkey 9)", () => {
  beforeEach(async (context) => {
    if (((await target.call("COMMAND", "INFO", "HPEXPIRETIME")) as unknown[])[0] === null) context.skip("This server is older.");
    await target.hset("cart", "a", "1", "b", "2");
    await target.call("HPEXPIREAT", "cart", 4_102_444_800_000, "FIELDS", 1, "a");
  });
  const times = (...fields: string[]): Promise<unknown> => target.call("HPEXPIRETIME", "cart", "FIELDS", fields.length, ...fields);

  test("are restored, and lifetimes that the user changed since stay", async () => {
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    const mark = await system.mark();
    await target.call("HPERSIST", "cart", "FIELDS", 1, "a");
    expect(await system.changed(mark)).toBe(true);
    await system.restore(mark);
    expect(await times("a", "b")).toEqual([4_102_444_800_000, -1]);
    await target.call("HPEXPIREAT", "cart", 4_102_444_900_000, "FIELDS", 1, "b");
    await target.set("a", "changed");
    expect(await system.changed(mark)).toBe(true);
    await endHeartbeats();
    await target.call("HPERSIST", "cart", "FIELDS", 1, "a");
    const { leftover } = await stores.clean(server.url());
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["a"], ["cart"]]);
    expect(await times("a", "b")).toEqual([-1, 4_102_444_900_000]);
  });

  test("that end during a run are no write of another client, and do not begin again", async () => {
    let asked = 1;
    const soon = async (key: string): Promise<unknown> => target.call("HPEXPIREAT", key, Date.now() + 300, "FIELDS", 1, "b");
    await soon("cart");
    const system = await openAdapter({ url: server.url() }, { borrowed: true, asked: () => asked });
    await system.root();
    const mark = await system.mark();
    asked++;
    await target.hset("own", "a", "1", "b", "2");
    await soon("own");
    expect(await system.changed(mark)).toBe(true);
    const own = await system.mark();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await system.changed(own)).toBe(true);
    await system.restore(mark);
    expect(await system.changed(mark)).toBe(false);
    asked++;
    await target.hset("cart", "c", "3");
    expect(await system.changed(mark)).toBe(true);
    await system.restore(mark);
    expect(await system.changed(mark)).toBe(false);
    await system.close();
    expect(await target.hgetall("cart")).toEqual({ a: "1" });
    expect(await target.exists("own")).toBe(0);
  });

  test("a hash whose fields have all expired counts as missing", async () => {
    await target.hset("codes", "x", "1");
    await target.call("HPEXPIREAT", "codes", Date.now() + 300, "FIELDS", 1, "x");
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    const mark = await system.mark();
    await target.multi().del("codes").set("a", "changed").exec();
    expect(await system.changed(mark)).toBe(true);
    await endHeartbeats();
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { leftover } = await stores.clean(server.url());
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["a"], []]);
    expect(await target.exists("codes")).toBe(0);
  });
});

test("a run that was killed before all was saved has changed nothing, and nothing is put back", async () => {
  const run = runs.start(borrow(server.url()));
  expect(await run.said()).toBe("open");
  for (let db = 1; db < 16; db++) await server.client(db).hdel("__seqqa__:db:0", "saved");
  await target.set("a", "of the user since");
  await run.kill();
  expect((await stores.clean(server.url())).removed).toEqual([expect.stringMatching(/^the record that run \S+ uses database 0$/)]);
  expect(await target.get("a")).toBe("of the user since");
});

describe("a server that evicts keys at its memory limit", () => {
  const limit = async (maxmemory: string, policy: string): Promise<void> => {
    await target.config("SET", "maxmemory", maxmemory, "maxmemory-policy", policy);
  };
  afterEach(() => limit("0", "noeviction"));
  const fill = async (): Promise<void> => {
    for (let i = 0; i < 1800; i++) void target.set(`cache ${i}`, `${i}`.padEnd(10_000), "PXAT", 4_102_444_800_000);
    await target.ping();
  };

  test.each([
    ["allkeys-lru", "1gb", "may evict any key when it reaches its memory limit (allkeys-lru)"],
    ["volatile-lru", "30mb", "may evict keys with an expiry time (volatile-lru)"],
  ])("is refused before anything is written: %s", async (policy, maxmemory, says) => {
    await fill();
    await limit(maxmemory, policy);
    const before = await everything();
    await expect(openAdapter({ url: server.url() }, { borrowed: true })).rejects.toMatchObject({
      code: "STORE_UNSUPPORTED",
      exitStatus: 2,
      message: expect.stringContaining(says) as string,
      hint: expect.stringContaining("CONFIG SET maxmemory-policy noeviction") as string,
    });
    expect(await everything()).toBe(before);
    expect(await target.info("stats")).toContain("evicted_keys:0");
  });

  test("is used if it evicts only keys with an expiry time, and has room for the copy", async () => {
    await fill();
    await limit("1gb", "volatile-lru");
    const before = await everything();
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await change();
    await system.close();
    expect(await everything()).toBe(before);
  });
});

test("a user who may not call DUMP leaves no key behind", async () => {
  await target.call("ACL", "SETUSER", "few", "on", ">pw", "~*", "&*", "+@all", "-dump");
  try {
    const before = await everything();
    const url = server.url().replace("redis://", "redis://few:pw@");
    await expect(openAdapter({ url }, { borrowed: true })).rejects.toMatchObject({ code: "STORE_NOT_ALLOWED" });
    expect(await everything()).toBe(before);
  } finally {
    await target.call("ACL", "DELUSER", "few");
  }
});

describe("a server that has reached maxmemory during a run", () => {
  test("is restored: the restore may use more memory", async () => {
    const before = await everything();
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    const mark = await system.mark();
    await target.rpush("list", "x");
    await target.del("a", "order", "session");
    await target.config("SET", "maxmemory", "1mb");
    try {
      await expect(target.set("b", "1")).rejects.toThrow("OOM");
      await system.observe();
      await system.restore(mark);
      await target.del("a", "order");
      await system.close();
    } finally {
      await target.config("SET", "maxmemory", "0");
    }
    expect(await everything()).toBe(before);
  });

  test("is restored by clean after a SIGKILL", async () => {
    const before = await everything();
    const run = runs.start(look(server.url()));
    expect(await run.said()).toBe("open");
    await target.del("a", "order");
    expect(await run.said()).toBe("recorded");
    await run.kill();
    await target.config("SET", "maxmemory", "1mb");
    try {
      expect((await stores.clean(server.url())).leftover).toMatchObject({ undo: [{ key: "a" }, { key: "order" }], keep: [] });
    } finally {
      await target.config("SET", "maxmemory", "0");
    }
    expect(await everything()).toBe(before);
  });
});

test("a lane of the same run that cannot restore what an earlier lane changed leaves the records for clean", async () => {
  const before = await everything();
  const { giveBack } = ExternalStore.prototype;
  vi.spyOn(ExternalStore.prototype, "giveBack").mockImplementation(function (this: ExternalStore) {
    this.abandon();
    return Promise.resolve();
  });
  const system = await openAdapter({ url: server.url() }, { borrowed: true });
  await system.root();
  await change();
  await system.mark();
  await system.close();
  ExternalStore.prototype.giveBack = giveBack;
  await endHeartbeats();
  const apply = vi.spyOn(Keyspace.prototype, "apply").mockRejectedValue(new Error("no memory"));
  await expect(openAdapter({ url: server.url() }, { borrowed: true })).rejects.toThrow("no memory");
  apply.mockRestore();
  await endHeartbeats();
  expect((await stores.clean(server.url())).leftover?.undo.map(({ key }) => key)).toEqual(["a", "new", "order", "session"]);
  expect(await everything()).toBe(before);
});

describe("SWAPDB during a run", () => {
  test("is noticed before a key of the other database is deleted, also by clean", async () => {
    const other = server.client(7);
    await other.set("theirs", "1");
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    const mark = await system.mark();
    await target.set("a", "changed");
    await system.observe();
    await target.call("SWAPDB", "0", "7");
    const error = { code: "STORE_SWAPPED", exitStatus: 3 };
    await expect(system.restore(mark)).rejects.toMatchObject(error);
    await expect(system.close()).rejects.toMatchObject(error);
    expect(await target.get("theirs")).toBe("1");
    expect(await other.get("a")).toBe("changed");
    await target.call("SWAPDB", "0", "7");
    await endHeartbeats();
    expect((await stores.clean(server.url())).leftover).toMatchObject({ undo: [{ key: "a" }], keep: [] });
    expect([await target.get("a"), await other.get("theirs")]).toEqual(["1", "1"]);
  });

  test("after the last read is noticed by close", async () => {
    const other = server.client(7);
    await other.set("theirs", "1");
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    await target.set("a", "changed");
    await target.call("SWAPDB", "0", "7");
    await expect(system.close()).rejects.toMatchObject({ code: "STORE_SWAPPED" });
    expect(await target.get("theirs")).toBe("1");
  });
});

describe("FLUSHALL during a run", () => {
  const flushed = { code: "STORE_FLUSHED", exitStatus: 3 };

  test("that emptied another database ends the run, and the own database goes back", async () => {
    const [other, third] = [server.client(7), server.client(9)];
    await other.set("theirs", "1");
    await third.set("theirs", "1");
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    const mark = await system.mark();
    await change();
    await system.observe();
    await target.flushall();
    await target.set("a", "after");
    await expect(system.restore(mark)).rejects.toMatchObject({
      ...flushed,
      message: expect.stringMatching(/FLUSHALL.*restores only database 0.*keys of databases 7 and 9 are lost/) as string,
    });
    await expect(system.restore(mark)).rejects.toMatchObject(flushed);
    await expect(system.close()).rejects.toMatchObject(flushed);
    expect([await target.get("a"), await target.hget("order", "status"), await target.exists("new")]).toEqual(["1", "new", 0]);
    await Promise.all([other.set("theirs", "2"), third.del("theirs")]);
    expect((await everything()).split("\n").filter((line) => line.includes("seqqa"))).toEqual([]);
  });

  test("after the last read is noticed by close", async () => {
    const other = server.client(7);
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    await other.set("later than the root", "1");
    await system.observe();
    await target.multi().set("a", "changed").flushall().exec();
    await expect(system.close()).rejects.toMatchObject(flushed);
    expect([await target.get("a"), await target.hget("order", "status")]).toEqual(["1", "new"]);
  });

  test("that emptied only databases of seqqa does not end the run", async () => {
    const other = server.client(7);
    await other.set("theirs", "1");
    const before = await everything();
    const [system, second] = [
      await openAdapter({ url: server.url() }, { borrowed: true }),
      await openAdapter({ url: server.url(7) }, { borrowed: true }),
    ];
    const marks = [await system.mark(), await second.mark()];
    for (let i = 0; i < 2; i++) {
      await target.flushall();
      await Promise.all([system.restore(marks[0]), second.restore(marks[1])]);
      expect([await target.get("a"), await other.get("theirs")]).toEqual(["1", "1"]);
    }
    await system.close();
    await second.close();
    expect(await everything()).toBe(before);
  }, 30_000);
});

describe("a copy of the original content that the server evicted", () => {
  const evict = async (): Promise<void> => {
    let evicted = 0;
    for (let db = 1; db < 16; db++) evicted += await server.client(db).del("__seqqa__:saved:0");
    expect(evicted).toBe(1);
  };

  test("is not needed by the run itself", async () => {
    const before = await everything();
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    await system.root();
    await change();
    await system.mark();
    await evict();
    await system.close();
    expect(await everything()).toBe(before);
  });

  test("makes clean fail after a SIGKILL, and no key is touched", async () => {
    const run = runs.start(look(server.url()));
    expect(await run.said()).toBe("open");
    await target.multi().set("a", "changed").hset("order", "status", "paid").exec();
    expect(await run.said()).toBe("recorded");
    await run.kill();
    await target.hset("order", "status", "new");
    await evict();
    const left = await everything();
    const lost = {
      code: "STORE_NOT_PUT_BACK",
      message: expect.stringContaining("The server has evicted or lost the copy of the original keys") as string,
    };
    await expect(stores.clean(server.url(), { dryRun: true })).rejects.toMatchObject(lost);
    await expect(openAdapter({ url: server.url() }, { borrowed: true })).rejects.toMatchObject(lost);
    expect(await everything()).toBe(left);
    await expect(stores.clean(server.url())).rejects.toMatchObject(lost);
    expect(await target.mget("a", "\xff")).toEqual(["changed", "2"]);
  });
});
