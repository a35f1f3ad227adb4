import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { redis } from "../../../support/services/kinds.ts";
import { answers, freePort } from "../../../support/services/service.ts";
import { openAdapter } from "./scratch.ts";

let port: number;
let directory: string;
let child: ChildProcess;

async function start(): Promise<void> {
  const started = redis.start(port, directory);
  if (started === undefined) throw new Error("redis-server is not installed");
  child = started;
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function kill(): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

beforeEach(async () => {
  [port, directory] = [await freePort(), mkdtempSync(join(tmpdir(), "seqqa-redis-restart-"))];
  await start();
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) await kill();
  rmSync(directory, { recursive: true, force: true });
});

async function fill(): Promise<Redis> {
  const target = new Redis(port, "127.0.0.1");
  target.on("error", () => undefined);
  await target.mset("a", "1", "b", "2");
  await target.rpush("list", "x");
  return target;
}

test.each([false, true])("a server that lost everything in the middle of a branch is put back (borrowed: %s)", async (borrowed) => {
  const target = await fill();
  const system = await openAdapter({ url: `redis://127.0.0.1:${port}/0`, isolation: "index" }, { borrowed });
  await system.root();
  const [mark, dump] = [await system.mark(), await system.dump()];
  await target.set("a", "2");
  await kill();
  await start();
  await target.set("new", "1");
  expect(await system.changed(mark)).toBe(true);
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
  expect(await system.changed(mark)).toBe(false);
  await target.set("a", "3");
  expect(await system.changed(mark)).toBe(true);
  await system.close();
  if (borrowed) expect(await target.keys("*")).toHaveLength(3);
  if (borrowed) expect(await target.mget("a", "b")).toEqual(["1", "2"]);
  if (borrowed) expect(await target.info("keyspace")).not.toContain("db15");
  target.disconnect();
});

test("one of a lane's own that does not come back is an error soon, and at once from then on", async () => {
  const target = await fill();
  target.disconnect();
  const system = await openAdapter({ url: `redis://127.0.0.1:${port}/0` });
  const mark = await system.mark();
  await kill();
  const started = performance.now();
  await expect(system.changed(mark)).rejects.toMatchObject({ code: "STORE_LOST", exitStatus: 3 });
  const first = performance.now() - started;
  // One that others share is waited for for 20 s.
  expect(first).toBeLessThan(10_000);
  const again = performance.now();
  await expect(system.restore(mark)).rejects.toMatchObject({ code: "STORE_LOST" });
  expect(performance.now() - again).toBeLessThan(first / 2);
}, 20_000);

test("one that others share is waited for, and is an error when that was in vain", async () => {
  const system = await openAdapter({ url: `redis://127.0.0.1:${port}/0`, isolation: "index" });
  const mark = await system.mark();
  await kill();
  const started = performance.now();
  await expect(system.changed(mark)).rejects.toMatchObject({
    code: "STORE_LOST",
    message: expect.stringContaining("within 20 s") as string,
  });
  expect(performance.now() - started).toBeGreaterThan(18_000);
}, 60_000);

test("what was under way when a dying server takes connections and drops them is an error too", async () => {
  const sockets = new Set<Socket>();
  let dying = false;
  const proxy = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    const server = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.on("data", (bytes) => (dying ? undefined : server.write(bytes))).on("close", () => server.destroy());
    server.on("data", (bytes) => socket.write(bytes));
    if (dying) setTimeout(() => socket.destroy(), 20);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const system = await openAdapter({ url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}/0` });
  const mark = await system.mark();
  dying = true;
  const failed = expect(system.changed(mark)).rejects.toMatchObject({ code: "STORE_LOST" });
  setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, 50);
  await failed;
  await system.close();
  proxy.close();
}, 20_000);
