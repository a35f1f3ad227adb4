import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { stores } from "../../../../src/adapters/redis/index.ts";
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

/** Everything on the server, and its setting. */
async function everything(): Promise<string> {
  const all: string[] = [(((await target.config("GET", "notify-keyspace-events")) as string[])[1] ?? "").split("").sort().join("")];
  for (let db = 0; db < 16; db++) {
    const one = server.client(db);
    for (const key of (await one.keys("*")).sort())
      all.push(`${db} ${key} ${(await one.dumpBuffer(key))?.toString("hex")} ${await one.call("PEXPIRETIME", key)}`);
    one.disconnect();
  }
  return all.join("\n");
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
  expect(await stores.clean(server.url())).toEqual([]);
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

describe("after a SIGKILL", () => {
  let before: string;
  beforeEach(async () => {
    await target.config("SET", "notify-keyspace-events", "Ex");
    before = await everything();
    const run = runs.start(borrow(server.url()));
    expect(await run.said()).toBe("open");
    await change();
    await run.kill();
    expect(await everything()).not.toBe(before);
  });

  test("clean puts it back", async () => {
    expect(await stores.clean(server.url())).toEqual([expect.stringMatching(/^changes of run \w+ in database 0$/)]);
    expect(await everything()).toBe(before);
    expect(await stores.clean(server.url())).toEqual([]);
  });

  test("the next run puts it back before it begins", async () => {
    const system = await openAdapter({ url: server.url() }, { borrowed: true });
    expect(await target.get("a")).toBe("1");
    expect(await target.exists("new")).toBe(0);
    await system.root();
    await change();
    await system.close();
    expect(await everything()).toBe(before);
  });

  test("two that clean at once do not meet", async () => {
    const removed = await Promise.all([stores.clean(server.url()), stores.clean(server.url()), stores.clean(server.url())]);
    expect(removed.flat()).toHaveLength(1);
    expect(await everything()).toBe(before);
  });
});

test("after FLUSHALL in a branch and a SIGKILL it is put back too", async () => {
  const before = await everything();
  const run = runs.start(`${borrow(server.url())}
    for (;;) { const changed = await system.changed(mark); if (changed) { await system.restore(mark); return say("restored"); } }`);
  expect(await run.said()).toBe("open");
  await target.flushall();
  expect(await run.said()).toBe("restored");
  await change();
  await run.kill();
  await stores.clean(server.url());
  expect(await everything()).toBe(before);
});

test("a run that was killed before all was saved has changed nothing, and nothing is put back", async () => {
  const run = runs.start(borrow(server.url()));
  expect(await run.said()).toBe("open");
  for (let db = 1; db < 16; db++) await server.client(db).hdel("__seqqa__:db:0", "saved");
  await target.set("a", "of the user since");
  await run.kill();
  expect(await stores.clean(server.url())).toEqual([expect.stringMatching(/^claim of run \w+ on database 0$/)]);
  expect(await target.get("a")).toBe("of the user since");
});
