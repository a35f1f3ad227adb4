import { types } from "node:util";
import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import { likeJson } from "../values/json-source.ts";
import { Generated, JsonText, Mixed, Time } from "../values/named.ts";
import { parsedJson } from "../values/places.ts";
import { wordOf } from "../values/words.ts";
import { FURTHEST_MS, momentOf } from "../values/times.ts";

/**
 * Matches names of tables, columns, fields and keys whose values even correct servers may renew with any request. Such values identify a session, or
 * protect a form against forged requests.
 */
export const RENEWED: RegExp = /session|\bsess\b|csrf|xsrf|nonce|captcha/i;
/** Matches names of fields of a session that say when it ends or when it was used last. A server may add such a field with any request. */
const LAST_USE = /expir|last|seen|accessed|activity|touch|updat|renew|until|(?:^|_)ends?(?:_?at)?$/i;
/** Matches the names of headers that carry the id of a session. */
const CREDENTIAL = /token|session|api-?key/i;
/** The smallest number of characters of a word that identifies a session. Shorter words, such as a language in a cookie, also occur in other keys. */
const SHORTEST = 16;
/** Stands for each time that {@link Sessions.withoutTimes} removed. */
const SOME_TIME = "a time";

/**
 * The part of a value that a server may renew with any request. `all`: all times and generated texts, because the value belongs to a session.
 * `last use`: only the times of {@link LAST_USE}, because nothing but the row's key shows a connection with a session. Such a row may also be a user
 * or a cart whose id is in a cookie.
 */
type Renewed = "all" | "last use" | undefined;
type RenewedOf = (row: readonly StoredValue[]) => Renewed;
const NEVER: RenewedOf = () => undefined;

/**
 * Determines which rows are sessions: rows whose table or key has a name that {@link RENEWED} matches, and rows whose key is a part of a token or
 * cookie of a client. Many servers move the end of a session ahead with each request of its user.
 */
export class Sessions {
  /** The generated values and the words in tokens and cookies. */
  readonly #credentials: ReadonlySet<string>;

  constructor(clients: Facts["clients"]) {
    this.#credentials = new Set(Object.values(clients).flatMap(credentialsIn).flatMap(wordsIn));
  }

