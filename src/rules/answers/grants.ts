import type { ApiResponse } from "../../model/http/response.ts";
import { jsonOf } from "./answer-content.ts";

const CREDENTIAL = /token|session|jwt|bearer|access_?key|api_?key|secret|auth_?code/i;
/** Matches the names of fields that describe a credential: `tokenStatus`, `token_type`, `session_expires_at`. */
const ABOUT = /(?:status|state|type|kind|name|scope|count|expir\w*|valid|used|_at|At|_in|In|_?ur[il])$/;
/** Matches a text that may be a credential: at least six characters, no spaces, and not only words of letters joined by `-` or `_`. */
const SECRET = /^(?![a-z]+(?:[-_][a-z]+)*$)\S{6,}$/i;
const LONGEST_WORD = 20;
const DEEPEST = 4;

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** Returns the cookies that an answer sets, without the cookies that it removes. */
export function cookiesSetBy({ headers }: Pick<ApiResponse, "headers">): readonly Cookie[] {
  // The values of several headers are joined with commas. Split only at a comma that is followed by a name and `=`, because dates also contain
  // commas.
  return (headers["set-cookie"] ?? "").split(/,\s*(?=[^\s;,=]+=)/).flatMap((line) => {
    const [pair = "", ...attributes] = line.split(";");
    const cookie = cookieOf(pair);
    const isRemoved = attributes.some((one) => /^\s*(?:max-age\s*=\s*(?:0|-\d+)\s*$|expires\s*=.*\b1970\b)/i.test(one));
    return cookie === undefined || cookie.value === "" || isRemoved ? [] : [cookie];
  });
}

/** Returns the values of the cookies that the request of an answer sent, by name. */
export function cookiesSentWith({ request }: Pick<ApiResponse, "request">): ReadonlyMap<string, string> {
  const header = Object.entries(request.headers).find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  return new Map(
    header
      .split(";")
      .flatMap((pair) => cookieOf(pair) ?? [])
      .map(({ name, value }) => [name, value]),
  );
}

/**
 * Returns the name of the first field of an answer that contains a credential; `undefined` if the answer contains no credential. A value that occurs
 * in one of the `known` texts does not count as a credential.
 */
export function credentialIn(answer: ApiResponse, known: readonly string[]): string | undefined {
  return fieldOf(jsonOf(answer), known, 0);
}

/** Returns the URL, the headers and the body of a request as one text. Each part occurs twice: as sent, and decoded. */
export function textOf({ request: { url, headers, body = "" } }: ApiResponse): string {
  const texts = [url, body, ...Object.values(headers)];
  return [...texts, ...texts.map(unescaped)].join("\n");
}

function fieldOf(value: unknown, known: readonly string[], depth: number): string | undefined {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const isCredential = CREDENTIAL.test(name) && !ABOUT.test(name) && typeof member === "string" && isSecret(member);
    if (isCredential && !known.some((text) => text.includes(member))) return name;
    const below = fieldOf(member, known, depth + 1);
    if (below !== undefined) return below;
  }
  return undefined;
}

function isSecret(text: string): boolean {
  return SECRET.test(text) || (text.length > LONGEST_WORD && !text.includes(" "));
}

function cookieOf(pair: string): Cookie | undefined {
  const at = pair.indexOf("=");
  return at < 1 ? undefined : { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
