import { isUtf8 } from "node:buffer";
import type { Observed, ObservedColumn, ObservedTable, StoredValue } from "../../../model/stores/store-adapter.ts";
import { placeOfKey } from "./other-indexes.ts";
import { bytesOf, type Bytes, type Entry, type Reply } from "./entry.ts";
import { pairs } from "./exact-text.ts";

type RawRow = readonly (Bytes | number | null)[];

const DAY_MS = 86_400_000;

/**
 * Columns whose values show which kind of object a row describes: the key, and the field of a hash or stream entry. The name of the table does not
 * show the kind, because all keys of one Redis type share one table.
 */
const KINDS: ReadonlySet<string> = new Set(["key", "field"]);

const kindOf = (name: string): Pick<ObservedColumn, "kind"> => (KINDS.has(name) ? { kind: true } : {});

const columns = (keys: readonly string[], others: readonly string[]): readonly ObservedColumn[] => [
  ...keys.map((name) => ({ name, key: true, ...kindOf(name) })),
  ...others.map((name) => ({ name, ...kindOf(name) })),
];

/** One table per Redis type. The rows of a state are its differences from the root state, one row for each element of a key's value. */
const TABLES: Readonly<Record<string, readonly ObservedColumn[]>> = {
  expires: columns(["key"], ["lifetime"]),
  hash: columns(["key", "field"], ["value"]),
  list: columns(["key", "index"], ["value"]),
  other: columns(["key"], ["type", "dump"]),
  set: columns(["key", "member"], []),
  stream: columns(["key", "id", "at"], ["field", "value", "entry"]),
  stream_consumer: columns(["key", "group", "consumer"], []),
  stream_group: columns(["key", "group"], ["after"]),
  stream_info: columns(["key"], ["last_id"]),
  stream_pending: columns(["key", "group", "id"], ["consumer", "deliveries", "entry"]),
  string: columns(["key"], ["value"]),
  zset: columns(["key", "member"], ["score"]),
};

/** Matches the prefix in the names of tables for other databases, as in `db3_string`. */
const OTHER = /^db\d+_/;

type Rows = ReadonlyMap<string, ReadonlyMap<string, RawRow>>;

const NOTHING: Rows = new Map();
const known = new WeakMap<Entry, Rows>();

/** A key, its entry in the root state, and its current entry; `null` if the key does not exist. */
export type Change = readonly [key: Bytes, before: Entry | null, now: Entry | null];

/** Returns the changes as rows, one for each element of a key's value. The rows of the table `expires` contain the approximate lifetimes of keys. */
export function observeChanges(changes: Iterable<Change>): Observed {
  const tables = new Map<string, { readonly added: StoredValue[][]; readonly removed: StoredValue[][] }>();
  for (const [key, before, now] of changes) {
    const [old, fresh] = [rowsOf(key, before), rowsOf(key, now)];
    for (const [from, other, side] of [
      [fresh, old, "added"],
      [old, fresh, "removed"],
    ] as const) {
      for (const [table, rows] of from) {
        const same = other.get(table);
        for (const [text, row] of rows) {
          if (same?.has(text) === true) continue;
          let both = tables.get(table);
          if (both === undefined) tables.set(table, (both = { added: [], removed: [] }));
          both[side].push(row.map(shown));
        }
      }
    }
  }
  const observed = [...tables].map(([name, { added, removed }]): ObservedTable => ({
    name,
    columns: TABLES[name.replace(OTHER, "")]!,
    added,
    removed,
  }));
  return { kind: "rows", tables: observed.sort((a, b) => (a.name < b.name ? -1 : 1)), counters: {} };
}

function rowsOf(key: Bytes, entry: Entry | null): Rows {
  if (entry === null) return NOTHING;
  let rows = known.get(entry);
  if (rows === undefined) known.set(entry, (rows = makeRows(key, entry)));
  return rows;
}

