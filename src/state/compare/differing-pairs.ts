import { isDeepStrictEqual, types } from "node:util";
import type { ObservedColumn, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import { fieldOfKind } from "../../model/stores/field-of-kind.ts";
import { ROWS } from "../../model/stores/ignore-line.ts";
import { patternOf } from "../canonical/row-kinds.ts";
import type { Facts } from "../canonical/facts.ts";
import {
  columnPlace,
  droppableField,
  fieldOf,
  INDEX,
  JSON_TEXT,
  JWT_TEXT,
  KEY,
  parsedJson,
  parsedJwt,
  parsedSigned,
  placeText,
  SIGNED_TEXT,
  tablePlace,
} from "../values/places.ts";
import { steadyLifetime } from "../values/times.ts";
import { differingWords, splitAtWords, wordOf, wordOfBytes } from "../values/words.ts";
import type { DroppedField, GeneratedPlace, Knowledge, TimePlace } from "./knowledge.ts";

/** The largest number of rows that are paired, because pairing takes quadratic time. */
const MOST_ROWS = 200;
const DEEPEST = 100;

/** Two different values that two executions have at one place. */
export interface Pair {
  readonly place: string;
  readonly a: unknown;
  readonly b: unknown;
  readonly column?: ObservedColumn | undefined;
  /**
   * The place of the key to which the value belongs: the column itself for a primary key, the referenced column for a foreign key. `undefined` for
   * other values.
   */
  readonly domain?: string | undefined;
}

interface Cell {
  readonly column: ObservedColumn;
  readonly domain: string | undefined;
}

/** Compares the facts of two executions, and collects the values that differ. Rows of tables are paired with the most similar rows. */
export class DifferingPairs {
  /** Values at places that are not yet known. */
  readonly pairs: Pair[] = [];
  /** Differences in the number of rows. The rows of such a table are not compared. */
  readonly structure: DroppedField[] = [];
  /** Keys and references to keys at places that are already known. */
  readonly keys: Pair[] = [];
  /** Values at places that are already known. A later step may write values at such a place that the knowledge does not explain. */
  readonly again: Pair[] = [];
  readonly #wholes: ReadonlyMap<string, GeneratedPlace>;
  readonly #times: ReadonlyMap<string, TimePlace>;
  readonly #left: ReadonlySet<string>;
  /** Texts that are equal in both executions at some place. Such texts cannot be generated. */
  readonly #common = new Set<string>();

  constructor({ generated, times, dropped: fields, background }: Knowledge) {
    const byPlace = <T extends GeneratedPlace | TimePlace>(all: readonly T[]): ReadonlyMap<string, T> =>
      new Map(all.filter(({ after }) => after === "").map((one) => [one.place, one]));
    this.#wholes = byPlace(generated);
    this.#times = byPlace(times);
    this.#left = new Set([...fields.map(({ field }) => field), ...background]);
  }

  knownAt(place: string): { readonly whole: GeneratedPlace | undefined; readonly time: TimePlace | undefined } {
    return { whole: this.#wholes.get(place), time: this.#times.get(place) };
  }

  isCommon(key: string): boolean {
    return this.#common.has(key);
  }

  facts(a: Facts, b: Facts): void {
    for (const name of new Set([...Object.keys(a.systems), ...Object.keys(b.systems)])) {
      const [x, y] = [a.systems[name], b.systems[name]];
      if (x?.kind === "value" && y?.kind === "value") this.#value(x.value, y.value, ["systems", name], 0);
      if (x?.kind === "rows" && y?.kind === "rows") this.#tables(name, x.tables, y.tables);
    }
    this.#value(a.context, b.context, ["context"], 0);
    this.#value(a.clients, b.clients, ["clients"], 0);
  }

  #tables(system: string, a: readonly ObservedTable[], b: readonly ObservedTable[]): void {
    for (const name of new Set([...a, ...b].map((table) => table.name))) {
      const [x, y] = [a, b].map((tables) => tables.find((table) => table.name === name));
      const rowsA = x?.added ?? [];
      const rowsB = y?.added ?? [];
      if (rowsA.length !== rowsB.length) {
        this.structure.push(...rowCounts((x ?? y)!, rowsA, rowsB));
        continue;
      }
      this.#rows(system, (x ?? y)!, rowsA, rowsB);
    }
  }

  #rows(
    system: string,
    { name, columns }: ObservedTable,
    a: readonly (readonly StoredValue[])[],
    b: readonly (readonly StoredValue[])[],
  ): void {
    const equal = new Map<string, number>();
    const keyOf = (row: readonly StoredValue[]): string =>
      row.map((cell) => (typeof cell === "bigint" ? `${cell}n` : Object.is(cell, -0) ? "-0" : JSON.stringify(cell))).join();
    for (const row of b) equal.set(keyOf(row), (equal.get(keyOf(row)) ?? 0) + 1);
    const left: (readonly StoredValue[])[] = [];
    for (const row of a) {
      const count = equal.get(keyOf(row)) ?? 0;
      if (count === 0) left.push(row);
      else equal.set(keyOf(row), count - 1);
      if (count > 0) for (const cell of row) this.#meet(cell);
    }
    const right = b.filter((row) => {
      const known = equal.get(keyOf(row)) ?? 0;
      if (known > 0) equal.set(keyOf(row), known - 1);
      return known > 0;
    });
    for (const [x, y] of paired(left.slice(0, MOST_ROWS), right.slice(0, MOST_ROWS))) {
      const kinds = x.map((cell, index) => (columns[index]!.kind === true ? withoutDifferences(cell, y[index]) : cell));
      columns.forEach((column, index) => {
        const at = [...tablePlace(system, name), columnPlace(columns, index, kinds)];
        const target = column.references;
        const domain =
          target !== undefined
            ? placeText([...tablePlace(system, target.table), target.column])
            : column.key === true
              ? placeText(at)
              : undefined;
        this.#value(x[index], y[index], at, 0, { column, domain });
      });
    }
  }

  #value(a: unknown, b: unknown, segments: readonly string[], depth: number, cell?: Cell): void {
    if (isSame(a, b)) return this.#meet(a);
    const place = placeText(segments);
    const isLeft = this.#left.has(fieldOf(place));
    if (isLeft || this.#wholes.has(place) || this.#times.has(place)) {
      if (cell?.domain !== undefined) this.keys.push({ place, a, b, domain: cell.domain });
      // A JSON text is never a generated value as a whole; only values inside the text are generated.
      if (!isLeft && (this.#times.has(place) || !this.#json(a, b, segments, depth))) this.again.push({ place, a, b });
      return;
    }
    if (
      depth < DEEPEST &&
      typeof a === "object" &&
      typeof b === "object" &&
      a !== null &&
      b !== null &&
      this.#inside(a, b, segments, depth)
    )
      return;
    if (this.#json(a, b, segments, depth)) return;
    if (typeof a === "string" && typeof b === "string") {
      const [one, other] = [parsedJwt(a), parsedJwt(b)];
      if (one !== undefined && other !== undefined && !isSame(one, other))
        return this.#value(one, other, [...segments, JWT_TEXT], depth + 1);
      const [signed, otherSigned] = [parsedSigned(a), parsedSigned(b)];
      if (signed !== undefined && otherSigned !== undefined && !isSame(signed, otherSigned))
        return this.#value(signed, otherSigned, [...segments, SIGNED_TEXT], depth + 1);
    }
    this.pairs.push({ place, a, b, column: cell?.column, domain: cell?.domain });
  }

  /** Compares the contents of two texts that are both JSON. Returns `false` for other values. */
  #json(a: unknown, b: unknown, segments: readonly string[], depth: number): boolean {
    const [x, y] = [a, b].map((value) => (typeof value === "string" ? parsedJson(value) : undefined));
    if (x === undefined || y === undefined) return false;
    this.#value(x, y, [...segments, JSON_TEXT], depth + 1);
    return true;
  }

  /** Compares the contents of two objects of the same class. Returns `false` if the class has no contents that can be compared separately. */
  #inside(a: object, b: object, segments: readonly string[], depth: number): boolean {
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      a.forEach((item, index) => this.#value(item, b[index], [...segments, INDEX], depth + 1));
      return true;
    }
    if (types.isSet(a) && types.isSet(b)) {
      if (a.size !== b.size) return false;
      const [left, right] = [[...a].filter((member) => !b.has(member)), [...b].filter((member) => !a.has(member))];
      for (const member of a) if (b.has(member)) this.#meet(member);
      // Rules cannot name the members of a Set, so a member has the place of a key.
      left.forEach((member, index) => this.#value(member, right[index], [...segments, KEY], depth + 1));
      return true;
    }
    const [x, y] = [entriesOf(a), entriesOf(b)];
    if (x === undefined || y === undefined || x.size !== y.size) return false;
    const onlyA = [...x].filter(([key]) => !y.has(key));
    const onlyB = [...y].filter(([key]) => !x.has(key));
    for (const [key, item] of x) if (y.has(key)) this.#value(item, y.get(key), [...segments, String(key)], depth + 1);
    onlyA.forEach(([key, item], index) => {
      const [other, otherItem] = onlyB[index]!;
      this.#value(key, other, [...segments, KEY], depth + 1);
      this.#value(item, otherItem, [...segments, "*"], depth + 1);
    });
    return true;
  }

  #meet(value: unknown): void {
    if (typeof value === "string") this.#common.add(wordOf(value).key);
  }
}

