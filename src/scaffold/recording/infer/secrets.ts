import { REDACTED } from "../../../config/index.ts";
import type { Json } from "../../infer/plan.ts";
import { words } from "../../infer/resources/words.ts";
import type { Recording } from "../recorded-call.ts";
import { isOpaque } from "./nouns.ts";

const FOLDED = new Set(
  [
    ...REDACTED,
    "pwd",
    "pass",
    "passphrase",
    "sig",
    "jwt",
    "id_token",
    "auth_token",
    "session_token",
    "csrf_token",
    "refresh",
    "otp",
    "pin",
    "cvv",
    "cvc",
  ].map(folded),
);
/** The minimum length of a secret that is searched for in other values. Shorter texts often occur in other values by accident. */
const SHORTEST = 6;
/** The maximum length of a word. Longer values of cookies and keys count as secrets. */
const LONGEST_WORD = 24;

function folded(name: string): string {
  return words(name).join("");
}

/** Matches names that end like the name of a secret. */
const ENDING =
  /(?:password|secret|(?:api|access|private|secret|signing|subscription|auth|master|app|license|encryption)key|token|session|sessionid|sid|auth|csrf|xsrf|jwt|signature|credential)s?$/;
/** The words that make a name that ends with `key` harmless, such as `sort` in `sort_key`. */
const OPEN_KEYS = new Set(
  (
    "idempotency sort foreign primary partition cache public publishable unique composite natural surrogate candidate range shard hash " +
    "row column field index item object group parent entity resource order search lookup map translation message locale label template " +
    "type category tag property attribute metadata setting config option feature flag env project issue event metric log trace correlation " +
    "dedup deduplication dedupe routing route path file folder storage bucket image react hot press"
  ).split(" "),
);

/**
 * Returns `true` for names of headers and fields that hold a secret: `password`, `x-auth-key`, `sig`. Returns `false` for `key` and `sort_key`.
 * @param value The value with this name. For other names that end with `key`, such as `space_key` and `stripe_key`, the value decides: the name
 * counts as secret if the value looks random, or if no value is given.
 */
export function isSecretName(name: string, value?: string): boolean {
  const plain = folded(name);
  if (FOLDED.has(plain) || ENDING.test(plain)) return true;
  const [before, last] = words(name).slice(-2);
  if (last === undefined || !/^keys?$/.test(last) || OPEN_KEYS.has(before!)) return false;
  return value === undefined || isRandom(value);
}

/**
 * Returns `true` for values that may be a secret: random texts, texts that are too long for a word, and Postman variables, whose values are unknown.
 */
const isRandom = (value: string): boolean =>
  value.length > LONGEST_WORD || value.includes("{{") || isOpaque(value.replaceAll(/[^\s\w.~+=:-]/g, "_"));

/** Names of secrets that may be numbers. Other numbers are not secrets. */
const NUMBERS = new Set(["password", "passwd", "pwd", "pass", "passphrase", "pin", "otp", "cvv", "cvc"]);
/** Matches names of counts and limits, such as `max_tokens`. Numbers with such names are not secrets. */
const COUNTS = /^(?:max|min|num|total|count|limit)|(?:token|session|secret|key)s$/;

/** Returns `true` if a value is a secret because of its name. Most numbers are not secrets; for example, `max_tokens` is a limit. */
export function isSecret(name: string, value: Json): boolean {
  if (typeof value === "number") return NUMBERS.has(folded(name));
  return isSecretName(name, String(value)) && !(/^\d+$/.test(String(value)) && COUNTS.test(folded(name)));
}

/** Returns `true` if a query parameter is a secret. A parameter `key` is a secret if its value looks random, as in Google's APIs. */
export function isSecretQuery(name: string, text: string): boolean {
  return isSecret(name, text) || (folded(name) === "key" && isOpaque(text));
}

