import { pairs } from "./exact-text.ts";
import type { Bytes, Entry, Reply } from "./entry.ts";

/** A row whose texts are still bytes. */
export type RawRow = readonly (Bytes | number | null)[];

const DAY_MS = 86_400_000;

/**
 * Adds the rows of a stream. Ids that the server made from its clock are named by their place in the stream (`~1`, `~2`, ...): the same calls at
 * another time lead to the same state. Counters that only XINFO shows (entries added, lag) and times of delivery are left out.
 */
export function streamRows(key: Bytes, entry: Entry, add: (table: string, row: RawRow) => void): void {
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
  /** The position of a reader, as the number of entries up to it. */
  const place = (id: Bytes): Bytes => (drawn(id) ? `~${times.filter((one) => byId(one, id) <= 0).length}` : id);
  const last = info.get("last-generated-id") as Bytes;
  add("stream_info", [key, drawn(last) ? null : last]);
  for (const [id, fields] of entries) {
    for (const [at, [field, value]] of pairs(fields ?? []).entries()) add("stream", [key, name(id), at, field, value as Bytes]);
  }
  for (const group of groups) {
    const groupName = group.get("name") as Bytes;
    add("stream_group", [key, groupName, place(group.get("last-delivered-id") as Bytes)]);
    for (const consumer of list(group.get("consumers"))) {
      add("stream_consumer", [key, groupName, new Map(pairs(consumer)).get("name") as Bytes]);
    }
    for (const [id, consumer, , deliveries] of pendingOf(group)) {
      add("stream_pending", [key, groupName, name(id), consumer, deliveries]);
    }
  }
}

const list = (value: Reply | undefined): readonly Reply[] => (Array.isArray(value) ? (value as readonly Reply[]) : []);

function byId(a: Bytes, b: Bytes): number {
  const [aMs, aSeq] = a.split("-").map(BigInt) as [bigint, bigint];
  const [bMs, bSeq] = b.split("-").map(BigInt) as [bigint, bigint];
  return aMs !== bMs ? (aMs < bMs ? -1 : 1) : aSeq < bSeq ? -1 : aSeq > bSeq ? 1 : 0;
}
