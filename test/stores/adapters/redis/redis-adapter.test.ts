import { inspect } from "node:util";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { advanceClock, TargetClock } from "../../../../src/adapters/clock/index.ts";
import { Context, contextPartOf, type Values } from "../../../../src/model/context/context.ts";
import { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { RIGHTS } from "../../../../src/adapters/redis/connect/failures.ts";
import { openAdapter, ownServer, rows } from "./scratch.ts";

const server = ownServer();
let target: Redis;
beforeEach(() => {
  target = server.client();
});

describe("observation", () => {
  test("every type is rows, relative to the root", async () => {
    await target.set("string", "1");
    await target.hset("hash", "kept", "1", "gone", "2");
    await target.rpush("list", "a", "b");
    const system = await openAdapter({ url: server.url() });
    expect(rows(await system.root())).toEqual([
      '+ hash ["hash","gone","2"]',
      '+ hash ["hash","kept","1"]',
      '+ list ["list",0,"a"]',
      '+ list ["list",1,"b"]',
      '+ string ["string","1"]',
    ]);
    await target.hdel("hash", "gone");
    await target.rpush("list", "c");
    await target.append("string", "0");
    await target.expire("string", 1000);
    await target.sadd("set", "m");
    await target.zadd("zset", 1.5, "m", "-inf", "low");
    await target.xadd("stream", "5-1", "f", "v", "g", "w");
    await target.xgroup("CREATE", "stream", "group", "0");
    await target.xreadgroup("GROUP", "group", "ann", "STREAMS", "stream", ">");
    await target.set(Buffer.from([0xff]), Buffer.from([0x80]));
    expect(rows(await system.observe())).toEqual([
      '+ expires ["string",1800]',
      '+ list ["list",2,"c"]',
      '+ set ["set","m"]',
      '+ stream ["stream","5-1",0,"f","v",null]',
      '+ stream ["stream","5-1",1,"g","w",null]',
      '+ stream_consumer ["stream","group","ann"]',
      '+ stream_group ["stream","group","5-1"]',
      '+ stream_info ["stream","5-1"]',
      '+ stream_pending ["stream","group","5-1","ann",1,null]',
      '+ string ["bytes ff","bytes 80"]',
      '+ string ["string","10"]',
      '+ zset ["zset","low","-inf"]',
      '+ zset ["zset","m",1.5]',
      '- hash ["hash","gone","2"]',
      '- string ["string","1"]',
    ]);
  });

  test("a short lifetime and a long one tell states apart; a key that is written keeps its lifetime", async () => {
    const system = await openAdapter({ url: server.url() });
    await system.root();
    const root = await system.mark();
    const expires = async (): Promise<readonly string[]> => rows(await system.observe()).filter((row) => row.includes("expires"));
    await target.set("lock", "1", "PX", 700);
    expect(await expires()).toEqual(['+ expires ["lock",1]']);
    await target.incr("lock");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await target.incr("lock");
    expect(await expires()).toEqual(['+ expires ["lock",1]']);
    await system.restore(root);
    await target.set("lock", "3", "EX", 60);
    expect(await expires()).toEqual(['+ expires ["lock",60]']);
    const long = await system.mark();
    await target.expire("lock", 3600);
    expect(await system.changed(long)).toBe(true);
    expect(await expires()).toEqual(['+ expires ["lock",3600]']);
    await system.restore(long);
    expect(await expires()).toEqual(['+ expires ["lock",60]']);
  });

  test("lifetimes follow the target's clock when it is moved, and a restore brings them back", async () => {
    const system = await openAdapter({ url: server.url() });
    await target.set("root", "1", "EX", 7200);
    await target.set("kept", "1");
    await system.root();
    await target.set("session", "1", "EX", 3600);
    await target.set("code", "1", "EX", 600);
    const before = await system.mark();
    const dumped = rows(await system.observe());
    const clock = new (class extends TargetClock {
      readonly checkpoint = { mode: "offset", why: "" };
    })("clock", {});
    const context = new Context();
    contextPartOf(context as unknown as Context<never>).reach(() => ({ cache: system, clock }));
    const advance = advanceClock<Values, unknown>("30 minutes");
    await advance.run({}, context);
    expect((await target.keys("*")).sort()).toEqual(["kept", "root", "session"]);
    expect(rows(await system.observe()).filter((row) => row.includes("session"))).toContain('+ expires ["session",1800]');
    expect(Math.ceil((await target.ttl("session")) / 60)).toBe(30);
    const half = await system.mark();
    await advance.run({}, context);
    expect((await target.keys("*")).sort()).toEqual(["kept", "root"]);
    await system.restore(half);
    expect(Math.ceil((await target.ttl("session")) / 60)).toBe(30);
    await system.restore(before);
    expect(rows(await system.observe())).toEqual(dumped);
    expect(Math.ceil((await target.ttl("session")) / 60)).toBe(60);
  });

  test("the order of insertion means nothing, in large ones either", async () => {
    const system = await openAdapter({ url: server.url() });
    await system.root();
    const root = await system.mark();
    const members = Array.from({ length: 700 }, (_, i) => `member ${i}`);
    const build = async (order: readonly string[]): Promise<string[]> => {
      for (const one of order) void target.pipeline().sadd("set", one).hset("hash", one, "1").zadd("zset", 1, one).exec();
      await target.ping();
      const seen = rows(await system.observe());
      await system.restore(root);
      return seen;
    };
    const forwards = await build(members);
    expect(forwards).toHaveLength(2100);
    expect(await build([...members].reverse())).toEqual(forwards);
    // A key that is made anew, in another order, is no change.
    await target.sadd("set", ...members);
    await system.root();
    await target.del("set");
    await target.sadd("set", ...[...members].reverse());
    expect(rows(await system.observe())).toEqual([]);
    await target.hset("small", "a", "1", "b", "2");
    await system.root();
    await target.del("small");
    await target.hset("small", "c", "3", "b", "2", "a", "1");
    expect(rows(await system.observe())).toEqual(['+ hash ["small","c","3"]']);
  });

  test("ids that a stream draws from the clock are in one column only", async () => {
    const system = await openAdapter({ url: server.url() });
    await system.root();
    const root = await system.mark();
    const build = async (): Promise<string[]> => {
      await target.xadd("s", "*", "n", "1");
      await target.xadd("s", "*", "n", "2");
      await target.xgroup("CREATE", "s", "g", "0");
      await target.xreadgroup("GROUP", "g", "ann", "COUNT", 1, "STREAMS", "s", ">");
      const entries = await target.xrange("s", "-", "+");
      const seen = rows(await system.observe()).map((row) => entries.reduce((text, [id], at) => text.replace(id, `id ${at + 1}`), row));
      await system.restore(root);
      return seen;
    };
    const first = await build();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await build()).toEqual(first);
    expect(first).toContain('+ stream_pending ["s","g","~1","ann",1,"id 1"]');
    expect(first).toContain('+ stream_group ["s","g","~1"]');
    expect(first).toContain('+ stream ["s","~2",0,"n","2","id 2"]');
  });

  test("what PFCOUNT remembers is no part of the state", async () => {
    await target.pfadd("h", "a", "b");
    const system = await openAdapter({ url: server.url() });
    await system.root();
    await target.pfcount("h");
    expect(rows(await system.observe())).toEqual([]);
  });

  test("keys and ignore choose what is looked at; all is put back", async () => {
    const system = await openAdapter({ url: server.url(), keys: ["order:*", "log:[0-9]"], ignore: ["order:*:cache"] });
    await system.root();
    const mark = await system.mark();
    await target.mset("order:1", "1", "order:1:cache", "1", "log:1", "1", "log:x", "1", "other", "1");
    expect(rows(await system.observe())).toEqual(['+ string ["log:1","1"]', '+ string ["order:1","1"]']);
    await system.restore(mark);
    expect(await target.dbsize()).toBe(0);
  });
});

