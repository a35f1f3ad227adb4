import type { StoresView } from "../model/declare/rule.ts";
import { isObject, type Item } from "./answers/answer-content.ts";

type Tables = Pick<StoresView, "tables">;

const SHOWN = 10;
/** Maximum number of columns that a message names. */
const COLUMNS = 5;

/** Describes the differences between the stores in two states: `db.orders: 1 row added, 2 changed`. At most ten tables are named. */
export function storeChanges(before: StoresView, after: StoresView): string {
  const { counts } = before.changedRows(after);
  const changes = [...new Set([...before.tables.keys(), ...after.tables.keys()])].toSorted().flatMap((table) => {
    const [more, less] = balance(before.tables.get(table) ?? NONE, after.tables.get(table) ?? NONE);
    const changed = Math.min(counts.get(table) ?? 0, more, less);
    const [first, ...others] = (
      [
        [more - changed, "added"],
        [less - changed, "removed"],
        [changed, "changed"],
      ] as const
    ).filter(([count]) => count > 0);
    if (first === undefined) return [];
    return [[`${table}: ${rows(first[0])} ${first[1]}`, ...others.map(([count, how]) => `${count} ${how}`)].join(", ")];
  });
  const shown = changes.slice(0, SHOWN);
  return [...shown, ...(changes.length > shown.length ? [`${changes.length - shown.length} more`] : [])].join("; ");
}

/** Returns the tables to which a change of the stores added rows, without removing or replacing others, e.g. `db.orders`. */
export function tablesWithNewRows(before: StoresView, after: StoresView): readonly string[] {
  const { counts } = before.changedRows(after);
  return [...new Set([...before.tables.keys(), ...after.tables.keys()])].filter((table) => {
    const [more, less] = balance(before.tables.get(table) ?? NONE, after.tables.get(table) ?? NONE);
    return less <= (counts.get(table) ?? 0) && more > less;
  });
}

/** Names the columns of changed rows, ` (orders.status)`. Returns an empty text if rows were only added or removed, or if many columns changed. */
export function columnsText(before: StoresView, after: StoresView): string {
  const fields = onlyAdds(before, after) || onlyAdds(after, before) ? [] : before.changedRows(after).fields;
  return fields.length === 0 || fields.length > COLUMNS ? "" : ` (${fields.join(", ")})`;
}

/** Returns `true` if every row of the state `before` also exists in the state `after`. */
export function onlyAdds(before: Tables, after: Tables): boolean {
  return [...before.tables.keys(), ...after.tables.keys()].every(
    (table) => balance(before.tables.get(table) ?? NONE, after.tables.get(table) ?? NONE)[1] === 0,
  );
}

/** Two states of the stores: before and after a change. */
export type StoreChange = readonly [before: StoresView, after: StoresView];

/** Returns `true` if a row that a change from `first` to `second` removed exists again in `third`. */
export function bringsBackRows(first: Tables, second: Tables, third: Tables): boolean {
  return [...first.tables.keys(), ...second.tables.keys()].some((table) => {
    const [a, b, c] = [first, second, third].map(({ tables }) => tables.get(table) ?? NONE) as [Counts, Counts, Counts];
    return [...a.keys(), ...b.keys()].some((row) => of(a, row) > of(b, row) && of(c, row) > of(b, row));
  });
}

/** Returns `true` if both changes write the same value to the same column, in any row, and the value was removed between the two changes. */
export function redoes([start, first]: StoreChange, [between, second]: StoreChange): boolean {
  const [a, b, c, d] = [start, first, between, second].map(cellsOf) as [Counts, Counts, Counts, Counts];
  return [...a.keys(), ...b.keys()].some((cell) => of(b, cell) > of(a, cell) && of(b, cell) > of(c, cell) && of(d, cell) > of(c, cell));
}

/** Returns `true` if a change adds a value that the stores already had in the state `first`, or removes a value that they did not have there. */
export function repeats(first: StoresView, [between, second]: StoreChange): boolean {
  const [a, b, c] = [first, between, second].map(cellsOf) as [Counts, Counts, Counts];
  return [...a].some(([cell, count]) => Math.sign(of(c, cell) - of(b, cell)) === Math.sign(count) && count !== 0);
}

/** Returns `true` if `second` changes each field that `first` changes. */
export function changesEveryField([start, first]: StoreChange, [between, second]: StoreChange): boolean {
  const again = new Set(between.changedFields(second));
  return start.changedFields(first).every((field) => again.has(field));
}

/** The number of occurrences of each row or value. Negative for removed rows of the root state. */
type Counts = ReadonlyMap<string, number>;

const of = (counts: Counts, key: string): number => counts.get(key) ?? 0;

/** Counts the values of each column of each table. A list or an object counts as the values in it. Bytes count as one value. */
function cellsOf({ tables }: Tables): Counts {
  const cells = new Map<string, number>();
  for (const [table, rows] of tables) {
    for (const [row, count] of rows) {
      for (const [column, value] of (JSON.parse(row) as readonly unknown[]).entries()) {
        for (const cell of valuesIn(value, `${table}\n${column}`)) cells.set(cell, (cells.get(cell) ?? 0) + count);
      }
    }
  }
  return cells;
}

function valuesIn(value: unknown, path: string): readonly string[] {
  const parts = isText(value) ? value.parts : [value];
  // Leave out times, because two steps may write equal times by chance.
  if (parts.some(isTime)) return [];
  const named = parts.map((part) => (isGenerated(part) ? part.key : part));
  if (isText(value) || isGenerated(value) || isBytes(value) || typeof value !== "object" || value === null)
    return [`${path}\n${JSON.stringify(named)}`];
  const inside = Array.isArray(value) ? value.map((one: unknown) => ["*", one] as const) : Object.entries(value);
  return inside.flatMap(([key, one]) => valuesIn(one, `${path}\n${key}`));
}

/**
 * Returns `true` for an object with which seqqa has replaced a generated value, a time or a text in a row; see `src/state/values/named.ts`. All other
 * objects in rows are JSON of the target.
 */
const isGenerated = (value: unknown): value is { readonly key: string } => isNamed(value) && typeof value["key"] === "string";
const isTime = (value: unknown): boolean => isNamed(value) && typeof value["ms"] === "number" && isObject(value["origin"]);
const isNamed = (value: unknown): value is Item => isObject(value) && typeof value["form"] === "string";
const isText = (value: unknown): value is { readonly parts: readonly unknown[] } =>
  isObject(value) && Array.isArray(value["parts"]) && value["parts"].some((part) => isGenerated(part) || isTime(part));

/** Returns `true` for the JSON of a `Buffer` or `Uint8Array`. */
function isBytes(value: unknown): boolean {
  return (
    isObject(value) &&
    (value["type"] === "Buffer" ? Array.isArray(value["data"]) : "0" in value && Object.values(value).every(Number.isInteger))
  );
}

const NONE: ReadonlyMap<string, number> = new Map();

function balance(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): [added: number, removed: number] {
  let [added, removed] = [0, 0];
  for (const row of new Set([...before.keys(), ...after.keys()])) {
    const more = (after.get(row) ?? 0) - (before.get(row) ?? 0);
    if (more > 0) added += more;
    else removed -= more;
  }
  return [added, removed];
}

const rows = (count: number): string => `${count} ${count === 1 ? "row" : "rows"}`;
