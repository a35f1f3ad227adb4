import fc from "fast-check";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Checkpoint } from "../../../../src/model/stores/store-adapter.ts";
import { size } from "../../../sizes.ts";
import { redisLane, type RedisLane } from "../../../support/redis-lane.ts";
import { openAdapter, ownServer, rows } from "./scratch.ts";
import { codePoint } from "../../../support/code-point.ts";

const template = ownServer();
let lane: RedisLane;
let target: Redis;

beforeEach(async () => {
  await template.client().set("a", "1");
  lane = await redisLane(template.url());
  target = new Redis(lane.url, { protocol: 2 });
});
afterEach(async () => {
  target.disconnect();
  await lane.close();
});

/** Executes a command in a database, and stays there, as a client does that selected it. */
async function inside(db: number, ...command: readonly [string, ...string[]]): Promise<unknown> {
  await target.select(db);
  return target.call(...command);
}

/** What all databases of a server hold, by a connection of its own. */
async function everything(url: string = lane.url): Promise<string> {
  const client = new Redis(url, { protocol: 2 });
  const lines: string[] = [];
  for (let db = 0; db < 16; db++) {
    await client.select(db);
    for (const key of (await client.keys("*")).sort())
      lines.push(`${db} ${key} ${(await client.dumpBuffer(key))?.toString("hex")} ${String(await client.call("PEXPIRETIME", key))}`);
  }
  client.disconnect();
  return lines.join("\n");
}

test("a key of another database is observed apart from any of the first, and put back", async () => {
  const system = await openAdapter({ url: lane.url });
  await inside(3, "HSET", "cart:1", "items", "2");
  await system.root();
  const [mark, before] = [await system.mark(), await everything()];
  await inside(3, "HSET", "cart:1", "items", "3");
  await inside(3, "SET", "a", "of 3", "EX", "1000");
  await inside(11, "SET", "a", "of 11");
  await inside(0, "SET", "db3:a", "of 0");
  expect(rows(await system.observe())).toEqual([
    '+ db11_string ["a","of 11"]',
    '+ db3_expires ["a",1800]',
    '+ db3_hash ["cart:1","items","3"]',
    '+ db3_string ["a","of 3"]',
    '+ string ["db3:a","of 0"]',
    '- db3_hash ["cart:1","items","2"]',
  ]);
  await system.restore(mark);
  expect(await everything()).toBe(before);
  expect([await system.changed(mark), rows(await system.observe())]).toEqual([false, []]);
});

test("patterns name them by their database", async () => {
  const system = await openAdapter({ url: lane.url, keys: ["cart:*", "db3:*"], ignore: ["db3:session:*"] });
  await system.root();
  const [mark, before] = [await system.mark(), await everything()];
  for (const db of [0, 3, 4]) for (const key of ["cart:1", "session:1"]) await inside(db, "SET", key, "x");
  expect(rows(await system.observe())).toEqual(['+ db3_string ["cart:1","x"]', '+ string ["cart:1","x"]']);
  await system.restore(mark);
  expect(await everything()).toBe(before);
});

test("a key of another database that is over comes back with its time", async () => {
  await inside(3, "SET", "lease", "1", "PX", "400");
  const system = await openAdapter({ url: lane.url });
  await system.root();
  const mark = await system.mark();
  await expect.poll(() => system.changed(mark)).toBe(true);
  expect(rows(await system.observe())).toEqual(['- db3_expires ["lease",null]', '- db3_string ["lease","1"]']);
  await system.restore(mark);
  await expect(inside(3, "PTTL", "lease")).resolves.toBeGreaterThan(0);
});

describe("what reaches several databases", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["FLUSHALL", () => target.flushall()],
    ["FLUSHALL, and other keys", async () => [await target.flushall("ASYNC"), await inside(5, "SET", "x", "1")]],
    ["FLUSHDB of another", () => inside(3, "FLUSHDB")],
    ["FLUSHDB of the first", () => inside(0, "FLUSHDB")],
    ["SWAPDB with the first", () => target.swapdb(0, 3)],
    ["SWAPDB of two others", () => target.swapdb(3, 9)],
    ["MOVE", () => inside(3, "MOVE", "only 3", "7")],
    ["MOVE out of the first", () => inside(0, "MOVE", "only 0", "7")],
    ["COPY", () => inside(3, "COPY", "both", "copied", "DB", "0")],
    ["a script", () => target.eval("redis.call('SELECT', 6) return redis.call('SET', 'both', 'x')", 0)],
    ["what no notification tells of", () => inside(3, "XREADGROUP", "GROUP", "g", "ann", "STREAMS", "s", ">")],
  ])("is seen, and put back: %s", async (_what, write) => {
    for (const db of [0, 3]) for (const key of ["both", `only ${db}`]) await inside(db, "SET", key, `of ${db}`);
    await inside(3, "XADD", "s", "1-1", "n", "1");
    await inside(3, "XGROUP", "CREATE", "s", "g", "0");
    const system = await openAdapter({ url: lane.url });
    await system.root();
    const [mark, before] = [await system.mark(), await everything()];
    await write();
    expect(await system.changed(mark)).toBe(true);
    await system.restore(mark);
    expect(await everything()).toBe(before);
    // Without having looked in between.
    await write();
    await system.restore(mark);
    expect(await everything()).toBe(before);
    expect(rows(await system.observe())).toEqual([]);
  });
});

