import { connect, createServer, type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { size } from "../../../sizes.ts";
import { openAdapter, ownServer, rows } from "./scratch.ts";

const server = ownServer();
let target: Redis;
let system: RedisAdapter;

/** Passes on what a server says after 20 ms, on connections that listen to notifications. */
async function slowNotifications(port: number): Promise<{ readonly port: number; readonly close: () => void }> {
  const proxy = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let slow = false;
    client.on("data", (data) => {
      slow ||= data.toString("latin1").toLowerCase().includes("psubscribe");
      upstream.write(data);
    });
    upstream.on("data", (data) => void (slow ? setTimeout(() => client.write(data), 20) : client.write(data)));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("close", () => other.destroy());
      one.on("error", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return { port: (proxy.address() as AddressInfo).port, close: () => void proxy.close() };
}

beforeEach(async () => {
  target = server.client();
  await target.mset("a", "1", "b", "2");
  await target.rpush("list", "x", "y");
});

async function begin(): Promise<{ mark: unknown; dump: string }> {
  system = await openAdapter({ url: server.url() });
  await system.root();
  return { mark: await system.mark(), dump: await system.dump() };
}

/** What the target does in a branch is seen, and put back. */
async function undoes(branch: () => Promise<unknown>): Promise<void> {
  const { mark, dump } = await begin();
  await branch();
  expect(await system.dump()).not.toBe(dump);
  expect(await system.changed(mark)).toBe(true);
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
  expect(await system.changed(mark)).toBe(false);
  // Without having looked in between.
  await branch();
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
  expect(rows(await system.observe())).toEqual([]);
}

describe("changes that no notification tells of", () => {
  test("FLUSHDB", () => undoes(() => target.flushdb()));
  test("FLUSHDB, and the same number of keys again", () =>
    undoes(async () => {
      await target.flushdb();
      await target.mset("a", "1", "b", "other", "c", "3");
    }));
  test("FLUSHALL ASYNC", () => undoes(() => target.flushall("ASYNC")));
  test("FLUSHALL in a script", () => undoes(() => target.eval("return redis.call('FLUSHALL')", 0)));
  test("SWAPDB", async () => {
    await server.client(1).set("a", "of another database");
    await undoes(() => target.call("SWAPDB", "0", "1"));
  });

  describe("in consumer groups", () => {
    beforeEach(async () => {
      await target.xadd("s", "1-1", "n", "1");
      await target.xadd("s", "2-1", "n", "2");
      await target.xadd("s", "3-1", "n", "3");
      await target.xgroup("CREATE", "s", "g", "0");
      await target.xreadgroup("GROUP", "g", "ann", "COUNT", 2, "STREAMS", "s", ">");
      await target.xgroup("CREATECONSUMER", "s", "g", "bob");
    });
    test("XACK", () => undoes(() => target.xack("s", "g", "1-1")));
    test("XACK in a script", () => undoes(() => target.eval("return redis.call('XACK', 's', 'g', '1-1')", 0)));
    test("XREADGROUP", () => undoes(() => target.xreadgroup("GROUP", "g", "bob", "STREAMS", "s", ">")));
    test("XREADGROUP of what is pending", () =>
      undoes(async () => (await pause(2), target.xreadgroup("GROUP", "g", "ann", "STREAMS", "s", "0"))));
    test("XCLAIM", () => undoes(() => target.xclaim("s", "g", "bob", 0, "1-1")));
    test("XAUTOCLAIM", () => undoes(() => target.xautoclaim("s", "g", "bob", 0, "0")));
    test("XGROUP SETID", () => undoes(() => target.xgroup("SETID", "s", "g", "0")));
    test("XGROUP DESTROY", () => undoes(() => target.xgroup("DESTROY", "s", "g")));
    test("a pending entry whose stream has lost it", () => undoes(() => target.xdel("s", "1-1")));
  });

  test("what PFCOUNT remembers", async () => {
    await target.pfadd("h", "a", "b");
    await undoes(() => target.pfcount("h"));
  });
});

describe("notifications that do not come", () => {
  test("the target turns them off", () =>
    undoes(async () => {
      await target.config("SET", "notify-keyspace-events", "Ex");
      await target.set("a", "unheard");
    }));

  test("they are turned on again", async () => {
    const { mark } = await begin();
    await target.config("SET", "notify-keyspace-events", "");
    expect(await system.changed(mark)).toBe(false);
    await target.set("a", "heard");
    expect(await system.changed(mark)).toBe(true);
  });

  test("what the target asked for stays on beside them", async () => {
    await target.config("SET", "notify-keyspace-events", "Ex");
    await begin();
    const [, flags] = (await target.config("GET", "notify-keyspace-events")) as string[];
    expect([...flags!].sort().join("")).toBe("AEK");
  });

  test("the counters are reset, and stand where they stood", async () => {
    await target.flushdb();
    await target.set("a", "1");
    await undoes(async () => {
      await target.config("RESETSTAT");
      await target.flushdb();
      await target.set("b", "1");
    });
  });

  test("the connection that hears them is cut", () =>
    undoes(async () => {
      await target.call("CLIENT", "KILL", "TYPE", "pubsub");
      await target.set("a", "unheard");
    }));

  test("both connections are cut", () =>
    undoes(async () => {
      await target.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await target.call("CLIENT", "KILL", "TYPE", "pubsub");
      await target.del("list");
    }));

  test("the scripts are flushed", () =>
    undoes(async () => {
      await target.script("FLUSH");
      await target.set("a", "2");
    }));
});

test("every write that was answered is seen at once", async () => {
  const { mark } = await begin();
  for (let i = 0; i < size(80, 5000); i++) {
    await target.set("a", `value ${i}`);
    expect(await system.changed(mark), `write ${i}`).toBe(true);
    await system.restore(mark);
    expect(await system.changed(mark), `write ${i}`).toBe(false);
  }
});

test("nor is one missed when notifications come late", async () => {
  const proxy = await slowNotifications(Number(new URL(server.url()).port));
  try {
    system = await openAdapter({ url: `redis://127.0.0.1:${proxy.port}/0` });
    const [mark, dump] = [await system.mark(), await system.dump()];
    for (let i = 0; i < 5; i++) {
      await target.set("a", `value ${i}`);
      expect(await system.changed(mark), `write ${i}`).toBe(true);
      await target.set("b", `value ${i}`);
      await system.restore(mark);
      expect(await system.dump(), `write ${i}`).toBe(dump);
    }
    await system.close();
  } finally {
    proxy.close();
  }
});

test("a write during a put-back is not taken for ours", async () => {
  const { mark, dump } = await begin();
  const late = server.client();
  for (let i = 0; i < size(40, 3000); i++) {
    for (let k = 0; k < 20; k++) void target.set(`key ${k}`, String(i));
    await target.ping();
    const back = system.restore(mark);
    for (let k = 0; k < 10; k++) {
      void late.set("key 5", `late ${k}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([back, late.ping()]);
    if ((await system.dump()) !== dump) expect(await system.changed(mark), `round ${i}`).toBe(true);
    await system.restore(mark);
    expect(await system.dump(), `round ${i}`).toBe(dump);
  }
});

describe("keys that expire", () => {
  const left = async (key: string): Promise<number> => Number(await target.call("PEXPIRETIME", key)) - Date.now();

  test("one that expired in the branch comes back, with the time that it had left", async () => {
    await target.set("session", "ada", "PX", 1000);
    const { mark } = await begin();
    await pause(1050);
    expect(await system.changed(mark)).toBe(true);
    expect(rows(await system.observe())).toEqual(['- expires ["session",null]', '- string ["session","ada"]']);
    await system.restore(mark);
    expect(await target.get("session")).toBe("ada");
    expect(await left("session")).toBeGreaterThan(200);
    expect(await left("session")).toBeLessThanOrEqual(1010);
    expect(rows(await system.observe())).toEqual([]);
    // And again.
    await pause(1050);
    await system.restore(mark);
    expect(await target.get("session")).toBe("ada");
  });

  test("one that is gone by time alone is missed although nobody asked for it", async () => {
    // The server looks for such keys once a second.
    await target.config("SET", "hz", "1");
    await target.set("session", "ada", "PX", 600);
    const { mark } = await begin();
    await pause(650);
    expect(await system.changed(mark)).toBe(true);
    expect(rows(await system.observe())).toEqual(['- expires ["session",null]', '- string ["session","ada"]']);
  });

  test("one that is far from its end keeps its very time", async () => {
    await target.set("session", "ada", "PXAT", 4_102_444_800_123);
    const { mark } = await begin();
    await target.del("session");
    await system.restore(mark);
    expect(await target.call("PEXPIRETIME", "session")).toBe(4_102_444_800_123);
    await target.persist("session");
    expect(rows(await system.observe())).toEqual(['- expires ["session",null]']);
    await system.restore(mark);
    expect(await target.call("PEXPIRETIME", "session")).toBe(4_102_444_800_123);
  });

  test("one that nobody touched is given its time anew before it ends", async () => {
    await target.set("session", "ada", "PX", 1000);
    const { mark } = await begin();
    for (let i = 0; i < 6; i++) {
      await pause(250);
      await target.set("a", String(i));
      await system.restore(mark);
      expect(await left("session"), `round ${i}`).toBeGreaterThan(150);
    }
    expect(await target.get("session")).toBe("ada");
  });

  test.each(["Ex", ""])("one whose time passes with the clock of the target expires, and is no deletion: %j", async (flags) => {
    await target.config("SET", "notify-keyspace-events", flags);
    await target.set("hold", "1", "PX", 3_600_000);
    await target.set("login", "1", "PX", 36_000_000);
    const { mark, dump } = await begin();
    const events: string[] = [];
    const listener = server.client();
    await listener.psubscribe("__keyevent@0__:*");
    listener.on("pmessage", (_pattern: string, channel: string, key: string) => void events.push(`${channel.split(":")[1]} ${key}`));
    // The server makes seqqa's write wait for longer than the key is to live.
    await target.call("CLIENT", "PAUSE", "100", "WRITE");
    await system.passTime(7_200_000);
    expect(rows(await system.observe())).toEqual(['- expires ["hold",null]', '- string ["hold","1"]']);
    expect([await target.exists("hold"), await target.exists("login")]).toEqual([0, 1]);
    await listener.ping();
    expect(events.filter((one) => /^(?:expired|del) /.test(one))).toEqual(flags === "" ? [] : ["expired hold"]);
    await system.restore(mark);
    expect(await system.dump()).toBe(dump);
  });

  test("an image of long ago is written with the time that was left", async () => {
    const { mark } = await begin();
    await target.set("code", "123", "PX", 600);
    const image = structuredClone(await system.capture());
    await system.restore(mark);
    await pause(650);
    await system.write(image);
    expect(await target.get("code")).toBe("123");
    expect(await left("code")).toBeGreaterThan(10);
  });
});

test("keys and values are bytes", () =>
  undoes(async () => {
    await target.set(Buffer.from([0xff, 0, 0x0d, 0x0a, 0x80]), Buffer.from([0xfe, 0]));
    await target.hset(Buffer.from([0xc3, 0x28]), Buffer.from([1, 0xff]), Buffer.from([0]));
  }));

test("a value too large for one packet is put back", async () => {
  await target.set("large", Buffer.alloc(3_000_000, 0xab));
  await target.rpush("long", ...Array.from({ length: 5000 }, (_, i) => `item ${i}`));
  await undoes(() => target.del("large", "long"));
});

test("more keys than go into one script are put back", () =>
  undoes(async () => {
    for (let i = 0; i < 1200; i++) void target.set(`many ${i}`, String(i));
    await target.del("a");
  }));

test("a mark that a put-back to an older one has undone is refused", async () => {
  const { mark } = await begin();
  await target.set("a", "2");
  const later = await system.mark();
  await system.restore(mark);
  await expect(system.restore(later)).rejects.toMatchObject({ code: "MARK_INVALID" });
});

test("after a restart of the target marks stay valid, and what it wrote at its start is a change", async () => {
  const { mark, dump } = await begin();
  await system.close();
  await target.set("a", "started");
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
  expect(await system.changed(mark)).toBe(true);
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
});
