import type { Facts } from "../../state/canonical/facts.ts";
import { Generated, JsonText, Mixed, Time } from "../../state/values/named.ts";

/** Strings of up to this length may be words that occur often, such as statuses and roles. All longer strings count as equal. */
const LONGEST = 24;
/** Matches strings that look like ids or times. Such strings nearly always differ, so a shape treats all of them as one value. */
const DRAWN = /\d{4}|[0-9a-f]{8}/i;

/**
 * Returns a 32-bit hash of the structure of a state: the number of rows of each table or of items of each key, and values that occur often. Booleans,
 * NULL, short words and the magnitude of numbers count as such values. The hash depends only on the state, so it is equal on every lane.
 */
export function shapeOf(facts: Facts): number {
  let shape = 17;
  for (const name of Object.keys(facts.systems).toSorted()) {
    const observed = facts.systems[name]!;
    shape = combine(shape, text(name));
    if (observed.kind === "value") {
      shape = combine(shape, value(observed.value, 0));
      continue;
    }
    for (const table of observed.tables) {
      let rows = combine(text(table.name), table.removed.length);
      for (const row of table.added) rows = (rows + finish(row.reduce<number>((hash, cell) => combine(hash, value(cell, 1)), 3))) | 0;
      shape = combine(shape, rows);
    }
  }
  if (facts.node !== undefined) shape = combine(shape, text(facts.node));
  return combine(combine(shape, value(facts.context, 0)), value(facts.clients, 0));
}

function value(given: unknown, depth: number): number {
  switch (typeof given) {
    case "boolean":
      return given ? 2 : 3;
    case "number":
      return Number.isFinite(given) ? 8 + Math.sign(given) * (32 - Math.clz32(Math.abs(given) | 0)) : 5;
    case "string":
      return given.length <= LONGEST && !DRAWN.test(given) ? text(given) : 6;
    case "object":
      if (given instanceof Generated || given instanceof Time || given instanceof Mixed || given instanceof JsonText) return 6;
      if (given === null || depth > 20) return 7;
      if (Array.isArray(given)) return given.reduce<number>((sum, item) => (sum + finish(value(item, depth + 1))) | 0, given.length);
      return Object.keys(given)
        .toSorted()
        .reduce<number>((hash, key) => combine(combine(hash, text(key)), value((given as Record<string, unknown>)[key], depth + 1)), 11);
    default:
      return 4;
  }
}

function text(given: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < given.length; i++) hash = Math.imul(hash ^ given.charCodeAt(i), 0x01000193);
  return finish(hash);
}

function combine(a: number, b: number): number {
  return finish(Math.imul(a, 31) ^ (b + 0x9e3779b9));
}

function finish(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}
