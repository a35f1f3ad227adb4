import { Redis } from "ioredis";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { RedisAdapter, stores } from "../../../../src/adapters/redis/index.ts";
import type { Checkpoint, HeldWrite, WriteFault, WriteFaults } from "../../../../src/model/stores/store-adapter.ts";
import type { StoreProvider } from "../../../../src/model/stores/store-provider.ts";
import { template } from "../../../support/store-templates.ts";

const KINDS: readonly WriteFault[] = ["error", "cut", "kill"];

describe("write faults of redis", () => {
  let directory: string;
  let provider: StoreProvider;
  let system: RedisAdapter;
  let faults: WriteFaults;
  let mark: Checkpoint;
  let dump: string;
  let targetUrl: string;
  const clients: Redis[] = [];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "seqqa-redis-faults-"));
    provider = stores.createProvider({ name: "cache", url: await template("redis"), runId: "1f2e", directory, faulty: true });
    const url = await provider.provide(0, 0);
    targetUrl = provider.targetUrl!(url)!;
    expect(targetUrl).not.toBe(url);
    system = new RedisAdapter({ url, targetUrl });
    await system.open({ name: "cache", laneIndex: 0, inProcess: false, borrowed: false, faulty: true });
    const found = system.writeFaults();
    if (found.kind === "none") throw new Error(found.why);
    faults = found;
    await system.root();
    mark = await system.mark();
    dump = await system.dump();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect();
    await system.close();
    await provider.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A connection of the target. It does not come back once it is lost. */
  function target(): Redis {
    const client = new Redis(targetUrl, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on("error", () => undefined);
    clients.push(client);
    return client;
  }

  async function count(call: () => Promise<unknown>): Promise<number> {
    await faults.watch();
    const number = await faults.watched(call());
    await system.restore(mark);
    return number;
  }

  async function fail(
    write: number,
    fault: WriteFault,
    call: (client: Redis) => Promise<unknown>,
  ): Promise<{ readonly failed: HeldWrite | undefined; readonly end: unknown }> {
    const client = target();
    await client.ping();
    await faults.arm(write, fault);
    const done = call(client).catch((error: unknown) => error);
    const failed = await faults.failed(done, () => Promise.resolve(client.disconnect()));
    const end = await done;
    await faults.disarm();
    await faults.watch();
    return { failed, end };
  }

  const two = async (client: Redis): Promise<void> => {
    await client.set("payment:1", "5");
    await client.hset("order:1", "paid", "1");
  };

  test("writes are counted, and nothing else", async () => {
    const client = target();
    expect(await count(() => two(client))).toBe(2);
    expect(await count(() => client.get("order:1"))).toBe(0);
    expect(await count(() => client.blpop("nothing", 0.01))).toBe(0);
    expect(await count(() => client.eval("return redis.call('incr', 'n')", 0))).toBe(1);
    expect(await count(() => client.pipeline().set("a", "1").get("a").del("a").exec())).toBe(2);
    expect(await system.dump()).toBe(dump);
  });

  test.each(KINDS)("the first write fails (%s), and the second is not made", async (kind) => {
    const { failed, end } = await fail(1, kind, two);
    expect(failed).toEqual({ statement: "SET payment" });
    expect(end).toBeInstanceOf(Error);
    expect(await system.dump()).toBe(dump);
  });

  test.each(KINDS)("the second write fails (%s), and the first stays", async (kind) => {
    const { failed, end } = await fail(2, kind, two);
    expect(failed).toEqual({ statement: "HSET order" });
    expect(end).toBeInstanceOf(Error);
    expect(await system.command("GET", "payment:1")).toBe("5");
    expect(await system.command("EXISTS", "order:1")).toBe(0);
    await system.restore(mark);
    expect(await system.dump()).toBe(dump);
  });

  test.each(KINDS)("in a transaction no write is made (%s)", async (kind) => {
    const both = async (client: Redis): Promise<void> =>
      void (await client.multi().set("payment:1", "5").hset("order:1", "paid", "1").exec());
    for (const write of [1, 2]) {
      const { failed, end } = await fail(write, kind, both);
      expect(failed).toBeDefined();
      expect(end).toBeInstanceOf(Error);
      expect(await system.dump()).toBe(dump);
    }
  });

  test("in a pipeline only the chosen write fails, and the replies stay in order", async () => {
    const { end } = await fail(2, "error", (client) => client.pipeline().set("a", "1").set("b", "2").get("a").set("c", "3").exec());
    const replies = end as [Error | null, unknown][];
    expect(replies.map(([error, value]) => (error === null ? value : "failed"))).toEqual(["OK", "failed", "1", "OK"]);
    expect(await system.command("EXISTS", "b")).toBe(0);
  });

  it("lets everything pass that is not held, in whatever size", async () => {
    const client = target();
    const large = "x".repeat(3_000_000);
    await client.set("large", large);
    expect((await client.get("large")) === large).toBe(true);
    await faults.arm(1, "kill");
    const held = client.set("held", "1");
    expect(await faults.failed(new Promise(() => undefined), () => faults.disarm())).toEqual({ statement: "SET held" });
    expect(await held).toBe("OK");
  });

  it("names no part of a key but what it is for", async () => {
    const { failed } = await fail(1, "error", (client) => client.set("3f1c-secret", "1"));
    expect(failed).toEqual({ statement: "SET" });
  });

  it("is not there without a proxy", async () => {
    const plain = new RedisAdapter({ url: targetUrl });
    await plain.open({ name: "cache", laneIndex: 0, inProcess: false, borrowed: false, faulty: true });
    expect(plain.writeFaults()).toMatchObject({ kind: "none" });
    await plain.close();
  });
});
