import { types } from "node:util";
import { inflateSync } from "node:zlib";
import type { ObservedColumn, StoredValue } from "../../model/stores/store-adapter.ts";
import { fieldOfKind, readFieldOfKind } from "../../model/stores/field-of-kind.ts";
import type { Facts } from "../canonical/facts.ts";
import { patternOf } from "../canonical/row-kinds.ts";
import { readJson } from "./json-source.ts";
import { joinPath } from "./rules.ts";
import { FURTHEST_MS } from "./times.ts";
import { wordOf } from "./words.ts";

/**
 * Returns the last part of a place: the name of the column. If the table has several kinds of rows, this part also names the kind (see
 * {@link fieldOfKind}), so that the column is a separate place for each kind.
 */
export function columnPlace(columns: readonly ObservedColumn[], index: number, row: readonly StoredValue[]): string {
  const { name, kind } = columns[index]!;
  if (kind === true) return name;
  let kinds: Record<string, string> | undefined;
  columns.forEach((column, at) => {
    if (column.kind === true) (kinds ??= {})[column.name] = patternOf(row[at], () => null);
  });
  return kinds === undefined ? name : fieldOfKind(name, kinds);
}

export function placeText(segments: readonly string[]): string {
  return JSON.stringify(segments);
}

/** Returns the parts with which all places in a table begin. Places in a store without tables begin with `systems` and the store's name instead. */
export function tablePlace(system: string, table: string): readonly string[] {
  return [TABLES, system, table];
}

/** Returns the table of a place, or of a counter that is named after a place; `undefined` if the place is not in a table. */
export function tableOf(place: string): string | undefined {
  const [root, , table] = JSON.parse(place.slice(0, place.lastIndexOf("]") + 1)) as readonly string[];
  return root === TABLES ? table : undefined;
}

/** Returns the singular form of a table's name, in lower case. Names of columns and keys often contain this form (`order_id`, `orderId`). */
export function singular(table: string): string {
  return table.toLowerCase().replace(/(?<=.)(?:ies|es|s)$/, "");
}

/** Returns `true` if a place is in the content of a signed token. */
export function isInToken(place: string): boolean {
  return place.includes(`"${JWT_TEXT}"`) || place.includes(`"${SIGNED_TEXT}"`);
}

/** Converts a place to the syntax of `ignore`: `orders.latency_ms`, `context.order.seen`, `systems.probe.items[].took`. */
export function fieldOf(place: string): string {
  const segments = JSON.parse(place) as readonly string[];
  if (segments[0] === TABLES) {
    const [, , table, column] = segments as readonly [string, string, string, string];
    const ofKind = readFieldOfKind(column);
    return ofKind === undefined ? `${table}.${column}` : fieldOfKind(`${table}.${ofKind.field}`, ofKind.kind);
  }
  return segments.reduce(
    (path, segment) => (segment === INDEX ? `${path}${INDEX}` : segment === "*" ? `${path}.*` : joinPath(path, segment)),
    "",
  );
}

/**
 * Returns the smallest field that contains a place and that rules can leave out, in the form of {@link fieldOf}. For a place in a key or in a signed
 * text, this is the whole object or the whole text.
 */
export function droppableField(place: string): string {
  const segments = JSON.parse(place) as readonly string[];
  const end = segments[0] === TABLES ? -1 : segments.findIndex((segment, index) => index >= 2 && INDIVISIBLE.has(segment));
  return fieldOf(end < 0 ? place : placeText(segments.slice(0, end)));
}

/** Returns the values at a place outside of tables. A place that contains array indices or generated keys may have several values. */
export function valuesAt({ systems, context, clients }: Facts, place: string): readonly unknown[] {
  const [root, ...path] = JSON.parse(place) as readonly string[];
  const values = Object.entries(systems).flatMap(([name, observed]) => (observed.kind === "value" ? [[name, observed.value]] : []));
  const roots: Readonly<Record<string, unknown>> = { context, clients, systems: Object.fromEntries(values) };
  return path.reduce<readonly unknown[]>((all, segment) => all.flatMap((value) => insideOf(value, segment)), [roots[root!]]);
}

function insideOf(value: unknown, segment: string): readonly unknown[] {
  if (segment === JSON_TEXT && typeof value === "string") return [parsedJson(value)];
  if (segment === JWT_TEXT && typeof value === "string") return [parsedJwt(value)];
  if (segment === SIGNED_TEXT && typeof value === "string") return [parsedSigned(value)];
  if (segment === INDEX && Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [];
  if (types.isSet(value)) return segment === KEY ? [...value] : [];
  const entries: readonly (readonly [unknown, unknown])[] = types.isMap(value) ? [...value] : Object.entries(value);
  if (segment === KEY) return entries.map(([key]) => key);
  return entries.filter(([key]) => segment === "*" || String(key) === segment).map(([, item]) => item);
}

/**
 * Parses a text that is a JSON object or array; see {@link readJson}. Returns `undefined` for other texts, and for JSON with integers of 16 or more
 * digits, because JavaScript would round such integers and different ids would become equal.
 */
export function parsedJson(text: string): unknown {
  return (text[0] === "{" || text[0] === "[") && !LONG_INTEGER.test(text) ? readJson(text) : undefined;
}

/** Matches an integer of at least 16 digits that is a value in JSON, not a part of a text or of a longer number. */
const LONG_INTEGER = /[[:,]\s*-?\d{16,}\s*[\],}]/;

/**
 * Returns the content of a JWT: its header, its claims, and whether it is signed. Returns `undefined` if the text is not a JWT. The signature is left
 * out, because it follows from header and claims. Two tokens of the same second may be equal, because often only the claims' times are generated, in
 * whole seconds.
 */
