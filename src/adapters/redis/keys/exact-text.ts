import { isOver, type Bytes, type Entry, type Reply } from "./entry.ts";

/** Fields of XINFO STREAM that are left out: storage details, derived values, and the times of the consumers' last activity. */
const LEFT_OUT = new Set(["radix-tree-keys", "radix-tree-nodes", "lag", "seen-time", "active-time", "idle", "inactive"]);

/** Returns a value as text. Two texts are equal exactly if the values are equal, even if they were built by different commands. */
export function exactText({ type, value, dump, fieldTimes = [] }: Pick<Entry, "type" | "value" | "dump" | "fieldTimes">): string {
  switch (type) {
    case "string":
    case "list":
    case "zset":
      return JSON.stringify(value);
    case "set":
      return JSON.stringify([...(value as readonly Bytes[])].sort());
    case "hash":
      return [value, fieldTimes].map(sortedPairs).join(fieldTimes.length > 0 ? " expire " : "");
    case "stream":
      return JSON.stringify(withoutVolatile(value));
    default:
      // For a value of a Redis module, use the output of DUMP without its last ten bytes, the version and the checksum.
      return JSON.stringify(dump.slice(0, -10));
  }
}

export function sameEntry(a: Entry | null, b: Entry | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.type !== b.type || a.at !== b.at) return false;
  return a.dump === b.dump || exactText(a) === exactText(b);
}

/** Returns an entry without the hash fields that have expired; `null` if the whole entry has expired. */
export function withoutExpired(entry: Entry | null, nowMs: number): Entry | null {
  if (entry === null || isOver(entry, nowMs)) return null;
  const { value, fieldTimes = [] } = entry;
  const over = new Set(pairs(fieldTimes).flatMap(([name, at]) => (isOver({ at: at as number }, nowMs) ? [name] : [])));
  if (over.size === 0) return entry;
  const left = (flat: Reply): Reply[] => pairs(flat).flatMap((pair) => (over.has(pair[0]) ? [] : pair));
  return left(value).length === 0 ? null : { ...entry, dump: "", value: left(value), fieldTimes: left(fieldTimes) };
}

/** Splits a flat list of names and values, as returned by HGETALL and XINFO, into pairs. */
export function pairs(value: Reply): (readonly [Bytes, Reply])[] {
  const flat = value as readonly Reply[];
  const all: (readonly [Bytes, Reply])[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) all.push([flat[i] as Bytes, flat[i + 1]!]);
  return all;
}

function sortedPairs(flat: Reply): string {
  const sorted = pairs(flat).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? "" : JSON.stringify(sorted);
}

function withoutVolatile(info: Reply): unknown {
  return pairs(info).flatMap(([name, value]) => {
    if (LEFT_OUT.has(name)) return [];
    const nested = name === "groups" || name === "consumers";
    return [[name, nested ? (value as readonly Reply[]).map(withoutVolatile) : value]];
  });
}