/** Matches a name with a value, as in `password="x"`, `"password": "x"`, `(password: "x")`, `pin: 1` and `password=x`. */
const NAMED = /(?<![\w$-]|xmlns:)([\w-]{1,80})\\{0,3}["']?\s{0,20}(?:[:=]\s{0,20}(?:\\{0,3}["']([^"'\\]+)|(\d+))|=([^\s"'&;,<>(){}]+))/g;
/** Matches an XML element with a text, as in `<wsse:Password Type="t">x</wsse:Password>`. */
const ELEMENT = /<(?:[\w.-]{1,80}:)?([\w.-]{1,80})(?:\s[^<>]{0,1000})?(?<!\/)>\s*(?:<!\[CDATA\[)?([^<\]]+)/g;

/** Returns the secrets in a text that contains names and values, such as XML, a GraphQL query, JSON or a URL. Postman variables are not secrets. */
export function secretsInText(text: string): readonly string[] {
  return [...text.matchAll(NAMED), ...text.matchAll(ELEMENT)].flatMap(([, name, quoted, digits, bare]) => {
    const value = (quoted ?? digits ?? bare)!.trim();
    const isFound = value !== "" && !value.startsWith("{{") && isSecret(name!, digits === undefined ? value : Number(digits));
    return isFound ? [value] : [];
  });
}

/** The secrets in a recording. None of them may appear in a generated file. */
export class Secrets {
  readonly #texts: readonly string[];

  constructor({ calls, from, secrets = [] }: Pick<Recording, "calls" | "from" | "secrets">) {
    const texts = new Set<string>();
    const isVariable = (text: string): boolean => from === "postman" && text.includes("{{");
    const add = (text: string): void => void (text.length >= SHORTEST && !isVariable(text) && texts.add(text));
    secrets.forEach(add);
    for (const { headers, query, body, answer } of calls) {
      for (const [name, value] of headers) {
        if (name === "authorization") {
          const [first, ...others] = value.split(/\s+/);
          (others.length === 0 ? [first!] : others).flatMap(credentialsIn).forEach(add);
        }
        if (name === "cookie") value.split(";").flatMap(secretOfCookie).forEach(add);
        else if (isSecret(name, value)) add(value);
      }
      for (const [name, value] of query) if (isSecretQuery(name, value)) add(value);
      for (const [name, value] of body !== undefined && "fields" in body ? body.fields : []) if (isSecret(name, value)) add(value);
      if (body?.as === "json") secretsIn(body.value).forEach(add);
      if (body?.as === "text") secretsInText(body.text).forEach(add);
      if (answer?.body !== undefined) secretsIn(answer.body).forEach(add);
    }
    this.#texts = [...texts].slice(0, 5_000);
  }

  has(text: string): boolean {
    return this.#texts.some((secret) => text.includes(secret));
  }
}

/** Returns the secrets in an `Authorization` header. For the scheme `Basic`, these include the decoded user name and password. */
function credentialsIn(part: string): readonly string[] {
  const plain = /^[\w+/]+=*$/.test(part) ? Buffer.from(part, "base64").toString("utf8") : "";
  return plain.includes(":") ? [part, plain, plain.slice(plain.indexOf(":") + 1)] : [part];
}

/**
 * Returns the value of a cookie, in a list, if the value is a secret. Ordinary words such as `default` are not secrets, because they also occur
 * elsewhere in requests.
 */
function secretOfCookie(cookie: string): readonly string[] {
  const at = cookie.indexOf("=");
  const value = cookie.slice(at + 1).trim();
  return isSecret(cookie.slice(0, Math.max(at, 0)), value) || isOpaque(value) || value.length > LONGEST_WORD ? [value] : [];
}

function secretsIn(value: Json, name: string = ""): readonly string[] {
  if (typeof value === "string") return isSecret(name, value) ? [value] : secretsInText(value);
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((one) => secretsIn(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, of]) => secretsIn(of, key));
}
