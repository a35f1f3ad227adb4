import { isIdLike, isItemId } from "../../model/text/id-like.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { CallEnd } from "./execution.ts";

const CREDENTIALS = /^(?:authorization|cookie|x-.*(?:token|key|session).*)$/i;
const PASSWORD = /passw|pwd|passphrase/i;
/** Matches a member of JSON that gives the client a credential. */
const GRANT = /"[^"]*(?:token|session|jwt|secret|key|code)[^"]*"\s*:\s*"[^"]+"/i;
/** Matches paths that take a code, such as `/password/reset/{token}`. */
const OF_CODES = /reset|verif|confirm|activat|invit|magic|redeem|accept|recover|coupon|voucher|otp|token|code/i;
/** Matches answers which say that the login is over, in words or as a code. Sessions that are no login, such as the one of a timer, do not count. */
const NO_LOGIN = new RegExp(
  [
    "unauthenticated|not[ _-](?:authenticated|logged[ _-]in)",
    "\\b(?:invalid|expired|unknown|missing|no)[ _-](?:(?:active|user)[ _-])?(?:login[ _-]session|(?:session|access|auth[a-z]*)[ _-]token)",
    "\\b(?:login[ _-]session|session[ _-]token)[ _-](?:(?:is|has|was|been)[ _-]){0,2}(?:invalid|expired|revoked|ended|missing|not[ _-]found)",
    "(?:must|have to|need to|please)[ _-](?:be[ _-])?(?:log|sign)(?:ged|ed)?[ _-]?in\\b",
  ].join("|"),
  "i",
);
/** Matches answers which say that a session is invalid. A session of a checkout does not count. */
const NO_SESSION =
  /\b(?:invalid|expired|revoked)[ _-](?:(?:active|user)[ _-])?session\b(?![ _-]state)|(?<![a-z][ _-])session[ _-](?:(?:is|has|was|been)[ _-]){0,2}(?:invalid|expired|revoked)/i;
/** Statuses with which targets refuse an invalid session, besides 401. Some frameworks answer 419 or 440 if a session has expired. */
const OF_SESSIONS: ReadonlySet<number> = new Set([400, 403, 419, 440]);
/**
 * Matches answers that targets without error statuses, such as GraphQL servers, give instead of 401. In a 403 answer, such a text is about missing
 * rights.
 */
const UNAUTHORIZED = /unauthorized|not[ _-]authorized/i;

/** Returns `true` if a call was refused because its credentials are not valid. */
export function isUnauthorized({ status, refused, body = "" }: CallEnd): boolean {
  if (status === 401) return true;
  if (!refused) return false;
  return (
    NO_LOGIN.test(body) || ((status < 400 || OF_SESSIONS.has(status)) && NO_SESSION.test(body)) || (status < 400 && UNAUTHORIZED.test(body))
  );
}

/**
 * Returns `true` for a successful call that may make its own repetition fail, such as a logout or a change of the password. The request of such a
 * call has credentials, no values except passwords, and no code in its URL. The answer gives no credentials. A request with a one-time code does not
 * count, although its repetition may also be answered 401.
 */
export function mayEndItself({ status, refused, exchanges }: CallEnd): boolean {
  const exchange = exchanges.at(-1);
  if (exchange === undefined || refused || status < 200 || status >= 300) return false;
  const { headers, body, url } = exchange.request;
  return Object.keys(headers).some((name) => CREDENTIALS.test(name)) && !hasCode(url) && hasOnlyPasswords(body) && !grants(exchange);
}

/** Returns `true` if a URL contains a code: in its query, or in its path. The id of an item, which is a number or a UUID, is no code by itself. */
function hasCode(url: string): boolean {
  const [path = "", query = ""] = url.replace(/^[a-z]+:\/\/[^/]*/i, "").split("?");
  if ([...new URLSearchParams(query).values()].some(isOpaque)) return true;
  const opaque = path.split("/").filter(isOpaque);
  return opaque.some((segment) => !isItemId(segment)) || (opaque.length > 0 && OF_CODES.test(path));
}

function isOpaque(text: string): boolean {
  return isIdLike(text) || text.length >= 24;
}

function hasOnlyPasswords(body: string | undefined): boolean {
  if (body === undefined || body === "") return true;
  let sent: unknown;
  try {
    sent = JSON.parse(body);
  } catch {
    return [...new URLSearchParams(body).keys()].every((name) => PASSWORD.test(name));
  }
  if (typeof sent !== "object" || sent === null) return false;
  const { query, variables, operationName: _, ...rest } = sent as Readonly<Record<string, unknown>>;
  // A GraphQL document without texts contains no code, so only its variables count.
  const isGraphql = typeof query === "string" && !query.includes('"');
  return isSecretOnly("", isGraphql ? [variables, rest] : sent);
}

function isSecretOnly(name: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.entries(value).every(([key, one]) => isSecretOnly(key, one));
  return value === null || value === undefined || typeof value === "boolean" || PASSWORD.test(name);
}

/** Returns the values of `Set-Cookie` of an answer, one for each cookie. */
export function setCookies(headers: Readonly<Record<string, string>>): readonly string[] {
  return (headers["set-cookie"] ?? "").split(/,\s*(?=[^\s;,=]+=)/).filter((cookie) => cookie !== "");
}

/** Returns `true` if an answer gives the client a credential: in its body, or as a cookie that the request did not have. */
function grants({ request, response }: RecordedExchange): boolean {
  const sent = Object.entries(request.headers).find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  const cookies = setCookies(response?.headers ?? {});
  const isNew = (cookie: string): boolean => {
    const value = /^[^=;]+=([^;]*)/.exec(cookie)?.[1]?.trim() ?? "";
    return value !== "" && !sent.includes(value) && !/max-age=(?:0|-\d+)\s*(?:;|$)|expires=[^;]*\b1970\b/i.test(cookie);
  };
  return cookies.some(isNew) || GRANT.test(response?.body ?? "");
}