function makeRows(at: Bytes, entry: Entry): Rows {
  const [db, key] = placeOfKey(at);
  const tables = new Map<string, Map<string, RawRow>>();
  const add = (type: string, row: RawRow): void => {
    const table = db === "" ? type : `db${db}_${type}`;
    let rows = tables.get(table);
    if (rows === undefined) tables.set(table, (rows = new Map()));
    rows.set(JSON.stringify(row), row);
  };
  if (entry.at !== 0) add("expires", [key, entry.lifetime ?? null]);
  const { type, value } = entry;
  const items = value as readonly Bytes[];
  switch (type) {
    case "string":
      add("string", [key, withoutCache(value as Bytes)]);
      break;
    case "hash":
      for (const [field, one] of pairs(value)) add("hash", [key, field, one as Bytes]);
      break;
    case "list":
      for (const [index, one] of items.entries()) add("list", [key, index, one]);
      break;
    case "set":
      for (const one of items) add("set", [key, one]);
      break;
    case "zset":
      for (const [member, score] of pairs(value)) add("zset", [key, member, scoreOf(score)]);
      break;
    case "stream":
      streamRows(key, entry, add);
      break;
    default:
      add("other", [key, type, entry.dump.slice(0, -10)]);
  }
  return tables;
}

/** Returns a HyperLogLog without the result that PFCOUNT caches in it, because counting must not change the state. */
function withoutCache(value: Bytes): Bytes {
  return value.startsWith("HYLL") ? value.slice(0, 8) + value.slice(16) : value;
}

function scoreOf(score: Reply): number | Bytes {
  const number = Number(score);
  return Number.isFinite(number) ? number : (score as Bytes);
}

/** Returns bytes as text if they are valid UTF-8, else unchanged. */
function shown(value: Bytes | number | null): StoredValue {
  if (typeof value !== "string" || /^[\0-\x7f]*$/.test(value)) return value;
  const bytes = bytesOf(value);
  return isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes);
}

/**
 * Adds the rows of a stream. In keys, ids that the server made from its clock are replaced by their position in the stream (`~1`, `~2`, ...), so that
 * the same calls lead to the same rows at any time. The column `entry` shows such an id as it is: experiments learn that it is generated, and a client
 * that holds the id is known to hold this entry. XINFO's counters (entries added, lag) and delivery times are left out.
 */
function streamRows(key: Bytes, entry: Entry, add: (table: string, row: RawRow) => void): void {
  const info = new Map(pairs(entry.value));
  const entries = list(info.get("entries")) as readonly [Bytes, readonly Bytes[] | null][];
  const groups = list(info.get("groups")).map((group) => new Map(pairs(group)));
  const pendingOf = (group: ReadonlyMap<Bytes, Reply>) =>
    list(group.get("pending")) as unknown as readonly [Bytes, Bytes, number, number][];
  const drawn = (id: Bytes): boolean => Math.abs(Number(id.slice(0, id.indexOf("-"))) - entry.readMs) < DAY_MS;
  const times = [...new Set([...entries.map(([id]) => id), ...groups.flatMap((group) => pendingOf(group).map(([id]) => id))])]
    .filter(drawn)
    .sort(byId);
  const names = new Map(times.map((id, i) => [id, `~${i + 1}`]));
  const name = (id: Bytes): Bytes => names.get(id) ?? id;
  const entryOf = (id: Bytes): Bytes | null => (drawn(id) ? id : null);
  /**
   * Returns the id up to which a consumer group has read. If the server made this id from its clock, returns the number of entries up to this id
   * instead.
   */
  const place = (id: Bytes): Bytes => (drawn(id) ? `~${times.filter((one) => byId(one, id) <= 0).length}` : id);
  const last = info.get("last-generated-id") as Bytes;
  add("stream_info", [key, drawn(last) ? null : last]);
  for (const [id, fields] of entries) {
    for (const [at, [field, value]] of pairs(fields ?? []).entries())
      add("stream", [key, name(id), at, field, value as Bytes, entryOf(id)]);
  }
  for (const group of groups) {
    const groupName = group.get("name") as Bytes;
    add("stream_group", [key, groupName, place(group.get("last-delivered-id") as Bytes)]);
    for (const consumer of list(group.get("consumers"))) {
      add("stream_consumer", [key, groupName, new Map(pairs(consumer)).get("name") as Bytes]);
    }
    for (const [id, consumer, , deliveries] of pendingOf(group)) {
      add("stream_pending", [key, groupName, name(id), consumer, deliveries, entryOf(id)]);
    }
  }
}

const list = (value: Reply | undefined): readonly Reply[] => (Array.isArray(value) ? (value as readonly Reply[]) : []);

function byId(a: Bytes, b: Bytes): number {
  const [aMs, aSeq] = a.split("-").map(BigInt) as [bigint, bigint];
  const [bMs, bSeq] = b.split("-").map(BigInt) as [bigint, bigint];
  return aMs !== bMs ? (aMs < bMs ? -1 : 1) : aSeq < bSeq ? -1 : aSeq > bSeq ? 1 : 0;
}