const db = fc.constantFrom(0, 0, 1, 3, 15);
const key = fc.constantFrom("a", "b", "db3:a", "");
const command: fc.Arbitrary<readonly [number, ...[string, ...string[]]]> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(db, fc.constant("SET"), key, fc.string({ unit: codePoint, maxLength: 3 })) },
  { weight: 3, arbitrary: fc.tuple(db, fc.constant("RPUSH"), fc.constant("list"), key) },
  { weight: 3, arbitrary: fc.tuple(db, fc.constant("DEL"), key) },
  { weight: 2, arbitrary: fc.tuple(db, fc.constant("PEXPIREAT"), key, fc.constant("4102444800123")) },
  { weight: 2, arbitrary: fc.tuple(db, fc.constant("RENAME"), key, key) },
  { weight: 2, arbitrary: fc.tuple(db, fc.constant("MOVE"), key, db.map(String)) },
  { weight: 1, arbitrary: fc.tuple(db, fc.constant("COPY"), key, key, fc.constant("DB"), db.map(String), fc.constant("REPLACE")) },
  { weight: 1, arbitrary: fc.tuple(db, fc.constant("SWAPDB"), db.map(String), db.map(String)) },
  { weight: 1, arbitrary: fc.tuple(db, fc.constantFrom("FLUSHDB", "FLUSHALL")) },
);

test("any writes in any databases are put back exactly, from mark to mark, and written into another lane", async () => {
  const other = await redisLane(template.url());
  try {
    const branches = fc.array(fc.record({ writes: fc.array(command, { maxLength: 6 }), back: fc.nat(3), looks: fc.boolean() }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(branches, async (all) => {
        const [system, second] = [await openAdapter({ url: lane.url }), await openAdapter({ url: other.url })];
        await system.root();
        await second.root();
        const marks: { readonly mark: Checkpoint; readonly held: string }[] = [{ mark: await system.mark(), held: await everything() }];
        for (const { writes, back, looks } of all) {
          // Some are refused: of a wrong type, or of keys that are not there.
          for (const [to, ...words] of writes) await inside(to, ...words).catch(() => undefined);
          const held = await everything();
          if (looks && (await system.changed(marks.at(-1)!.mark)) !== (held !== marks.at(-1)!.held)) throw new Error("not seen");
          marks.push({ mark: await system.mark(), held });
          await second.write(structuredClone(await system.capture()));
          expect(await everything(other.url)).toBe(held);
          marks.length = Math.max(1, marks.length - back);
          await system.restore(marks.at(-1)!.mark);
          expect(await everything()).toBe(marks.at(-1)!.held);
        }
        await system.restore(marks[0]!.mark);
        expect(await everything()).toBe(marks[0]!.held);
        await second.write(await system.capture());
        await system.close();
        await second.close();
      }),
      { numRuns: size(5, 1000) },
    );
  } finally {
    await other.close();
  }
});

test("an adapter for another database of the same server puts back the same", async () => {
  const system = await openAdapter({ url: lane.url });
  const beside = await openAdapter({ url: lane.url.replace(/0$/, "3") }, { borrowed: true });
  await Promise.all([system.root(), beside.root()]);
  const [mark, besideMark, before] = [await system.mark(), await beside.mark(), await everything()];
  for (let turn = 0; turn < 3; turn++) {
    await inside(3, "SET", "x", String(turn));
    await inside(0, "SET", "y", String(turn));
    expect(rows(await beside.observe())).toEqual([`+ db0_string ["y","${turn}"]`, `+ string ["x","${turn}"]`]);
    await Promise.all([system.restore(mark), beside.restore(besideMark)]);
    expect(await everything()).toBe(before);
    expect(await Promise.all([system.changed(mark), beside.changed(besideMark)])).toEqual([false, false]);
  }
});

test("of a server that is not the lane's own, other databases are left alone", async () => {
  const others = template.client(3);
  const system = await openAdapter({ url: template.url() });
  await system.root();
  const mark = await system.mark();
  await others.set("x", "of others");
  await template.client().set("a", "2");
  expect(rows(await system.observe())).toEqual(['+ string ["a","2"]', '- string ["a","1"]']);
  await system.restore(mark);
  expect(await others.get("x")).toBe("of others");
});
