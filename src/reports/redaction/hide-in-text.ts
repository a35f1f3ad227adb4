import { fold, HIDDEN, type IsHidden } from "./field-names.ts";

/**
 * Matches a name, its quotes (those of a text within a text have backslashes), and the separator before its value: `"a": `, `a=`, `'a' => `, `a[b]=`.
 * A match begins at the beginning of a word, so that a long word is examined once and not from each of its letters.
 */
const FIELD = /(\\{0,16}["'`]?)((?<![A-Za-z])[A-Za-z][\w-]{0,63})(?:\]|%5D)?\1\s{0,20}(?:=>|[:=])[^\S\r\n]{0,20}/gi;
const TAG = /(<(?:[\w-]{1,20}:)?([A-Za-z][\w-]{0,63})(?:\s[^<>]{0,200})?>)([^<]+)/g;
const USER_PART = /:\/\/[^\s/?#"'<>]*@/g;
/** The beginning of credentials in the `Authorization` header. */
const SCHEME = /(?:basic|bearer|digest|negotiate|token|apikey|aws4-hmac-sha256)[^\S\r\n]+/iy;
/** Headers whose value is the rest of the line. */
const HEADERS = new Set(["authorization", "proxyauthorization", "cookie", "setcookie"]);
const HEADER_VALUE = /[^\r\n"'`]+/y;
const BARE_VALUE = /(?:[^\s;&}\])"'`<,\\]|,(?=[^\s\\"'}\]]))+/y;
/** The scheme of an `Authorization` header, and the credentials after it. */
const CREDENTIALS = /(?<![\w-])((?:basic|bearer|digest|negotiate)(?:[^\S\r\n]+|%20))([\w.~+/-]{6,}={0,2})/gi;
/** A cookie with the attributes that a server sets. */
const COOKIE =
  /(?<![\w.-])([\w!#$%&*+.^|~-]{1,64})=([^\s;,"'=]{6,4096})(?=;[^\S\r\n]*(?:path|httponly|secure|samesite|expires|max-age|domain)\b)/gi;
/** A JSON Web Token: three parts in base64url, of which the first is an object. */
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g;
const NOTHING = /^(?:null|undefined|None|nil)$/;

/**
 * Hides the values of fields in a text of any kind, wherever it seems to contain one: JSON that was cut off or quoted, dumps of other languages,
 * headers, forms, elements, state in lines. `seen` receives the hidden values.
 */
export function hideInText(text: string, isHidden: IsHidden, seen: (value: string) => void): string {
  const shown = text.includes("://") ? text.replace(USER_PART, `://${HIDDEN}@`) : text;
  return hideCredentials(hideElements(hideFields(shown, isHidden, seen), isHidden, seen), isHidden, seen);
}

/**
 * Hides values that are credentials by their form, under any name: programs log tokens and cookies under names of their own. By default all of them.
 */
export function hideCredentials(text: string, isHidden: IsHidden = () => true, seen: (value: string) => void = () => undefined): string {
  const hide = (value: string): string => {
    seen(value);
    return HIDDEN;
  };
  let shown = text;
  if (isHidden("authorization"))
    shown = shown.replace(CREDENTIALS, (all: string, scheme: string, token: string) =>
      isCredential(scheme, token) ? `${scheme}${hide(token)}` : all,
    );
  if (isHidden("set-cookie")) shown = shown.replace(COOKIE, (_all, name: string, value: string) => `${name}=${hide(value)}`);
  return isHidden("token") ? shown.replace(JWT, (token) => hide(token)) : shown;
}

/** Returns `true` for credentials. In "Basic authentication" the second word is none. */
function isCredential(scheme: string, token: string): boolean {
  if (/^basic/i.test(scheme)) return Buffer.from(token, "base64").includes(":");
  return /[\d._~+/=]|[a-z][A-Z]/.test(token) || token.length >= 24;
}

function hideFields(text: string, isHidden: IsHidden, seen: (value: string) => void): string {
  let kept = "";
  let from = 0;
  FIELD.lastIndex = 0;
  for (let match = FIELD.exec(text); match !== null; match = FIELD.exec(text)) {
    const [, , name] = match;
    const nameAt = match.index + match[1]!.length;
    // The first letter of the name may belong to a line break that is written as an escape.
    const inner = text[nameAt - 1] === "\\" && /^[nrt]/.test(name!) ? name!.slice(1) : name!;
    if (!isHidden(name!) && !isHidden(inner)) {
      // The value may be the name of a field itself.
      FIELD.lastIndex = nameAt + name!.length;
      continue;
    }
    const start = match.index + match[0].length;
    const { open, end, close, missing } = valueAt(text, start, fold(isHidden(name!) ? name! : inner));
    const value = text.slice(open, end);
    if (value === "" || value === HIDDEN || NOTHING.test(value)) {
      FIELD.lastIndex = Math.max(start, close);
      continue;
    }
    seen(value);
    // A list or an object is replaced by a text, in the quotes that the name has.
    const quote = /^[[{]/.test(value) ? match[1]! : "";
    kept += `${text.slice(from, open)}${quote}${HIDDEN}${quote}${missing}`;
    from = end;
    FIELD.lastIndex = close;
  }
  return from === 0 ? text : kept + text.slice(from);
}

interface Value {
  /** The beginning and the end of the value, without its quotes. */
  readonly open: number;
  readonly end: number;
  /** The place at which the search continues. */
  readonly close: number;
  /** The missing closing quote, if the text was cut off. */
  readonly missing: string;
}

function valueAt(text: string, start: number, name: string): Value {
  const [quote, slashes] = /^[bru]{0,2}(\\*)["'`]/i.exec(text.slice(start, start + 40)) ?? [];
  if (quote !== undefined) {
    const open = start + quote.length;
    const end = endOfQuote(text, open, quote.at(-1)!, slashes!.length);
    return { open, end, close: end + 1, missing: end === text.length ? quote.replace(/^[bru]+/i, "") : "" };
  }
  if (/[[{(]/.test(text[start] ?? "")) {
    const bracket = endOfBracket(text, start);
    const end = bracket + lengthOf(BARE_VALUE, text, bracket);
    return { open: start, end, close: end, missing: "" };
  }
  const scheme = lengthOf(SCHEME, text, start);
  const length = scheme + lengthOf(HEADERS.has(name) ? HEADER_VALUE : BARE_VALUE, text, start + scheme);
  return { open: start, end: start + length, close: start + length, missing: "" };
}

function lengthOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Returns the place of the closing quote, without its backslashes; if the text was cut off, the end of the text. */
function endOfQuote(text: string, open: number, quote: string, slashes: number): number {
  for (let at = text.indexOf(quote, open); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > open && text[at - before - 1] === "\\") before++;
    if (slashes === 0 ? before % 2 === 0 : before <= slashes) return at - before;
  }
  return text.length;
}

/** Returns the place after the closing bracket; if the text was cut off, the end of the text. */
function endOfBracket(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const one = text[at]!;
    if (one === '"') {
      at = text.indexOf('"', at + 1);
      if (at < 0) return text.length;
    } else if ("[{(".includes(one)) depth++;
    else if ("]})".includes(one) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Hides in elements such as `<password>x</password>`. */
function hideElements(text: string, isHidden: IsHidden, seen: (value: string) => void): string {
  if (!text.includes("</")) return text;
  return text.replace(TAG, (all: string, tag: string, name: string, content: string) => {
    if (!isHidden(name) || content.trim() === "" || content === HIDDEN) return all;
    seen(content);
    return `${tag}${HIDDEN}`;
  });
}
