import { fold, HIDDEN, isCookieOptions, type IsHidden } from "./field-names.ts";

/**
 * Matches a field name, its quotes (with backslashes if the text is quoted inside another text), and the separator before the value: `"a": `, `a=`,
 * `a[b]=`. A match starts only at the beginning of a word. Otherwise the search would begin again at each letter of a long word.
 */
const FIELD = /(\\{0,16}["'`]?)((?<![A-Za-z])[A-Za-z][\w-]{0,63})(?:\]|%5D)?\1\s{0,20}(?:=>|[:=])[^\S\r\n]{0,20}/gi;
const TAG = /(<(?:[\w-]{1,20}:)?([A-Za-z][\w-]{0,63})(?:\s[^<>]{0,200})?>)([^<]+)/g;
const USER_PART = /:\/\/[^\s/?#"'<>]*@/g;
/** Matches the scheme at the beginning of the `Authorization` header. */
const SCHEME = /(?:basic|bearer|digest|negotiate|token|apikey|aws4-hmac-sha256)[^\S\r\n]+/iy;
/** The headers whose value is everything up to the end of the line. */
const HEADERS = new Set(["authorization", "proxyauthorization", "cookie", "setcookie"]);
const HEADER_VALUE = /[^\r\n"'`]+/y;
const BARE_VALUE = /(?:[^\s;&}\])"'`<,\\]|,(?=[^\s\\"'}\]]))+/y;
/** Matches the scheme of an `Authorization` header and the credentials after it. */
const CREDENTIALS = /(?<![\w-])((?:basic|bearer|digest|negotiate)(?:[^\S\r\n]+|%20))([\w.~+/-]{6,}={0,2})/gi;
/** Matches a cookie that is followed by an attribute of `Set-Cookie`. */
const COOKIE =
  /(?<![\w.-])([\w!#$%&*+.^|~-]{1,64})=([^\s;,"'=]{6,4096})(?=;[^\S\r\n]*(?:path|httponly|secure|samesite|expires|max-age|domain)\b)/gi;
/** Matches a JSON Web Token: three base64url parts, the first of which encodes a JSON object. */
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g;
const NOTHING = /^(?:null|undefined|None|nil)$/;
/**
 * Matches texts that seqqa writes after the name of a table or an action. Without this pattern, a table `apikey` or an action `password` would look
 * like a field with a secret.
 */
const SENTENCE =
  /(?:\d[\d,]{0,12} rows? (?:added|removed|changed)\b|the target answered|(?:GET|HEAD|POST|PUT|PATCH|DELETE) (?:\/|https?:)|a row of |(?:breaks|broke) [\w, ]{1,200} (?:on one path|the first time))/y;

/**
 * Replaces the values of hidden fields in any text that seems to contain fields: incomplete or quoted JSON, data printed by other languages, headers,
 * forms, XML, lines of states. `seen` is called with each hidden value.
 */
export function hideInText(text: string, isHidden: IsHidden, seen: (value: string) => void): string {
  const shown = text.includes("://") ? text.replace(USER_PART, `://${HIDDEN}@`) : text;
  return hideCredentials(hideElements(hideFields(shown, isHidden, seen), isHidden, seen), isHidden, seen);
}

/**
 * Replaces values that look like credentials (tokens, cookies, JSON Web Tokens), whatever their names, because programs log them under various names.
 * Without `isHidden`, all kinds are replaced.
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

/**
 * Returns `true` if the word after an authorization scheme is a credential. For example, the second word of "Basic authentication" is no credential.
 */
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
    // After a backslash, the first letter of the name may belong to an escape sequence such as `\n`, so leave it out.
    const inner = text[nameAt - 1] === "\\" && /^[nrt]/.test(name!) ? name!.slice(1) : name!;
    if ((!isHidden(name!) && !isHidden(inner)) || lengthOf(SENTENCE, text, match.index + match[0].length) > 0) {
      // Continue the search directly after the name, because the value may itself be the name of a field.
      FIELD.lastIndex = nameAt + name!.length;
      continue;
    }
    const start = match.index + match[0].length;
    const { open, end, close, missing } = valueAt(text, start, fold(isHidden(name!) ? name! : inner));
    const value = text.slice(open, end);
    if (value === "" || value === HIDDEN || NOTHING.test(value) || (fold(name!) === "cookie" && isCookieOptions(value))) {
      FIELD.lastIndex = Math.max(start, close);
      continue;
    }
    seen(value);
    // A hidden list or object is replaced by a string, with the quotes that the name has.
    const quote = /^[[{]/.test(value) ? match[1]! : "";
    kept += `${text.slice(from, open)}${quote}${HIDDEN}${quote}${missing}`;
    from = end;
    FIELD.lastIndex = close;
  }
  return from === 0 ? text : kept + text.slice(from);
}

interface Value {
  /** The position in the text at which the value begins, after its quote. */
  readonly open: number;
  readonly end: number;
  /** The position in the text at which the search for further fields continues. */
  readonly close: number;
  /** The closing quote if the text was cut off before it, so that it must be added; otherwise empty. */
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

/** Returns the position of the closing quote, or of the backslashes before it. If the text was cut off, returns the end of the text. */
function endOfQuote(text: string, open: number, quote: string, slashes: number): number {
  for (let at = text.indexOf(quote, open); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > open && text[at - before - 1] === "\\") before++;
    if (slashes === 0 ? before % 2 === 0 : before <= slashes) return at - before;
  }
  return text.length;
}

/** Returns the position after the closing bracket. If the text was cut off, returns the end of the text. */
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

function hideElements(text: string, isHidden: IsHidden, seen: (value: string) => void): string {
  if (!text.includes("</")) return text;
  return text.replace(TAG, (all: string, tag: string, name: string, content: string) => {
    if (!isHidden(name) || content.trim() === "" || content === HIDDEN) return all;
    seen(content);
    return `${tag}${HIDDEN}`;
  });
}
