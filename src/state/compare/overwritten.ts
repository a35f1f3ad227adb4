import { types } from "node:util";
import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import { modeIn, type TablePlans } from "../canonical/columns.ts";
import type { Strings } from "../values/strings.ts";
import { Generated, JsonText, Mixed, Time } from "../values/named.ts";
import { parsedJson } from "../values/places.ts";
import { childRules, type PathRules, type Rules } from "../values/rules.ts";
import { FURTHEST_MS, momentOf } from "../values/times.ts";

/** The generated texts of a state, by their place: a row or object that its key identifies, and the path inside. */
export type GeneratedTexts = ReadonlyMap<string, string>;

/**
 * Matches names of tables, columns and fields whose values even correct servers renew with any request: values that identify a session, or that
 * protect a form against forged requests.
 */
const RENEWED = /session|\bsess\b|csrf|xsrf|nonce|captcha/i;
/** Names of the fields that identify an object in a store without tables. */
const IDS: readonly string[] = ["id", "_id", "uuid"];

/** Reads the generated texts of stores. Fields that are ignored or masked, and rows without a primary key, are left out. */
export function generatedTexts(
  systems: Facts["systems"],
  { plans, rules, strings }: { readonly plans: TablePlans; readonly rules: Rules; readonly strings: Pick<Strings, "pieces"> },
): GeneratedTexts {
  const texts = new Map<string, string>();
  for (const [name, observed] of Object.entries(systems)) {
    if (observed.kind === "value") {
      add(observed.value, [name], childRules(rules.systems, name), texts);
      continue;
    }
    for (const table of observed.tables) {
      const { modes, columns } = plans.of(name, table);
      const keys = columns.flatMap(({ key }, index) => (key === true ? [index] : []));
      if (keys.length === 0 || RENEWED.test(table.name)) continue;
      for (const row of table.added) {
        const id = keys.map((index) => identityOf(row[index])).join();
        for (const [index, cell] of row.entries()) {
          const { kind } = modeIn(modes[index]!, row, columns, (text) => strings.pieces(text));
          if (kind !== "ignore" && kind !== "mask") add(cell, [name, table.name, `(${id})`, columns[index]!.name], undefined, texts);
        }
      }
    }
  }
  return texts;
}

/** Stands for each time that {@link withoutRenewedTimes} removed. */
const SOME_TIME = "a time";

/**
 * Returns the contents of stores with one text in place of all times in tables, columns and fields whose values even correct servers renew with any
 * request. Many servers move the end of a session ahead with each request of its user.
 */
export function withoutRenewedTimes(systems: Facts["systems"]): Facts["systems"] {
  const entries = Object.entries(systems).map(([name, observed]): [string, Observed] => {
    if (observed.kind === "value") return [name, { ...observed, value: withoutTimes(observed.value, false) }];
    return [name, { ...observed, tables: observed.tables.map(timelessTable) }];
  });
  return Object.fromEntries(entries);
}

function timelessTable(table: ObservedTable): ObservedTable {
  const renewed = table.columns.map(({ name }) => RENEWED.test(table.name) || RENEWED.test(name));
  if (!renewed.includes(true)) return table;
  const rows = (all: ObservedTable["added"]): ObservedTable["added"] =>
    all.map((row) => row.map((cell, column) => (renewed[column]! ? (withoutTimes(cell, true) as StoredValue) : cell)));
  return { ...table, added: rows(table.added), removed: rows(table.removed) };
}

/** @param isRenewed `true` if the value is inside a field whose times are removed. Otherwise, only the fields inside the value are searched. */
function withoutTimes(value: unknown, isRenewed: boolean): unknown {
  if (value instanceof Time) return isRenewed ? SOME_TIME : value;
  if (typeof value === "string" && isRenewed && parsedJson(value) !== undefined) return new JsonText(withoutTimes(parsedJson(value), true));
  if (typeof value !== "object" || value === null || types.isDate(value)) return isRenewed && isNearNow(value) ? SOME_TIME : value;
  if (value instanceof Mixed) return isRenewed ? new Mixed(value.parts.map((part) => (part instanceof Time ? SOME_TIME : part))) : value;
  if (value instanceof JsonText) return new JsonText(withoutTimes(value.value, isRenewed));
  if (Array.isArray(value)) return value.map((item) => withoutTimes(item, isRenewed));
  const isInside = (key: unknown): boolean => isRenewed || RENEWED.test(typeof key === "string" ? key : identityOf(key));
  if (types.isMap(value)) return new Map([...value].map(([key, item]) => [key, withoutTimes(item, isInside(key))] as const));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTimes(item, isInside(key))]));
}

function isNearNow(value: unknown): boolean {
  const moment = momentOf(value);
  return moment !== undefined && Math.abs(moment.ms - Date.now()) < FURTHEST_MS;
}

/**
 * Returns `true` if a generated text, such as a password hash or an API key, was replaced in a row or object that both states have. Replacing a
 * reference to a deleted row by a reference to a new row does not count.
 */
export function overwritesTexts(before: GeneratedTexts, after: GeneratedTexts): boolean {
  const [gone, made] = [valuesOnlyIn(before, after), valuesOnlyIn(after, before)];
  return [...before].some(([place, old]) => {
    const text = after.get(place);
    return text !== undefined && text !== old && !(gone.has(old) && made.has(text));
  });
}

/** Returns the texts at places that only the first state has. */
function valuesOnlyIn(texts: GeneratedTexts, others: GeneratedTexts): ReadonlySet<string> {
  return new Set([...texts].flatMap(([place, text]) => (others.has(place) ? [] : [text])));
}

function add(value: unknown, place: readonly string[], rules: PathRules | undefined, texts: Map<string, string>): void {
  if (typeof value !== "object" || value === null || rules?.rule !== undefined) return;
  if (value instanceof Generated) {
    // Leave out integers of counters: they are no secrets, and even a refused request may increment a counter.
    const isText = value.origin !== undefined && !value.key.startsWith(`${value.origin.domain}:`);
    if (isText && !RENEWED.test(place.filter((part) => !part.startsWith("(")).join(" "))) texts.set(place.join("\n"), value.key);
  } else if (value instanceof Mixed) {
    for (const [index, part] of value.parts.entries()) add(part, [...place, String(index)], undefined, texts);
  } else if (value instanceof JsonText) add(value.value, place, rules, texts);
  else if (types.isMap(value)) {
    for (const [key, item] of value) {
      const name = typeof key === "string" ? key : `(${identityOf(key)})`;
      add(item, [...place, name], rules && childRules(rules, name), texts);
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const id = idIn(item);
      add(item, [...place, id === undefined ? String(index) : "[]"], rules && childRules(rules, "[]"), texts);
    }
  } else if (!ArrayBuffer.isView(value) && !types.isSet(value)) {
    const id = idIn(value);
    for (const [name, item] of Object.entries(value))
      add(item, [...place, ...(id === undefined ? [] : [`(${id})`]), name], rules && childRules(rules, name), texts);
  }
}

function idIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const name = IDS.find((one) => Object.hasOwn(value, one));
  return name === undefined ? undefined : identityOf((value as Readonly<Record<string, unknown>>)[name]);
}

function identityOf(value: unknown): string {
  if (value instanceof Generated) return `${value.form}${value.key}`;
  if (value instanceof Mixed) return value.parts.map(identityOf).join("");
  return String(value);
}