  rowsOf(table: ObservedTable): RenewedOf {
    if (RENEWED.test(table.name)) return () => "all";
    const keys = table.columns.flatMap(({ key, kind = false }, index) => (key === true ? [{ index, kind }] : []));
    const names = this.#credentials.size > 0 ? keys : keys.filter(({ kind }) => kind);
    if (names.length === 0) return NEVER;
    return (row) => {
      if (names.some(({ index, kind }) => kind && RENEWED.test(identityOf(row[index])))) return "all";
      return names.some(({ index }) => this.#names(row[index])) ? "last use" : undefined;
    };
  }

  /** Returns `true` if a key contains a credential of a client. */
  #names(key: unknown): boolean {
    return wordsIn(key).some((word) => this.#credentials.has(word));
  }

  /**
   * Returns the contents of stores, with all times in sessions, and in columns and fields whose name {@link RENEWED} matches, replaced by one text.
   */
  withoutTimes(systems: Facts["systems"]): Facts["systems"] {
    const entries = Object.entries(systems).map(([name, observed]): [string, Observed] => {
      if (observed.kind === "value") return [name, { ...observed, value: this.#timeless(observed.value, undefined) }];
      return [name, { ...observed, tables: observed.tables.map((table) => this.#table(table)) }];
    });
    return Object.fromEntries(entries);
  }

  #table(table: ObservedTable): ObservedTable {
    const renewedOf = this.rowsOf(table);
    const renewed = table.columns.map(({ name }) => RENEWED.test(name));
    if (renewedOf === NEVER && !renewed.includes(true)) return table;
    const keys = table.columns.flatMap(({ key }, index) => (key === true ? [index] : []));
    const ofUse = table.columns.map(({ name }) => LAST_USE.test(name));
    const timeless = (row: readonly StoredValue[]): readonly StoredValue[] => {
      const own = renewedOf(row);
      if (own === undefined && !renewed.includes(true)) return row;
      // In a Redis hash, each field is a row, and the name of the field is part of the row's key.
      const isOfUse = own === "last use" && keys.some((index) => LAST_USE.test(identityOf(row[index])));
      return row.map((cell, column) => {
        if (own !== undefined && ofUse[column]! && cell === null) return SOME_TIME;
        const isAll = renewed[column]! || (own === "last use" && (ofUse[column]! || isOfUse));
        return this.#timeless(cell, isAll ? "all" : own) as StoredValue;
      });
    };
    return { ...table, added: table.added.map(timeless), removed: table.removed.map(timeless) };
  }

  /** @param own The times to remove from the value. If `undefined`, only the fields inside the value are searched. */
  #timeless(value: unknown, own: Renewed): unknown {
    const isRenewed = own === "all";
    if (value instanceof Time) return isRenewed ? SOME_TIME : value;
    if (typeof value === "string" && own !== undefined && parsedJson(value) !== undefined)
      return new JsonText(this.#timeless(parsedJson(value), own));
    if (typeof value !== "object" || value === null || types.isDate(value)) return isRenewed && isNearNow(value) ? SOME_TIME : value;
    if (value instanceof Mixed) return isRenewed ? new Mixed(value.parts.map((part) => (part instanceof Time ? SOME_TIME : part))) : value;
    if (value instanceof JsonText) return new JsonText(this.#timeless(value.value, own));
    if (Array.isArray(value))
      return likeJson(
        value.map((item) => this.#timeless(item, own)),
        value,
      );
    if (types.isMap(value)) return likeJson(new Map(this.#fields([...value], own)), value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    return likeJson(Object.fromEntries(this.#fields(Object.entries(value), own)), value);
  }

  #fields<K>(entries: readonly (readonly [K, unknown])[], own: Renewed): readonly (readonly [K, unknown])[] {
    return entries.flatMap(([key, item]) => {
      const name = identityOf(key);
      const isOfUse = own !== undefined && LAST_USE.test(name);
      const isAll = own === "all" || isOfUse || RENEWED.test(name);
      const value = this.#timeless(item, isAll ? "all" : (own ?? (this.#names(key) ? "last use" : undefined)));
      return isOfUse && (value === SOME_TIME || value === null) ? [] : [[key, value] as const];
    });
  }
}

/** Returns the tokens and the values of the cookies of a client; see `ActingClient`. */
function credentialsIn(client: unknown): readonly unknown[] {
  if (Array.isArray(client)) return client.flatMap(credentialsIn);
  if (typeof client !== "object" || client === null) return [];
  const { token, authorization, headers = {}, cookies = [] } = client as Readonly<Record<string, object | null | undefined>>;
  const sent = Object.entries(headers ?? {}).flatMap(([name, value]: [string, unknown]) => (CREDENTIAL.test(name) ? [value] : []));
  const values = Array.isArray(cookies) ? cookies.map((cookie: { readonly value?: unknown }) => cookie.value) : [];
  return [token, authorization, ...sent, ...values];
}

/** Returns the generated values and the long words in a text. Claims of signed tokens are left out, because they contain the ids of users. */
function wordsIn(value: unknown): readonly string[] {
  // A signed cookie, `<id>.<signature>`, is often generated as a whole.
  if (value instanceof Generated) return [value.key, ...wordsIn(value.key)];
  if (value instanceof Mixed) return value.parts.flatMap(wordsIn);
  if (typeof value !== "string") return [];
  const words = value.split(/[^A-Za-z0-9_-]+/).filter(({ length }) => length >= SHORTEST);
  return words.map((word) => wordOf(word).key);
}

function isNearNow(value: unknown): boolean {
  const moment = momentOf(value);
  return moment !== undefined && Math.abs(moment.ms - Date.now()) < FURTHEST_MS;
}

/** Returns the text by which a key or a field is compared. */
export function identityOf(value: unknown): string {
  if (value instanceof Generated) return `${value.form}${value.key}`;
  if (value instanceof Mixed) return value.parts.map(identityOf).join("");
  return String(value);
}
