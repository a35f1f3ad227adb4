import type { Observed } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import type { CallEnd } from "./execution.ts";
import { dataOf, NO_VISITOR, plain } from "./id-places.ts";
import { mapFacts, type FactsVisitor } from "./map-facts.ts";
import { isRecord } from "./responses-agree.ts";

/** The last words of names of values that calls give to their callers. Two callers must not get the same value. */
const GIVEN: ReadonlySet<string> = new Set(
  (
    "id uuid guid key code pin otp token secret password nonce ticket coupon voucher license number no nr num serial sequence seq index reference ref " +
    "receipt invoice seat slot position place rank turn next room table locker prize gift winner name label slug url uri link href location"
  ).split(" "),
);

/** An answer of a trial, the answer of the same call in an order of the calls, and the answers of the later calls of this order. */
export interface Readings {
  readonly trial: CallEnd;
  readonly own: CallEnd;
  readonly later: readonly CallEnd[];
}

/**
 * Finds values in answers that a call read after its write, when later calls had already written, too. Such values show no race, because many correct
 * servers write in one atomic statement and read their answer in a second one.
 */
export class LaterReadings {
  /** The values that the calls wrote, by `name value`, with the number of places that hold the value. */
  readonly #written: ReadonlyMap<string, number>;
  /** The names of the tables in the singular, such as `order`. A value with such a name refers to a row. */
  readonly #rows: ReadonlySet<string>;
  /** The number of places at which the last compared answer was read later. */
  #found = 0;
  /** `true` if words and booleans count, too, because the same answer contains a number or a stored value that was read later. */
  #withWords = false;

  /** @param before The state before the calls. @param after The state after all calls. */
  constructor(before: Facts, after: Facts) {
    const written = valuesIn(after);
    for (const [value, count] of valuesIn(before)) written.set(value, (written.get(value) ?? 0) - count);
    this.#written = written;
    this.#rows = new Set(
      Object.values(after.systems).flatMap((one) => (one.kind === "rows" ? one.tables.flatMap(({ name }) => singulars(plain(name))) : [])),
    );
  }

  /**
   * Returns the answers of a trial and of an order, with the same values at the places that the trial read later. The answer of the last call of an
   * order stays as it is.
   */
  without({ trial, own, later }: Readings): readonly [trial: CallEnd, own: CallEnd] {
    if (later.length === 0) return [trial, own];
    const read = (): readonly [unknown, unknown] => this.#without(dataOf(trial), dataOf(own), later.map(dataOf), "");
    [this.#found, this.#withWords] = [0, false];
    let [a, b] = read();
    this.#withWords = this.#found > 0;
    if (this.#withWords) [a, b] = read();
    return [
      { ...trial, body: JSON.stringify(a) },
      { ...own, body: JSON.stringify(b) },
    ];
  }

  #without(trial: unknown, own: unknown, later: readonly unknown[], name: string): readonly [unknown, unknown] {
    if (Array.isArray(trial) && Array.isArray(own)) {
      const ofOne = name.replace(/s$/, "");
      const lists = later.filter((one): one is readonly unknown[] => Array.isArray(one) && one.length === trial.length);
      if (trial.length !== own.length) return lists.length > 0 && !this.#isGiven(ofOne) ? ["~", "~"] : [trial, own];
      const items = trial.map((item, at) =>
        this.#without(
          item,
          own[at],
          lists.map((one) => one[at]),
          ofOne,
        ),
      );
      return [items.map(([item]) => item), items.map(([, item]) => item)];
    }
    if (isRecord(trial) && isRecord(own)) {
      const members = [...new Set([...Object.keys(trial), ...Object.keys(own)])].map((key) => {
        const others = later.flatMap((one) => (isRecord(one) && key in one ? [one[key]] : []));
        return [key, this.#without(trial[key], own[key], others, key)] as const;
      });
      const side = (at: 0 | 1): unknown =>
        Object.fromEntries(members.flatMap(([key, pair]) => (pair[at] === undefined ? [] : [[key, pair[at]]])));
      return [side(0), side(1)];
    }
    if (!this.#isLater(trial, own, later, name)) return [trial, own];
    this.#found++;
    return ["~", "~"];
  }

  #isLater(trial: unknown, own: unknown, later: readonly unknown[], name: string): boolean {
    if (trial === own || isObject(trial) || isObject(own) || this.#isGiven(name)) return false;
    // If a row still holds the value of the order under this name, the value is the call's own, and no later call has replaced it.
    if (this.#holds(name, own)) return false;
    if (this.#holds(name, trial)) return true;
    // A text such as `2 likes` shows a number. A word or a boolean such as `in_stock` may be computed from another value of the answer.
    const isOfNumbers =
      typeof trial === "number" || (typeof trial === "string" && /\d/.test(trial) && numbersHidden(trial) === numbersHidden(own));
    return (isOfNumbers || this.#withWords) && later.includes(trial);
  }

  #holds(name: string, value: unknown): boolean {
    return (this.#written.get(entry(name, value)) ?? 0) > 0;
  }

  #isGiven(name: string): boolean {
    const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
    const last = words.at(-1)?.toLowerCase();
    return last === undefined || GIVEN.has(last) || this.#rows.has(plain(name));
  }
}

/** Counts the values of a state by their names. Rows of the root state that the state lacks do not count. */
function valuesIn(facts: Facts): Map<string, number> {
  const found = new Map<string, number>();
  const add = (place: string, value: unknown): void => {
    const key = entry(/([^.]*)$/.exec(place.replaceAll(/\(.*\)|\[\]/g, ""))![1]!, value);
    found.set(key, (found.get(key) ?? 0) + 1);
  };
  const visitor: FactsVisitor = {
    ...NO_VISITOR,
    number: (place, _name, text, before) => {
      if (before === undefined) add(place, text);
      return undefined;
    },
    text: (place, text) => {
      if (!place.endsWith("{}")) add(place, text);
      return undefined;
    },
    other: add,
  };
  const systems = Object.entries(facts.systems).map(([name, one]): [string, Observed] => [
    name,
    one.kind === "value" ? one : { ...one, tables: one.tables.map((table) => ({ ...table, removed: [] })) },
  ]);
  mapFacts({ systems: Object.fromEntries(systems), context: {}, clients: {} }, visitor);
  return found;
}

const numbersHidden = (text: unknown): string => String(text).replaceAll(/\d+/g, "0");

/** Returns the possible singular forms of a name; an empty list for a name that is no plural. */
function singulars(name: string): readonly string[] {
  return name.endsWith("s") ? [name.slice(0, -1), name.replace(/(?:ies|es)$/, (end) => (end === "ies" ? "y" : ""))] : [];
}

const entry = (name: string, value: unknown): string => `${plain(name)} ${String(value)}`;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