describe("command", () => {
  test("reads", async () => {
    await target.hset("h", "a", "ü");
    await target.xadd("s", "1-1", "n", "1");
    const system = await openAdapter({ url: server.url() });
    expect(await system.command("HGETALL", "h")).toEqual(["a", "ü"]);
    expect(await system.command("xinfo", "stream", "s")).toContain("last-generated-id");
    expect(await system.command("OBJECT", "ENCODING", "h")).toBe("listpack");
    expect(await system.command("XREAD", "STREAMS", "s", "0")).toEqual([["s", [["1-1", ["n", "1"]]]]]);
    expect(await system.command("PING")).toBe("PONG");
    expect(await system.command("GET", "nothing")).toBeNull();
  });

  test.each([
    ["SET", "a", "1"],
    ["GETDEL", "a"],
    ["GETEX", "a", "EX", "5"],
    ["FLUSHALL"],
    ["CONFIG", "SET", "maxmemory", "1"],
    ["CONFIG", "GET", "maxmemory"],
    ["EVAL", "return redis.call('SET', 'a', '2')", "0"],
    ["SELECT", "3"],
    ["SUBSCRIBE", "c"],
    ["MULTI"],
    ["SHUTDOWN"],
    ["CLIENT", "KILL", "TYPE", "normal"],
    ["XREAD", "BLOCK", "0", "STREAMS", "s", "$"],
    ["SORT", "a", "STORE", "b"],
    ["XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"],
    ["no such command"],
    ["get|set"],
  ])("refuses %s %s %s", async (name, ...parameters) => {
    const system = await openAdapter({ url: server.url() });
    const mark = await system.mark();
    await expect(system.command(name, ...parameters)).rejects.toMatchObject({ code: "QUERY_WRITES" });
    expect(await system.changed(mark)).toBe(false);
  });

  test("an error of the server comes without what is behind it", async () => {
    const system = await openAdapter({ url: server.url() });
    await target.set("a", "1");
    await expect(system.command("HGETALL", "a")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("WRONGTYPE") as string,
    });
  });
});

