import type { RecordedResponse } from "../../model/results/result.ts";
import type { ApiRequest } from "../../model/http/response.ts";
import { fold, HIDDEN, isCookieAttribute, type IsHidden } from "./field-names.ts";
import { hideInBody, hideInForm, leaves } from "./hide-in-body.ts";
import { hideInText } from "./hide-in-text.ts";

/** Values with fewer characters than this are not recorded as secrets, because they are likely to be ordinary text. */
const SHORTEST = 8;
/** `WORDS`: the largest number of recorded secrets that are single words. `PHRASES`: the largest number of all other recorded secrets. */
const WORDS = 100_000;
const PHRASES = 100;
const WORD = /[\w~+-]+(?:\.[\w~+-]+)*/g;

/** Matches a line of a state such as `context.user["the password"] = "x"`. In a comparison of two states, `- ` or `+ ` comes before the line. */
const VALUE = /^((?:[-+] |\s+)?)((?:"(?:[^"\\]|\\.)*"|[^\s"=])+)( = )([^]+)$/;

/**
 * Hides the values of the configured fields, and the same values wherever they occur later. To hide earlier occurrences, too, redact the data twice.
 */
export interface Redactor {
  /** Returns `true` if values of the field with this name are hidden. */
  hides(name: string): boolean;
  /** Hides only values that were already found to be secrets. */
  secrets(text: string): string;
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Hides secrets in the query parameters, the user name and the password of a URL. */
  url(url: string): string;
  /** Hides the values of the configured fields in a JSON, form or multipart body. In other text, hides what looks like the value of such a field. */
  body(text: string): string;
  /** Hides the values of the configured fields in a line of a state, or of a comparison of two states. */
  line(text: string): string;
  /** Returns a copy of a value, such as the context, as JSON data in which secrets are hidden. */
  value(value: unknown): unknown;
  request(request: ApiRequest): ApiRequest;
  response(response: RecordedResponse): RecordedResponse;
}