/** Returns a difference that has no known cause, with its two values. Its field is a part of the state that can be left out. */
export function dropped({ place, a, b }: Pair): DroppedField {
  return { field: droppableField(place), values: [shown(a), shown(b)] };
}

/**
 * Returns the difference in the number of rows. If the table contains all keys of a type, as for Redis, returns one difference for each pattern of
 * keys, because `ignore` can name keys.
 */
function rowCounts(
  { name, columns }: ObservedTable,
  a: readonly (readonly StoredValue[])[],
  b: readonly (readonly StoredValue[])[],
): readonly DroppedField[] {
  const key = columns.findIndex((column) => column.name === "key" && column.kind === true);
  const fieldOfRow = (row: readonly StoredValue[]): string =>
    key < 0 ? name : fieldOfKind(`${name}${ROWS}`, { key: patternOf(row[key], () => null) });
  const counts = new Map<string, [number, number]>();
  for (const [side, rows] of [a, b].entries()) {
    for (const row of rows) {
      const count = counts.get(fieldOfRow(row)) ?? [0, 0];
      count[side]!++;
      counts.set(fieldOfRow(row), count);
    }
  }
  return [...counts].flatMap(([field, [x, y]]) =>
    x === y ? [] : [{ field, values: [`${x} rows`, `${y} rows`] as const, isRows: true as const }],
  );
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array) && !(value instanceof Date)) return "an object";
  const text =
    typeof value === "string" ? JSON.stringify(value) : value instanceof Uint8Array ? `x"${wordOfBytes(value).key}"` : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

