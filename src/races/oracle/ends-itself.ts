import { isIdLike, isItemId } from "../../model/text/id-like.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { CallEnd } from "./execution.ts";

const CREDENTIALS = /^(?:authorization|cookie|x-.*(?:token|key|session).*)$/i;
const PASSWORD = /passw|pwd|passphrase/i;
/** Matches a member of JSON that gives the client a credential. */
const GRANT = /"[^"]*(?:token|session|jwt|secret|key|code)[^"]*"\s*:\s*"[^"]+"/i;
/** Matches paths that take a code, such as `/password/reset/{token}`. */
const OF_CODES = /reset|verif|confirm|activat|invit|magic|redeem|accept|recover|coupon|voucher|otp|token|code/i;
const UNAUTHORIZED = /unauthenticated|unauthorized|not (?:authenticated|authorized|logged in)/i;
/** Matches texts with which some targets answer 400 or 403 to a request of a session that has ended. */
const NO_SESSION = /(?:invalid|expired|unknown|no) session|session (?:token )?(?:is |has |was )?(?:invalid|expired|ended|not found)/i;

/** Returns `true` if a call was refused because its credentials are not valid. */
export function isUnauthorized({ status, refused, body }: CallEnd): boolean {
  const reason = status < 400 ? UNAUTHORIZED : status === 400 || status === 403 ? NO_SESSION : undefined;
  return status === 401 || (refused && reason?.test(body ?? "") === true);
}

/**
 * Returns `true` for a successful call that may make its own repetition fail, such as a logout or a change of the password. The request of such a
 * call has credentials, no values except passwords, and no code in its URL. The answer gives no credentials. A request with a one-time code does not
 * count, although the second request gets 401, too.
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

/** Returns `true` if an answer gives the client a credential: in its body, or as a cookie that the request did not have. */
function grants({ request, response }: RecordedExchange): boolean {
  const sent = Object.entries(request.headers).find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  const cookies = (response?.headers["set-cookie"] ?? "").split(/,\s*(?=[^\s;,=]+=)/);
  const isNew = (cookie: string): boolean => {
    const value = /^[^=;]+=([^;]*)/.exec(cookie)?.[1]?.trim() ?? "";
    return value !== "" && !sent.includes(value) && !/max-age=(?:0|-\d+)\s*(?:;|$)|expires=[^;]*\b1970\b/i.test(cookie);
  };
  return cookies.some(isNew) || GRANT.test(response?.body ?? "");
}
