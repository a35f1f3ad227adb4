import type { Random } from "./random.ts";

/** All that a lane starts with; the same in every lane. */
/** Strings of one character a byte. `["sleep", ms]` waits. */
export type Command = readonly string[];

export const SEED: readonly Command[] = [
  ["SET", "string:1", "one"],
  ["SET", "string:2", "\xff\x00\r\n", "PXAT", "4102444800000"],
  ["SET", "\xfe\x00binary key", "1"],
  ["SET", "counter", "41"],
  ["SETBIT", "bits:1", "77", "1"],
  ["PFADD", "hll:1", "a", "b", "c"],
  ["HSET", "hash:1", "name", "Ada", "\xff", "\x00"],
  ["HSET", "hash:2", ...Array.from({ length: 140 }, (_, i) => [`field ${i}`, String(i)]).flat()],
  ["RPUSH", "list:1", "a", "b", "a"],
  ["SADD", "set:1", "1", "2", "3"],
  ["SADD", "set:2", "a", "b", "\x80"],
  ["ZADD", "zset:1", "1", "a", "2.5", "b", "inf", "c"],
  ["GEOADD", "zset:2", "13.361389", "38.115556", "Palermo"],
  ["XADD", "stream:1", "1-1", "a", "1"],
  ["XADD", "stream:1", "2-1", "b", "2"],
  ["XGROUP", "CREATE", "stream:1", "readers", "0"],
  ["XREADGROUP", "GROUP", "readers", "ann", "COUNT", "1", "STREAMS", "stream:1", ">"],
  // The time of delivery is data.
  ["XCLAIM", "stream:1", "readers", "ann", "0", "1-1", "TIME", "1700000000000", "RETRYCOUNT", "1"],
  ["XADD", "stream:2", "1-1", "a", "1"],
  ["XGROUP", "CREATE", "stream:2", "readers", "$"],
];

const of = (random: Random, type: string): string => `${type}:${1 + random.below(3)}`;
const word = (random: Random): string => random.pick(["a", "b", "c", "1", "2", "\xff\x00", "", "Ünïcode", String(random.below(1000))]);
const TYPES = ["string", "bits", "hll", "hash", "list", "set", "zset", "stream", "other"];
const any = (random: Random): string => (random.chance(10) ? "\xfe\x00binary key" : of(random, random.pick(TYPES)));
const number = (random: Random): string => String(random.below(50) - 10);
const group = (random: Random): string => random.pick(["readers", "writers"]);
const consumer = (random: Random): string => random.pick(["ann", "bob", "\xff"]);
const id = (random: Random): string => random.pick(["1-1", "2-1", `${random.below(9)}-${random.below(3)}`]);

type Make = (random: Random) => Command | readonly Command[];

const STRINGS: readonly Make[] = [
  (r) => ["SET", of(r, "string"), word(r)],
  (r) => ["SET", any(r), word(r), ...r.pick([[], ["KEEPTTL"], ["EX", "5000"], ["NX"], ["XX"]])],
  (r) => ["APPEND", of(r, "string"), word(r)],
  () => ["INCR", "counter"],
  () => ["INCRBYFLOAT", "counter", "0.25"],
  (r) => ["SETRANGE", of(r, "string"), String(r.below(9)), word(r)],
  (r) => ["GETDEL", of(r, "string")],
  (r) => ["GETEX", of(r, "string"), ...r.pick([["PERSIST"], ["EX", "9000"], []])],
  (r) => ["MSET", of(r, "string"), word(r), of(r, "string"), word(r)],
  (r) => ["SETBIT", of(r, "bits"), String(r.below(200)), String(r.below(2))],
  (r) => ["BITFIELD", of(r, "bits"), "INCRBY", "u8", "8", "3"],
  (r) => ["BITOP", r.pick(["AND", "OR", "XOR"]), of(r, "bits"), "bits:1", "bits:2"],
  (r) => ["PFADD", of(r, "hll"), word(r)],
  (r) => ["PFCOUNT", of(r, "hll")],
  (r) => ["PFMERGE", of(r, "hll"), "hll:1", "hll:2"],
];

const COLLECTIONS: readonly Make[] = [
  (r) => ["HSET", of(r, "hash"), word(r), word(r)],
  (r) => ["HSET", "hash:2", `field ${r.below(160)}`, word(r)],
  (r) => ["HDEL", of(r, "hash"), word(r), "name"],
  (r) => ["HINCRBY", of(r, "hash"), "n", number(r)],
  (r) => ["LPUSH", of(r, "list"), word(r), word(r)],
  (r) => ["RPUSH", of(r, "list"), word(r)],
  (r) => ["LPOP", of(r, "list")],
  (r) => ["LSET", of(r, "list"), "0", word(r)],
  (r) => ["LINSERT", of(r, "list"), "BEFORE", "a", word(r)],
  (r) => ["LTRIM", of(r, "list"), "0", "2"],
  (r) => ["LMOVE", of(r, "list"), of(r, "list"), "LEFT", "RIGHT"],
  (r) => ["BLPOP", of(r, "list"), "0.001"],
  (r) => ["SADD", of(r, "set"), word(r), number(r)],
  (r) => ["SREM", of(r, "set"), word(r), "1"],
  (r) => ["SPOP", of(r, "set")],
  (r) => ["SMOVE", of(r, "set"), of(r, "set"), word(r)],
  (r) => ["SUNIONSTORE", of(r, "set"), "set:1", "set:2"],
  (r) => ["SDIFFSTORE", of(r, "set"), "set:1", "set:2"],
  (r) => ["ZADD", of(r, "zset"), number(r), word(r)],
  (r) => ["ZINCRBY", of(r, "zset"), "0.1", word(r)],
  (r) => ["ZPOPMIN", of(r, "zset")],
  (r) => ["ZRANGESTORE", of(r, "zset"), "zset:1", "0", "1"],
  (r) => ["ZUNIONSTORE", of(r, "zset"), "2", "zset:1", "zset:2"],
  (r) => ["ZREMRANGEBYSCORE", of(r, "zset"), "-inf", "3"],
  (r) => ["GEOADD", of(r, "zset"), "2.35", "48.85", word(r)],
  (r) => ["SORT", r.pick(["list:1", "set:1"]), "ALPHA", "STORE", of(r, "list")],
];

