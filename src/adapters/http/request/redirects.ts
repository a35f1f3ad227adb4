import type { ApiResponse } from "../../../model/http/response.ts";
import { resolveTarget, type BaseUrl } from "./target-url.ts";

/** The redirect limit of browsers (Fetch standard, HTTP-redirect fetch). */
export const MAX_REDIRECTS = 20;

/** A request without the client's own headers. The client adds its headers for each redirect, because the cookies depend on the path. */
export interface Redirectable {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly body: string | Uint8Array | undefined;
  readonly shown?: string | undefined;
  readonly contentType: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** `true` for a request without the client's token, cookies and headers. Cookies in the answer to such a request are ignored. */
  readonly isAnonymous: boolean;
}

/**
 * Returns the request that follows a redirect. After a 303, and after a 301 or 302 to a POST, the request is a GET without a body (Fetch standard).
 * Returns `undefined` for an answer that is no redirect, and for a redirect to another origin, which must not receive tokens and cookies.
 */
export function redirected(base: BaseUrl, request: Redirectable, response: ApiResponse): Redirectable | undefined {
  const status = response.statusCode;
  if (status !== 301 && status !== 302 && status !== 303 && status !== 307 && status !== 308) return undefined;
  const location = response.headers["location"];
  const url = location === undefined ? undefined : parse(location, request.url);
  if (url === undefined || url.origin !== base.origin) return undefined;
  const target = resolveTarget(base, url.href, undefined);
  const asGet = status === 303 ? request.method !== "GET" && request.method !== "HEAD" : status < 303 && request.method === "POST";
  if (!asGet) return { ...request, ...target };
  const { isAnonymous } = request;
  return { ...target, method: "GET", body: undefined, contentType: undefined, headers: withoutContent(request.headers), isAnonymous };
}

function parse(location: string, from: string): URL | undefined {
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}

function withoutContent(headers: Redirectable["headers"]): Redirectable["headers"] {
  if (headers === undefined) return undefined;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("content-")));
}