describe("errors", () => {
  const failure = async (url: string, isolation?: "server"): Promise<{ readonly code: string; readonly shown: string }> => {
    try {
      const system = new RedisAdapter({ url, isolation });
      await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
      await system.close();
    } catch (error) {
      return { code: (error as { code: string }).code, shown: inspect(error, { depth: 20, showHidden: true }) };
    }
    throw new Error("did not fail");
  };

  test("passwords are in none", async () => {
    await target.call("ACL", "SETUSER", "lane", "on", ">right", "~*", "&*", "+@all", "-eval", "-evalsha");
    const urls: readonly (readonly [string, string])[] = [
      [server.url().replace("//", "//lane:s3cr%2Fet@"), "STORE_NOT_ALLOWED"],
      [server.url().replace("//", "//lane:right@"), "STORE_NOT_ALLOWED"],
      ["redis://u:s3cr%2Fet@127.0.0.1:1/0", "STORE_UNREACHABLE"],
      ["redis://u:s3cr%2Fet@no-such-host.invalid/0", "STORE_UNREACHABLE"],
      [server.url().replace("redis://", "rediss://u:s3cr%2Fet@"), "STORE_UNREACHABLE"],
      [server.url(77), "STORE_MISSING"],
      ["redis://u:s3cr%2Fet@127.0.0.1:6379/zero", "REDIS_URL_INVALID"],
      ["redis://u:s3cr%2Fet@127.0.0.1:port/0", "REDIS_URL_INVALID"],
      ["http://u:s3cr%2Fet@127.0.0.1/0", "REDIS_URL_INVALID"],
    ];
    for (const [url, code] of urls) {
      const { code: got, shown } = await failure(url);
      expect(got, url).toBe(code);
      expect(shown, url).not.toMatch(/s3cr|right/);
    }
  });

  test("options that are not there are named", () => {
    expect(() => new RedisAdapter({ url: "" })).toThrow(expect.objectContaining({ code: "REDIS_WITHOUT_URL" }));
    expect(() => new RedisAdapter({ url: server.url(), checkpoint: "journal" as "dump" })).toThrow(
      expect.objectContaining({ code: "REDIS_OPTION_INVALID", hint: "Choose one of: auto, dump." }),
    );
    expect(() => new RedisAdapter({ url: server.url() }).mark()).toThrow(expect.objectContaining({ code: "STORE_NOT_OPEN" }));
  });

  test("what cannot be put back is said, with the key still there", async () => {
    await target.set("large", "x".repeat(100_000));
    const system = await openAdapter({ url: server.url() });
    const mark = await system.mark();
    await target.del("large");
    await target.call("ACL", "SETUSER", "default", "-restore");
    await expect(system.restore(mark)).rejects.toMatchObject({ code: "STORE_NOT_ALLOWED" });
    await target.call("ACL", "SETUSER", "default", "+restore");
    // What was not put back is known, and put back now.
    expect(await system.changed(mark)).toBe(true);
    await system.restore(mark);
    expect(await target.strlen("large")).toBe(100_000);
  });
});

test("a user who may not look at connections or settings still gets everything put back", async () => {
  await target.call("ACL", "SETUSER", "narrow", "on", ">pw", "~*", "&*", "+@all", "-@dangerous", "+restore");
  await target.mset("a", "1", "b", "2");
  const system = await openAdapter({ url: server.url().replace("//", "//narrow:pw@") });
  expect(system.checkpoint).toMatchObject({ mode: "dump", why: expect.stringContaining("seqqa reads all keys for every state") as string });
  const [mark, dump] = [await system.mark(), await system.dump()];
  await target.flushdb();
  expect(await system.changed(mark)).toBe(true);
  await system.restore(mark);
  expect(await system.dump()).toBe(dump);
});

test("the rights that are asked for are enough", async () => {
  await target.call("ACL", "SETUSER", "enough", "on", ">pw", ...RIGHTS.split(" "));
  const before = await target.config("GET", "notify-keyspace-events");
  const system = await openAdapter({ url: server.url().replace("//", "//enough:pw@") }, { borrowed: true });
  expect(system.checkpoint.why).toBe("keyspace notifications show which keys changed");
  const mark = await system.mark();
  await target.set("a", "1");
  expect(await system.changed(mark)).toBe(true);
  await system.close();
  expect(await target.dbsize()).toBe(0);
  expect(await target.config("GET", "notify-keyspace-events")).toEqual(before);
});

test("rights that do not suffice are named when it is opened, not when something is to be put back", async () => {
  await target.call("ACL", "SETUSER", "less", "on", ">pw", "~*", "&*", "+@all", "-restore");
  await expect(openAdapter({ url: server.url().replace("//", "//less:pw@") })).rejects.toMatchObject({
    code: "STORE_NOT_ALLOWED",
    hint: expect.stringContaining("+restore") as string,
  });
});