/** Returns the key or field name of a row, with `*` for each word that differs between the two executions. */
function withoutDifferences(a: StoredValue, b: StoredValue | undefined): StoredValue {
  if (typeof a !== "string" || typeof b !== "string" || a === b) return a;
  const pairs = differingWords(a, b);
  if (pairs.some(({ after }) => after === "")) return "*";
  const parts = splitAtWords(a, (word, after) => pairs.some((pair) => pair.after === after && pair.a === word) || undefined);
  return parts?.map(({ text, found }) => (found === true ? "*" : text)).join("") ?? a;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === typeof b && isDeepStrictEqual(a, b));
}

function entriesOf(value: object): Map<unknown, unknown> | undefined {
  if (types.isMap(value)) return new Map(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  return new Map(Object.entries(value).map(([key, item]) => [key, steadyLifetime(key, item)]));
}

function paired(
  a: readonly (readonly StoredValue[])[],
  b: readonly (readonly StoredValue[])[],
): readonly (readonly [readonly StoredValue[], readonly StoredValue[]])[] {
  const all = a.flatMap((x, i) => b.map((y, j) => ({ i, j, differing: x.filter((cell, index) => !isSame(cell, y[index])).length })));
  all.sort((one, other) => one.differing - other.differing || one.i - other.i || one.j - other.j);
  const usedA = new Set<number>();
  const usedB = new Set<number>();
  const pairs: (readonly [readonly StoredValue[], readonly StoredValue[]])[] = [];
  for (const { i, j } of all) {
    if (usedA.has(i) || usedB.has(j)) continue;
    usedA.add(i);
    usedB.add(j);
    pairs.push([a[i]!, b[j]!]);
  }
  return pairs;
}