/** Creates a redactor. `names` are the headers and fields to hide. Case, `-` and `_` are ignored in comparisons of names. */
export function redactor(names: readonly string[]): Redactor {
  const hidden = new Set(names.map(fold));
  const secrets = new Secrets();
  // In forms, names such as `user[password]` and `user.password` refer to a field `password`, so check each part of a name.
  const isHidden = (name: string): boolean => name.split(/[[\].]+/).some((part) => part !== "" && hidden.has(fold(part)));
  const seen = (value: string): void => secrets.add(value);
  const nothing = hidden.size === 0;
  const body = (text: string): string => (nothing || text === "" ? text : secrets.hide(hideInBody(text, isHidden, seen)));
  const url = (value: string): string => {
    const shown = value.replace(/^(\w+:\/\/)[^\s/?#]*@/, `$1${HIDDEN}@`);
    const start = shown.search(/[?#]/);
    return secrets.hide(
      start < 0
        ? shown
        : shown.slice(0, start + 1) +
            shown
              .slice(start + 1)
              .split(/([?#])/)
              .map((part) => hideInForm(part, isHidden, seen))
              .join(""),
    );
  };
  const header = (name: string, content: string): string => {
    if (!isHidden(name)) return body(content);
    (/cookie$/i.test(name) ? cookieValues(name, content) : [content]).forEach(seen);
    return HIDDEN;
  };
  const headers = (value: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(value).map(([name, content]) => [name, header(name, content)]));
  const hideMember = (name: string, member: unknown): boolean => {
    const hide = isHidden(name) && member !== undefined && member !== null;
    if (hide) leaves(member, seen);
    return hide;
  };
  return {
    hides: isHidden,
    secrets: (text) => (nothing ? text : secrets.hide(text)),
    headers,
    url,
    body,
    line: (line) => (nothing ? line : secrets.hide(hideInStateLine(line, isHidden, seen))),
    value: (value) => plainData(value, hideMember, body),
    request: (one) => ({
      method: one.method,
      url: url(one.url),
      headers: headers(one.headers),
      body: one.body === undefined ? undefined : body(one.body),
    }),
    response: (one) => ({ status: one.status, headers: headers(one.headers), body: body(one.body) }),
  };
}

/** Returns the values of the cookies in a `Cookie` or `Set-Cookie` header, without attributes. Commas may separate several cookies. */
function cookieValues(name: string, content: string): readonly string[] {
  const parts = /^set/i.test(name) ? content.split(/,\s*(?=[^;,\s]+=)/).map((one) => one.split(";", 1)[0]!) : content.split(";");
  return parts.map((part) => part.slice(part.indexOf("=") + 1).trim());
}

/** Hides secrets in a line of a state, which is a path with a value, or a row with columns. */
function hideInStateLine(line: string, isHidden: IsHidden, seen: (value: string) => void): string {
  const [, mark, path, between, value] = VALUE.exec(line) ?? [];
  if (path === undefined || value === "null") return hideInText(line, isHidden, seen);
  const names = (path.match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? []).map((name) => name.replace(/^"|"$/g, ""));
  const isOption = (at: number): boolean => fold(names[at]!) === "cookie" && at === names.length - 2 && isCookieAttribute(names[at + 1]!);
  if (!names.some((name, at) => isHidden(name) && !isOption(at))) return hideInText(line, isHidden, seen);
  seen(value!.replace(/^"|"$/g, ""));
  return `${mark}${path}${between}${HIDDEN}`;
}

/**
 * Returns a copy of any value as JSON data, without the values of hidden members. Values that JSON cannot represent become readable text. `text`
 * redacts strings.
 */
function plainData(value: unknown, isHidden: (name: string, member: unknown) => boolean, text: (value: string) => string): unknown {
  const visit = (one: unknown, above: readonly unknown[]): unknown => {
    if (typeof one === "string") return text(one);
    if (typeof one === "number") return Number.isFinite(one) ? one : String(one);
    if (one === undefined || one === null || typeof one === "boolean") return one;
    if (typeof one !== "object") return String(one);
    if (above.includes(one)) return "[circular]";
    const inside = [...above, one];
    const members = (entries: Iterable<readonly [unknown, unknown]>): object =>
      Object.fromEntries(
        [...entries].map(([name, member]) => {
          const shown = typeof name === "object" ? JSON.stringify(visit(name, inside)) : String(name);
          return [shown, isHidden(shown, member) ? HIDDEN : visit(member, inside)];
        }),
      );
    if (Array.isArray(one)) return one.map((item) => visit(item, inside) ?? null);
    if (one instanceof Map) return members(one);
    if (one instanceof Set) return [...one].map((item) => visit(item, inside) ?? null);
    if (one instanceof Date) return Number.isNaN(one.getTime()) ? "Invalid Date" : one.toISOString();
    if (one instanceof Error) return text(`${one.name}: ${one.message}`);
    if (one instanceof ArrayBuffer || ArrayBuffer.isView(one)) return `[${one.byteLength} bytes]`;
    if (one instanceof RegExp || one instanceof URL) return text(String(one));
    return members(Object.entries(one));
  };
  return visit(value, []);
}

/**
 * Collects the secrets that were found so far. A secret in a configured field may also occur under another name, in a path, or in a sentence, and is
 * hidden there, too.
 */
class Secrets {
  readonly #words = new Set<string>();
  readonly #phrases = new Set<string>();

  /** Records a value as a secret. Short values and single words of letters are skipped, because they occur everywhere. */
  add(value: string): void {
    const text = value.trim().replace(/^(?:basic|bearer|digest|negotiate|token)\s+/i, "");
    if (text.length < SHORTEST || text.length > 4096 || text.includes(HIDDEN)) return;
    if (/^[a-z_]{1,15}$/i.test(text)) return;
    const isWord = WORD.exec(text)?.[0] === text;
    WORD.lastIndex = 0;
    if (isWord) {
      if (this.#words.size < WORDS) this.#words.add(text);
    } else if (this.#phrases.size < PHRASES) this.#phrases.add(text);
  }

  hide(text: string): string {
    if (this.#words.size + this.#phrases.size === 0) return text;
    let shown = this.#words.size === 0 ? text : text.replace(WORD, (word) => (this.#words.has(word) ? HIDDEN : word));
    for (const phrase of this.#phrases) if (shown.includes(phrase)) shown = shown.replaceAll(phrase, HIDDEN);
    return shown;
  }
}
