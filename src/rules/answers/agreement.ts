import { isDeepStrictEqual } from "node:util";
import { isObject, type Item } from "./answer-content.ts";

/** Matches the names of fields that hold links. Links may differ between answers, so they are not compared. */
const LINKS = /^(?:[_@$].*|links?|href|url|uri|self)$/i;
const DATE = /^\d{4}-\d\d-\d\d/;
/** Minimum number of characters of a text that may be a shortened form of a longer text. A shorter text counts only if it ends with dots. */
const CUT = 20;

/** Returns the fields that contradict each other in two answers about the same item. */
export function contradictions(one: Item, other: Item): readonly string[] {
  return Object.keys(one).filter((key) => Object.hasOwn(other, key) && !LINKS.test(key) && !agree(one[key], other[key]));
}

/** Returns `true` if a field has the same value in both items. */
export function isSteady(field: string, one: Item, other: Item): boolean {
  return isDeepStrictEqual(one[field], other[field]);
}

/**
 * Returns `false` only if two fields certainly show different values. Returns `true` for values of different types, a text and its shortened form,
 * and lists of different lengths, because one field may show the other's value in an abridged or different form.
 */
function agree(a: unknown, b: unknown): boolean {
  if (a === null || b === null || typeof a !== typeof b || Array.isArray(a) !== Array.isArray(b)) return true;
  if (typeof a === "number") return Math.abs(a - (b as number)) <= 1e-9 * Math.max(1, Math.abs(a));
  if (typeof a === "string") return sameText(a, b as string);
  if (Array.isArray(a)) return sameList(a, b as readonly unknown[]);
  if (isObject(a)) return contradictions(a, b as Item).length === 0;
  return a === b;
}

function sameText(a: string, b: string): boolean {
  if (a === b || a === "" || b === "") return true;
  if (DATE.test(a) && DATE.test(b)) return sameTime(a, b);
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const cut = short.replace(/\s*(?:\.\.\.|\u2026)$/, "");
  return (cut !== short || short.length >= CUT) && long.startsWith(cut);
}

/** Returns `true` if two times are equal, compared with the precision of the less exact time. */
function sameTime(a: string, b: string): boolean {
  if (a.length === 10 || b.length === 10) return a.slice(0, 10) === b.slice(0, 10);
  const [one, other] = [Date.parse(a), Date.parse(b)];
  // If the texts differ in length, one time is less exact: it has no zone, or no fraction of a second. A difference below one second is then allowed.
  // If only one time has a zone, any difference is allowed.
  return Number.isNaN(one) || Number.isNaN(other) || a.length !== b.length
    ? Math.abs(one - other) < 1000 || hasNoZone(a) !== hasNoZone(b)
    : one === other;
}

const hasNoZone = (text: string): boolean => !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text);

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return true;
  if (a.every(isPlain) && b.every(isPlain)) return isDeepStrictEqual(a.map(String).toSorted(), b.map(String).toSorted());
  const others = new Map(b.filter(isObject).map((one) => [one["id"], one]));
  return a.every((one) => {
    const other = isObject(one) && isPlain(one["id"]) ? others.get(one["id"]) : undefined;
    return other === undefined || agree(one, other);
  });
}

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
