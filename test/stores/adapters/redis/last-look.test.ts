import type { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import type { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { openAdapter, ownServer, rows } from "./scratch.ts";

const server = ownServer();
let target: Redis;
let system: RedisAdapter;
let mark: unknown;
let dump: string;

beforeEach(async () => {
  target = server.client();
  await target.mset("a", "1", "b", "2");
  system = await openAdapter({ url: server.url() });
  await system.root();
  mark = await system.mark();
  dump = await system.dump();
  await target.set("a", "changed");
  expect(await system.changed(mark)).toBe(true);
});

test("a restore from the last look ends with one", async () => {
  expect(await system.lastLook()!.restore(mark)).toBe(true);
  expect(system.lastLook()!.mark).toBe(mark);
  expect(await system.dump()).toBe(dump);
});

test.each([
  ["another key", () => target.set("c", "3")],
  ["the same key", () => target.set("a", "again")],
  ["a removal", () => target.del("b")],
  ["FLUSHDB", () => target.flushdb()],
  ["FLUSHALL", () => target.flushall()],
  ["a stream's group", () => target.xgroup("CREATE", "stream", "group", "$", "MKSTREAM")],
])("%s that was written since the last look is not overwritten", async (_what, write) => {
  const look = system.lastLook()!;
  await write();
  const now = await system.dump();
  expect(await look.restore(mark)).toBe(false);
  expect(await system.dump()).toBe(now);
  expect(await system.changed(look.mark)).toBe(true);
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
});

test("writes to other databases of the server are in nobody's way", async () => {
  const other = server.client(1);
  for (let i = 0; i < 3; i++) {
    const look = system.lastLook()!;
    await other.set("n", String(i));
    expect(await look.restore(mark)).toBe(true);
    expect(await system.dump()).toBe(dump);
    await target.set("a", `changed ${i}`);
    expect(await system.changed(mark)).toBe(true);
  }
});

test("a server that was saved since the last look counts anew", async () => {
  const look = system.lastLook()!;
  await target.save();
  expect(await look.restore(mark)).toBe(true);
  expect(await system.dump()).toBe(dump);
});

test("a key that was told of and is written again while it is read is read again", async () => {
  for (let i = 0; i < 50; i++) {
    await target.set("a", `first ${i}`);
    const [changed] = await Promise.all([system.changed(mark), target.set("a", `second ${i}`)]);
    expect(changed).toBe(true);
    expect(await system.observe()).toEqual(await system.observe());
    expect(rows(await system.observe()).join()).toContain(`second ${i}`);
  }
});
