import { isDeepStrictEqual, types } from "node:util";
import type { ObservedColumn, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import { isPlain, joinedTimes, type DroppedField, type GeneratedPlace, type Knowledge, type TimePlace } from "./knowledge.ts";
import {
  columnPlace,
  fieldOf,
  INDEX,
  JSON_TEXT,
  JWT_TEXT,
  KEY,
  parsedJson,
  parsedJwt,
  parsedSigned,
  placeText,
  singular,
  SIGNED_TEXT,
  tableOf,
  tablePlace,
} from "../values/places.ts";
import { momentsOf } from "./moments.ts";
import { FURTHEST_MS, momentOf, offsetFromStep, resolutionOf, type StepWindow } from "../values/times.ts";
import { differingWords, wordOf, wordOfBytes } from "../values/words.ts";

/** A state that a step led to, with the time in which the step ran. */
export interface Execution {
  readonly facts: Facts;
  readonly window: StepWindow;
}

/** A place where one comparison of two executions found generated values, with an example. */
export interface ComparedPlace extends GeneratedPlace {
  readonly field: string;
  /**
   * The counters that may have generated the integer, because they gave the same pair of values in the two executions. A counter whose table name
   * occurs in the place comes first. The first counter is also the {@link domain}. Empty if the value is not an integer.
   */
  readonly domains: readonly string[];
  /**
   * `true` if no key of a table had the same pair of values. Such an integer counts as generated only if it grows with each execution and does not
   * change afterwards.
   */
  readonly isLoose?: boolean | undefined;
  readonly sample: readonly [string, string];
}

export interface Compared {
  readonly generated: readonly ComparedPlace[];
  readonly times: readonly TimePlace[];
  /** Times that are equal in both executions, although the executions ran in different seconds. The times may be at any place of the state. */
  readonly constants: readonly ConstantTime[];
  readonly unexplained: readonly DroppedField[];
}

export interface ConstantTime {
  readonly place: string;
  readonly ms: number;
}

export interface CompareOptions {
  /** Knowledge from earlier experiments. Differences that it explains are skipped. */
  readonly known: Knowledge;
}

/** The largest number of rows that are paired, because pairing takes quadratic time. */
const MOST_ROWS = 200;
const DEEPEST = 100;
/** Two offsets of one place that differ by less than this number of milliseconds count as one offset, observed after different steps of a path. */
const SAME_OFFSET_MS = 3_600_000;
/** The smallest distance of a constant time from its step, in milliseconds. A nearer time may be the present time in whole minutes, hours or days. */
const NEAREST_CONSTANT_MS = 86_400_000;
/** A text that consists of at least this number of digits counts as an id, not as a number from a counter, unless it is a key of a table. */
const ID_DIGITS = 15;

interface Pair {
  readonly place: string;
  readonly a: unknown;
  readonly b: unknown;
  readonly column?: ObservedColumn | undefined;
  /** The place of the key that contains the value: the column itself, or the column to which it refers. `undefined` for values outside of keys. */
  readonly domain?: string | undefined;
}

/**
 * Compares two executions of one step from equal states, and returns the causes of their differences. A text counts as generated only if the texts
 * correspond one to one: equal values of the first execution are equal in the second.
 */
export function compareExecutions(a: Execution, b: Execution, options: CompareOptions): Compared {
  const collector = new Pairs(options.known);
  collector.facts(a.facts, b.facts);
  const generated: ComparedPlace[] = [];
  const times: TimePlace[] = [];
  const unexplained: DroppedField[] = [...collector.structure];
  const texts: { readonly place: string; readonly after: string; readonly a: string; readonly b: string; readonly pair: Pair }[] = [];
  const integers: Pair[] = [];
  const domains = new Domains();
  const textKeys = new Set<string>();
  for (const { domain, a: x, b: y } of [...collector.keys, ...collector.pairs]) {
    if (domain === undefined) continue;
    const isText = isTimeInDigits(x, a.window) && isTimeInDigits(y, b.window);
    if (isText) textKeys.add(`${String(x)}\n${String(y)}`);
    // A text with more digits is an id and needs no counter, because equal ids are the same value everywhere.
    if ((isInteger(x) && isInteger(y)) || (isText && String(x).length < ID_DIGITS)) domains.add(domain, String(x), String(y));
  }
  for (const pair of collector.pairs) {
    // A key that looks like a time is still a key, and so is a reference to such a key.
    const isNumber = isInteger(pair.a) && isInteger(pair.b);
    const isKey = isNumber ? domains.of(pair).length > 0 : textKeys.has(`${String(pair.a)}\n${String(pair.b)}`);
    const time = isKey ? undefined : timeAt(pair, a.window, b.window);
    if (time !== undefined) times.push(time);
    else if (isInteger(pair.a) && isInteger(pair.b)) integers.push(pair);
    else if (typeof pair.a === "string" && typeof pair.b === "string") {
      for (const words of differingWords(pair.a, pair.b)) {
        const within = words.after === "" ? undefined : timeAt({ ...pair, a: words.a, b: words.b }, a.window, b.window);
        if (within === undefined) texts.push({ place: pair.place, ...words, pair });
        else times.push({ ...within, after: words.after });
      }
    } else if (pair.a instanceof Uint8Array && pair.b instanceof Uint8Array) {
      texts.push({ place: pair.place, after: "", a: wordOfBytes(pair.a).key, b: wordOfBytes(pair.b).key, pair });
    } else unexplained.push(dropped(pair));
  }
  // Counters outside of tables: integers that change between executions but are no keys, such as a counter in a probe or in the context.
  const loose = new Domains();
  for (const pair of integers)
    if (pair.column === undefined && domains.of(pair).length === 0) loose.add(pair.place, String(pair.a), String(pair.b));
  for (const pair of integers) {
    const keys = domains.of(pair);
    const all = keys.length > 0 ? keys : loose.largest(pair);
    const isLoose = keys.length === 0;
    // A key may descend below zero. Other numbers below zero are no ids.
    if (all.length === 0 || (isLoose && !(isNatural(pair.a) && isNatural(pair.b)))) unexplained.push(dropped(pair));
    else generated.push({ ...sampleOf(pair), place: pair.place, after: "", domain: all[0], domains: all, isLoose });
  }
  const forth = new Map<string, string>();
  const back = new Map<string, string>();
  for (const { place, after, a: x, b: y, pair } of texts) {
    const holding = /^\d+$/.test(x) && /^\d+$/.test(y) ? domains.holding(x, y, place) : undefined;
    // A text of at least ID_DIGITS digits that no key explains is an id, such as a snowflake. Equal ids are the same value everywhere.
    const isId = holding?.length === 0 && Math.min(x.length, y.length) >= ID_DIGITS;
    if (holding !== undefined && !isId) {
      // Digits inside a text may come from a counter that no table shows. The place of the text itself is then used as the counter.
      const all = [...holding, after === "" ? place : `${place} after ${after}`];
      generated.push({ field: fieldOf(place), sample: [x, y], place, after, domain: all[0], domains: all });
      continue;
    }
    const [from, to] = [wordOf(x).key, wordOf(y).key];
    if ((forth.get(from) ?? to) !== to || (back.get(to) ?? from) !== from || collector.isCommon(from) || collector.isCommon(to)) {
      unexplained.push(dropped(pair));
      continue;
    }
    forth.set(from, to);
    back.set(to, from);
    generated.push(generatedText(place, after, [x, y]));
  }
  for (const { place, a: x, b: y } of collector.again) {
    const { time, whole } = collector.knownAt(place);
    const later = time && laterTime({ place, a: x, b: y }, time, [a.window, b.window]);
    if (later !== undefined) times.push(later);
    const [from, to] = [textOf(x), textOf(y)];
    if (whole === undefined || whole.domain !== undefined || from === undefined || to === undefined) continue;
    if (isPlain(from, whole) || isPlain(to, whole)) generated.push(generatedText(place, "", [from, to]));
  }
  return { generated, times: joinedTimes(times), constants: constantsOf(a, b), unexplained };
}

function generatedText(place: string, after: string, sample: readonly [string, string]): ComparedPlace {
  const leastLength = Math.min(...sample.map(({ length }) => length));
  return { field: fieldOf(place), sample, place, after, domain: undefined, domains: [], leastLength };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : value instanceof Uint8Array ? wordOfBytes(value).key : undefined;
}

/**
 * Returns a time at a known place that is far from its step and that no known offset explains; `undefined` for other times. After later steps, both
 * executions show such a time again with a slightly different offset, which does not count as a new offset.
 */
function laterTime(pair: Pair, { offsets = [] }: TimePlace, [a, b]: readonly [StepWindow, StepWindow]): TimePlace | undefined {
  const time = timeAt(pair, a, b);
  const [offset = 0] = time?.offsets ?? [];
  return Math.abs(offset) > FURTHEST_MS && !offsets.some((one) => Math.abs(one - offset) < SAME_OFFSET_MS) ? time : undefined;
}

interface Cell {
  readonly column: ObservedColumn;
  readonly domain: string | undefined;
}

class Domains {
  readonly #pairs = new Map<string, Set<string>>();

  add(domain: string, a: string, b: string): void {
    const pairs = this.#pairs.get(domain) ?? new Set();
    this.#pairs.set(domain, pairs.add(`${a}\n${b}`));
  }

  /**
   * Returns the counters that may have generated two integers at one place. A foreign key has the counter of the key to which it refers. A key has
   * its own counter. If the column of the key is named after another table, such as `user_id`, and that table has the same values, the counter of that
   * table comes first. For integers that are neither keys nor foreign keys, see {@link holding}.
   */
  of({ a, b, place, domain, column }: Pair): readonly string[] {
    if (domain === undefined) return this.holding(String(a), String(b), place);
    if (column?.references !== undefined) return [domain];
    const others = this.holding(String(a), String(b), place).filter((one) => one !== domain && isNamedIn(place, one));
    return [...others, domain];
  }

  /**
   * Returns the counters outside of tables that gave the first integer in the first execution and the second integer in the second execution.
   * Counters with the most pairs of integers come first.
   */
  largest({ a, b }: Pair): readonly string[] {
    const all = [...this.#pairs].filter(([, pairs]) => pairs.has(`${String(a)}\n${String(b)}`));
    return all.toSorted(([x, one], [y, other]) => other.size - one.size || (x < y ? -1 : 1)).map(([domain]) => domain);
  }

  /**
   * Returns the counters of tables (sequences, auto-increment) from which the first execution got the number `a` and the second got `b`. Counters of
   * a table that the place is named after (`order_id`) come first.
   */
  holding(a: string, b: string, place: string): readonly string[] {
    const all = [...this.#pairs].filter(([, pairs]) => pairs.has(`${a}\n${b}`)).map(([domain]) => domain);
    return [...all.filter((domain) => isNamedIn(place, domain)), ...all.filter((domain) => !isNamedIn(place, domain))];
  }
}

/** Returns `true` if the last part of a place, such as a column, contains the name of a domain's table. */
function isNamedIn(place: string, domain: string): boolean {
  return (JSON.parse(place) as readonly string[])
    .at(-1)!
    .toLowerCase()
    .includes(singular(tableOf(domain)!));
}

/** Returns `true` for a text of digits that reads as a time near a step, such as an id that is made from the milliseconds since 1970. */
function isTimeInDigits(value: unknown, { startMs }: StepWindow): boolean {
  const moment = typeof value === "string" && /^\d{13,19}$/.test(value) ? momentOf(value) : undefined;
  return moment !== undefined && Math.abs(moment.ms - startMs) < FURTHEST_MS;
}

const isInteger = (value: unknown): boolean => typeof value === "bigint" || Number.isSafeInteger(value);
const isNatural = (value: unknown): boolean => (value as number | bigint) >= 0;

function sampleOf({ place, a, b }: Pair): Pick<ComparedPlace, "field" | "sample"> {
  return { field: fieldOf(place), sample: [String(a), String(b)] };
}

function dropped({ place, a, b }: Pair): DroppedField {
  return { field: fieldOf(place), values: [shown(a), shown(b)] };
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array) && !(value instanceof Date)) return "an object";
  const text =
    typeof value === "string" ? JSON.stringify(value) : value instanceof Uint8Array ? `x"${wordOfBytes(value).key}"` : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

/**
 * Compares the times that two executions wrote at one place. Returns how the times depend on their steps: both have the same offset from their steps,
 * or the distance between the times equals the distance between the steps. `undefined` for other times, and for values that are no times.
 */
function timeAt({ place, a, b }: Pair, windowA: StepWindow, windowB: StepWindow): TimePlace | undefined {
  const [x, y] = [momentOf(a), momentOf(b)];
  if (x === undefined || y === undefined || x.form !== y.form) return undefined;
  const resolutionMs = Math.min(resolutionOf(x), resolutionOf(y));
  const offset = offsetFromStep(x, windowA, resolutionMs);
  const alike = offset === offsetFromStep(y, windowB, resolutionMs);
  // Times without a fixed offset may depend on a time that an earlier step wrote. The difference between the two times then equals the difference
  // between the starts of the two steps.
  const apart = Math.abs(y.ms - x.ms - (windowB.startMs - windowA.startMs));
  // A number far from the present is no time: snowflake ids have as many digits as times in nanoseconds, and grow with the time, too.
  const isFar = ["us", "ns"].includes(x.form) && Math.abs(x.ms - windowA.startMs) > FURTHEST_MS;
  if (!alike && isFar) return undefined;
  if (!alike && apart > Math.max(1_000, windowA.endMs - windowA.startMs, windowB.endMs - windowB.startMs) + resolutionMs) return undefined;
  return { place, after: "", resolutionMs, base: alike ? "step" : "stored", offsets: alike ? [offset] : [] };
}

class Pairs {
  readonly pairs: Pair[] = [];
  readonly structure: DroppedField[] = [];
  readonly keys: Pair[] = [];
  /** Values at places that are already known. A later step may write values at such a place that the knowledge does not explain. */
  readonly again: Pair[] = [];
  readonly #wholes: ReadonlyMap<string, GeneratedPlace>;
  readonly #times: ReadonlyMap<string, TimePlace>;
  readonly #left: ReadonlySet<string>;
  /** Texts that are equal in both executions at some place, so that they cannot be generated. */
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
        this.structure.push({ field: name, values: [`${rowsA.length} rows`, `${rowsB.length} rows`] });
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
    const placeOf = (index: number, row: readonly StoredValue[]): readonly string[] => [
      ...tablePlace(system, name),
      columnPlace(columns, index, row),
    ];
    const equal = new Map<string, number>();
    const keyOf = (row: readonly StoredValue[]): string =>
      row.map((cell) => (typeof cell === "bigint" ? `${cell}n` : JSON.stringify(cell))).join();
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
      columns.forEach((column, index) => {
        const at = placeOf(index, x);
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
      // JSON is never one generated value as a whole.
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

/** Returns the times that both executions have at the same place, if the steps cannot have run in the same second. */
function constantsOf(a: Execution, b: Execution): readonly ConstantTime[] {
  const apartMs = Math.max(b.window.startMs - a.window.endMs, a.window.startMs - b.window.endMs);
  if (apartMs < 1_000) return [];
  const others = new Set(momentsOf(b.facts).map(({ place, moment }) => `${place} ${moment.ms}`));
  return momentsOf(a.facts)
    .filter(({ place, moment: { ms } }) => Math.abs(ms - a.window.endMs) > NEAREST_CONSTANT_MS && others.has(`${place} ${ms}`))
    .map(({ place, moment: { ms } }) => ({ place, ms }));
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === typeof b && isDeepStrictEqual(a, b));
}

function entriesOf(value: object): Map<unknown, unknown> | undefined {
  if (types.isMap(value)) return new Map(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? new Map(Object.entries(value)) : undefined;
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