export function parsedJwt(text: string): unknown {
  const [, scheme, header, claims, signature] = ONE_JWT.exec(text) ?? [];
  const [head, body] = [header === undefined ? undefined : claimsOf(header), claims === undefined ? undefined : claimsOf(claims)];
  if (head === undefined || body === undefined) return undefined;
  return { ...(scheme !== "" && { scheme }), header: head, claims: body, signed: signature !== "" };
}

export function replaceJwts(text: string, replace: (claims: object, token: string) => string): string {
  return text.replace(JWTS, (token, claims: string) => {
    const found = claimsOf(claims);
    return found === undefined ? token : replace(found, token);
  });
}

/**
 * Returns the content of a signed text: its payload and the time of its signature, in seconds since 1970. Returns `undefined` if the text is not
 * signed with a time. The signature is left out, because it follows from payload and time. Two formats are known:
 * - `payload:time:signature` of Django (`django.core.signing`, also used for session data), with the time in base 62;
 * - `payload.time.signature` of itsdangerous (used for Flask's sessions), with the time as a number in base64url.
 */
export function parsedSigned(text: string): { readonly payload: unknown; readonly time: number } | undefined {
  const [, payload, separator, time] = ONE_SIGNED.exec(text) ?? [];
  if (payload === undefined || time === undefined) return undefined;
  const seconds = separator === ":" ? inBase62(time) : Buffer.from(time, "base64url").readUIntBE(0, 4);
  return Math.abs(seconds * 1_000 - Date.now()) > FURTHEST_MS ? undefined : { payload: payloadOf(payload), time: seconds };
}

export function replaceSigned(text: string, replace: (payload: unknown, token: string) => string): string {
  return text.replace(SIGNED, (token) => {
    const found = parsedSigned(token);
    return found === undefined ? token : replace(found.payload, token);
  });
}

/** Claims that are times, in seconds since 1970. */
const TIMES: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "auth_time"]);
/** Claims that differ between two logins of one user: times, and ids of the token or session. */
const OF_LOGIN: ReadonlySet<string> = new Set([...TIMES, "jti", "sid", "nonce"]);

/** A JWT, or a text signed with a time. */
interface SignedToken {
  readonly token: string;
  /** The part that stays the same if the same user logs in again: the claims or the payload, without times, UUIDs and long hexadecimal numbers. */
  readonly content: string;
  /** The times in the token (when it was issued, when it expires), in milliseconds since 1970. */
  readonly timesMs: readonly number[];
}

/** Returns the JWTs and the texts signed with a time that a text contains. */
export function signedTokens(text: string): readonly SignedToken[] {
  const steady = (key: string, value: unknown): unknown =>
    OF_LOGIN.has(key) || (typeof value === "string" && wordOf(value).form !== "t") ? undefined : value;
  const jwts = Array.from(text.matchAll(JWTS), ([token, text = ""]): SignedToken => {
    const claims = claimsOf(text) ?? {};
    const times = Object.entries(claims).flatMap(([claim, value]: [string, unknown]) =>
      TIMES.has(claim) && typeof value === "number" ? [value * 1_000] : [],
    );
    return { token, content: JSON.stringify(claims, steady), timesMs: times };
  });
  const signed = Array.from(text.matchAll(SIGNED), ([token]): SignedToken => {
    const parts = parsedSigned(token);
    return { token, content: JSON.stringify(parts?.payload, steady) ?? "", timesMs: parts === undefined ? [] : [parts.time * 1_000] };
  });
  return [...jwts, ...signed];
}

const MOST_BYTES = 1_000_000;
// Signatures of SHA-1, SHA-256 and SHA-512 in base64url.
const SIGNED = /(?<![\w.:-])[\w.-]{1,4096}([:.])[\w-]{6}\1(?:[\w-]{86}|[\w-]{43}|[\w-]{27})(?![\w.:-])/g;
const ONE_SIGNED = /^([\w.-]+)([:.])([\w-]{6})\2(?:[\w-]{86}|[\w-]{43}|[\w-]{27})$/;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const inBase62 = (text: string): number => [...text].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);

/** Returns the parsed payload if it is JSON in base64url, compressed if it begins with a dot. Returns any other payload unchanged. */
function payloadOf(text: string): unknown {
  const isCompressed = text.startsWith(".");
  const bytes = Buffer.from(isCompressed ? text.slice(1) : text, "base64url");
  try {
    return readJson((isCompressed ? inflateSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString("utf8")) ?? text;
  } catch {
    return text;
  }
}

// By RFC 7519, the header and the claims are JSON objects in base64url, so both begin with `eyJ`.
const ONE_JWT = /^((?:Bearer )?)(eyJ[\w-]+)\.(eyJ[\w-]+)\.([\w-]*)$/;
const JWTS = /(?<![\w-])eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]*/g;

function claimsOf(text: string): object | undefined {
  const found = readJson(Buffer.from(text, "base64url").toString("utf8"));
  return typeof found === "object" && found !== null ? found : undefined;
}

/**
 * Elements of a place's path that are no names: an array index, a generated key or a member of a Set, parsed JSON, a parsed JWT, a parsed signed
 * text, and the root of all tables.
 */
export const INDEX = "[]";
export const KEY = "#key";
export const JSON_TEXT = "{}";
export const JWT_TEXT = "{jwt}";
export const SIGNED_TEXT = "{signed}";
export const TABLES = "tables";
const INDIVISIBLE: ReadonlySet<string> = new Set([KEY, JWT_TEXT, SIGNED_TEXT]);