const STREAMS: readonly Make[] = [
  (r) => ["XADD", of(r, "stream"), r.pick(["*", "5-*", id(r)]), word(r), word(r)],
  (r) => ["XADD", of(r, "stream"), "*", "a", word(r), "b", word(r)],
  (r) => ["XADD", of(r, "stream"), "MAXLEN", "2", "*", "a", word(r)],
  (r) => ["XDEL", of(r, "stream"), id(r)],
  (r) => ["XTRIM", of(r, "stream"), "MAXLEN", "1"],
  (r) => ["XSETID", of(r, "stream"), "9-9"],
  (r) => ["XGROUP", "CREATE", of(r, "stream"), group(r), r.pick(["0", "$", "1-1"]), ...r.pick([[], ["MKSTREAM"]])],
  (r) => ["XGROUP", "SETID", of(r, "stream"), group(r), r.pick(["0", "$"])],
  (r) => ["XGROUP", "DESTROY", of(r, "stream"), "writers"],
  (r) => ["XGROUP", "CREATECONSUMER", of(r, "stream"), group(r), consumer(r)],
  (r) => ["XGROUP", "DELCONSUMER", of(r, "stream"), group(r), consumer(r)],
  (r) => ["XREADGROUP", "GROUP", group(r), consumer(r), "COUNT", "2", ...r.pick([[], ["NOACK"]]), "STREAMS", of(r, "stream"), ">"],
  (r) => ["XREADGROUP", "GROUP", group(r), consumer(r), "STREAMS", of(r, "stream"), "0"],
  (r) => ["XACK", of(r, "stream"), group(r), "1-1", id(r)],
  (r) => ["XCLAIM", of(r, "stream"), group(r), consumer(r), "0", "1-1", "2-1"],
  (r) => ["XCLAIM", of(r, "stream"), group(r), consumer(r), "0", id(r), "FORCE", "JUSTID"],
  (r) => ["XAUTOCLAIM", of(r, "stream"), group(r), consumer(r), "0", "0"],
];

const KEYS: readonly Make[] = [
  (r) => ["DEL", any(r)],
  (r) => ["UNLINK", any(r), any(r)],
  (r) => ["RENAME", any(r), any(r)],
  (r) => ["RENAMENX", any(r), any(r)],
  (r) => ["COPY", any(r), any(r), "REPLACE"],
  (r) => ["EXPIRE", any(r), "7000"],
  (r) => ["PEXPIREAT", any(r), "4102444800123"],
  (r) => ["PERSIST", any(r)],
  // Over when the writer answers; whether the server has removed it by then is open.
  (r) => [
    ["PEXPIRE", any(r), "1"],
    ["sleep", "3"],
  ],
  (r) => ["EXPIRE", any(r), "-1"],
  (r) => [
    "EVAL",
    "redis.call('SET', KEYS[1], ARGV[1]) redis.call('XACK', 'stream:1', 'readers', '1-1') return redis.call('DEL', KEYS[2])",
    "2",
    any(r),
    any(r),
    word(r),
  ],
  (r) => [["MULTI"], ["DEL", any(r)], ["SET", any(r), word(r)], r.pick([["EXEC"], ["DISCARD"]])],
];

/** Hardly any are told of by notifications. */
const WIPES: readonly Make[] = [
  (r) => [["FLUSHDB"], ["SET", any(r), word(r)]],
  () => ["EVAL", "redis.call('FLUSHDB', 'ASYNC') return redis.call('SET', 'string:1', 'after')", "0"],
];

const database = (random: Random): string => random.pick(["0", "3", "9", "15"]);

/** Commands that reach two databases. */
const BETWEEN: readonly Make[] = [
  (r) => ["MOVE", any(r), database(r)],
  (r) => ["COPY", any(r), any(r), "DB", database(r), "REPLACE"],
  (r) => ["SWAPDB", database(r), database(r)],
  () => ["FLUSHALL"],
];

/** Some writes of any kind in one of several databases, and sometimes between them; {@link randomCommands}. */
export function commandsAnywhere(random: Random, wipes: number): readonly Command[] {
  const between = random.chance(10) ? [random.pick(BETWEEN)(random) as Command] : [];
  return [["SELECT", database(random)], ...randomCommands(random, wipes), ...between];
}

/** Some writes of any kind; `wipes`: how many of a hundred empty the database. */
export function randomCommands(random: Random, wipes: number): readonly Command[] {
  const make = random.chance(wipes) ? random.pick(WIPES) : random.pick(random.pick([STRINGS, COLLECTIONS, COLLECTIONS, STREAMS, KEYS]));
  const made = make(random);
  return (typeof made[0] === "string" ? [made] : made) as readonly Command[];
}
