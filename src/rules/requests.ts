import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import type { ApiResponse } from "../model/http/response.ts";

const READS = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "CALL"]);

/** The answers to requests that may write, by their methods. */
export function writesOf(answers: readonly ApiResponse[]): readonly ApiResponse[] {
  return answers.filter(({ request }) => !READS.has(request.method));
}

/** 2xx, and not 202, which promises only that it will be done. */
export function isDone({ ok, statusCode }: ApiResponse): boolean {
  return ok && statusCode !== 202;
}

/** The path that a request was sent to as its client would be told it: without query and the base of the client. `undefined` where it went elsewhere, or not over HTTP. */
export function pathOf(client: ApiClient, { request }: ApiResponse): string | undefined {
  const base = urlOf(clientPartOf(client)?.base);
  const url = urlOf(request.url);
  if (base === undefined || url === undefined || url.origin !== base.origin) return undefined;
  const under = base.pathname.replace(/\/$/, "");
  if (under !== "" && url.pathname !== under && !url.pathname.startsWith(`${under}/`)) return undefined;
  return url.pathname.slice(under.length) || "/";
}

/** Whether a status says that a thing is not to be had that should be: 404, 410, or a failure of the server. The others say that it may not be read, not so, or not now. */
export function isMissing(status: number): boolean {
  return status === 404 || status === 410 || isFailure(status);
}

/** 5xx, but not "not implemented" and "not now". */
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

/** How messages name a path: what looks like an id of the target's is not the same in every run. */
export function shownPath(path: string): string {
  return path
    .split("/")
    .map((segment) => (isIdLike(segment) ? "{id}" : segment))
    .join("/");
}

function isIdLike(segment: string): boolean {
  return /^\d+$/.test(segment) || (segment.length >= 12 && /\d.*\d/.test(segment));
}
