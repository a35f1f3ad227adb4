import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { refusesInBody } from "../model/http/refusal.ts";
import { isIdLike } from "../model/text/id-like.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "CALL"]);

/** Returns the answers to requests whose methods may write. */
export function writesOf(answers: readonly ApiResponse[]): readonly ApiResponse[] {
  return answers.filter(({ request }) => !READS.has(request.method));
}

/**
 * Returns `true` for a 2xx answer to a request that was executed. Returns `false` if the body reports a failure (`{ "ok": false }`), and for 202,
 * which only says that the request will be executed later.
 */
export function isDone(answer: ApiResponse): boolean {
  return answer.statusCode !== 202 && isGranted(answer);
}

/** Returns `true` for a 2xx answer whose body does not refuse the request, see {@link refusesInBody}. */
export function isGranted(answer: ApiResponse): boolean {
  return answer.ok && !refusesInBody(answer);
}

export function isRedirect({ statusCode }: ApiResponse): boolean {
  return statusCode >= 300 && statusCode < 400;
}

/**
 * Returns the path of a request relative to the client's base URL, without the query. `undefined` if the request went to another URL, or not over
 * HTTP.
 */
export function pathOf(client: ApiClient, { request }: ApiResponse): string | undefined {
  const base = urlOf(clientPartOf(client)?.base);
  const url = urlOf(request.url);
  if (base === undefined || url === undefined || url.origin !== base.origin) return undefined;
  const under = base.pathname.replace(/\/$/, "");
  if (under !== "" && url.pathname !== under && !url.pathname.startsWith(`${under}/`)) return undefined;
  return url.pathname.slice(under.length) || "/";
}

/**
 * Returns `true` for 404, 410 and server failures, after which an item counts as missing. Other statuses only say that reading the item is not
 * allowed, or not possible with this request or at this time.
 */
export function isMissing(status: number): boolean {
  return status === 404 || status === 410 || isFailure(status);
}

/** Returns `true` for 5xx except 501 (not implemented) and 503 (unavailable at the moment). */
export function isFailure(status: number): boolean {
  return status >= 500 && status !== 501 && status !== 503;
}

export function urlOf(text: string | undefined, base?: string): URL | undefined {
  if (text === undefined) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Returns a path for messages. Segments that look like ids of the target are replaced by `{id}`, because they differ between runs. */
export function shownPath(path: string): string {
  return path
    .split("/")
    .map((segment) => (isIdLike(segment) ? "{id}" : segment))
    .join("/");
}
