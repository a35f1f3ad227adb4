import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import { isRawText, keyText, sameRow, type ExactRow, type ExactValue } from "./exact-row.ts";
import type { NetMirror, Slot } from "./net-mirror.ts";
import type { TableShape } from "./table-shape.ts";

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** Converts a database value to the form that observed states contain. Integers become JavaScript numbers if a number represents them exactly. */
export function shown(value: ExactValue): StoredValue {
  if (typeof value === "bigint") return value <= LARGEST && value >= -LARGEST ? Number(value) : value;
  if (typeof value !== "object" || value === null) return value;
  // Convert bytes to a plain `Uint8Array`, because a `Buffer` from the driver would not equal the bytes of a snapshot.
  const bytes = isRawText(value) ? value.rawText : value;
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function shownRow(shape: TableShape, row: ExactRow): StoredValue[] {
  const values = new Array<StoredValue>(row.length - shape.shownFrom);
  for (let i = 0; i < values.length; i++) values[i] = shown(row[i + shape.shownFrom] as ExactValue);
  return values;
}

/**
 * Returns the difference between the current state and the root state. A changed row is in both lists: its old values are in `removed`, its new
 * values in `added`. This also applies if only the type of a value changed, for example from the integer 20 to the floating-point number 20.0.
 */
export function observeNet(shapes: readonly TableShape[], mirror: NetMirror): Observed {
  const tables: ObservedTable[] = [];
  for (const shape of shapes) {
    if (!shape.observed) continue;
    let added: StoredValue[][] = [];
    let removed: StoredValue[][] = [];
    const isOrdered = shape.isOrdered === true;
    const rowids = !isOrdered && shape.shownFrom > 0 ? new Map<StoredValue[], ExactValue>() : undefined;
    let inPlace = 0;
    const positions: { readonly added: StoredValue[]; readonly removed: StoredValue[] } = { added: [], removed: [] };
    const slots = mirror.slotsOf(shape.index);
    for (const { base, now } of isOrdered ? inRowOrder(slots) : slots) {
      if (sameRow(base, now)) continue;
      if (now !== null) {
        const row = shownRow(shape, now);
        added.push(row);
        rowids?.set(row, now[0]!);
      }
      if (base !== null) removed.push(shownRow(shape, base));
      if (!isOrdered || base === null) continue;
      const position = shown(base[0]!);
      positions.removed.push(position);
      if (now === null) continue;
      positions.added.push(position);
      inPlace++;
    }
    // Leave out rows that are both added and removed. A row that was deleted and inserted again has a new hidden rowid, but the same visible values.
    if (rowids !== undefined && added.length > 0 && removed.length > 0) [added, removed] = withoutCommon(added, removed);
    if (added.length === 0 && removed.length === 0) continue;
    const readOrder = rowids !== undefined && added.length > 1 ? readOrderOf(added, rowids) : undefined;
    tables.push({
      name: shape.name,
      columns: shape.columns,
      added,
      removed,
      ...(isOrdered && { inPlace, positions }),
      ...(readOrder && { readOrder }),
    });
  }
  return { kind: "rows", tables, counters: observeCounters(mirror.rootCounters, mirror.counters) };
}

function readOrderOf(rows: readonly StoredValue[][], rowids: ReadonlyMap<StoredValue[], ExactValue>): readonly number[] {
  const rowid = (index: number): ExactValue => rowids.get(rows[index]!)!;
  return [...rows.keys()].sort((a, b) => (rowid(a)! < rowid(b)! ? -1 : 1));
}

/** Returns the changed rows in the order of their hidden rowids, which are their first values. */
function inRowOrder(slots: Iterable<Slot>): readonly Slot[] {
  const rowid = ({ base, now }: Slot): ExactValue => (now ?? base!)[0]!;
  return [...slots].filter(({ base, now }) => !sameRow(base, now)).sort((a, b) => (rowid(a)! < rowid(b)! ? -1 : 1));
}

/** The name under which states show changes of the schema. */
const SCHEMA = "(schema)";

/**
 * Returns the differences between the schema of the root state and the present schema as the rows of a table, or no table if there are none. Used by
 * checkpoint modes that restore the schema, too. `before` and `now` have a text for each object, such as its definition.
 */
export function schemaChanges(before: readonly string[], now: readonly string[]): readonly ObservedTable[] {
  const [added, removed] = withoutCommon(
    now.map((text) => [text]),
    before.map((text) => [text]),
  );
  return added.length + removed.length === 0 ? [] : [{ name: SCHEMA, columns: [{ name: "definition" }], added, removed }];
}

/**
 * Returns two lists of rows without the rows that they have in common. If a row occurs m times in one list and n times in the other, the smaller of
 * the two numbers is subtracted from both.
 */
export function withoutCommon(added: StoredValue[][], removed: StoredValue[][]): [StoredValue[][], StoredValue[][]] {
  // 0 and -0 are equal keys, but different values.
  const text = (row: readonly StoredValue[]): string =>
    row.map((value) => (Object.is(value, -0) ? "-0" : keyText(value as ExactValue))).join();
  const counts = new Map<string, number>();
  for (const row of removed) counts.set(text(row), (counts.get(text(row)) ?? 0) + 1);
  const take = (row: StoredValue[], from: Map<string, number>): boolean => {
    const left = from.get(text(row)) ?? 0;
    if (left > 0) from.set(text(row), left - 1);
    return left > 0;
  };
  const common = new Map<string, number>();
  const onlyAdded = added.filter((row) => {
    const both = take(row, counts);
    if (both) common.set(text(row), (common.get(text(row)) ?? 0) + 1);
    return !both;
  });
  return [onlyAdded, removed.filter((row) => !take(row, common))];
}

/** Returns the values of counters by the counters' names. The last two values of each row are a counter's name and value. */
function byName(counters: readonly ExactRow[]): Map<string, number | bigint | null> {
  return new Map(counters.map((row) => [String(row[row.length - 2]), counterValue(row[row.length - 1] ?? null)]));
}

function counterValue(value: ExactValue): number | bigint | null {
  const seen = shown(value);
  return typeof seen === "number" || typeof seen === "bigint" ? seen : seen === null ? null : Number(seen);
}

/** Returns the counters whose value differs from their value in the root state, with the current value; `null` for a counter that was removed. */
export function observeCounters(root: readonly ExactRow[], now: readonly ExactRow[]): Record<string, number | bigint | null> {
  const differing: Record<string, number | bigint | null> = {};
  if (root === now) return differing;
  const before = byName(root);
  for (const [name, value] of byName(now)) {
    if (!before.has(name) || before.get(name) !== value) differing[name] = value;
    before.delete(name);
  }
  for (const name of before.keys()) differing[name] = null;
  return differing;
}

/** Returns all counters with their values, for the observation of the root state. */
export function allCounters(counters: readonly ExactRow[]): Record<string, number | bigint | null> {
  return Object.fromEntries(byName(counters));
}
