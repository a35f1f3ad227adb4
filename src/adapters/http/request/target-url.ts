import type { RequestOptions } from "../../../model/http/client.ts";
import { SeqqaError } from "../../../model/errors.ts";

export interface BaseUrl {
  readonly origin: string;
  /** The path without a slash at its end; empty for the root. */
  readonly path: string;
  /** The credentials of `http://user:password@host`, which are stored nowhere else. */
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

/** The target of a request: `path` for the request line, and the whole `url` for reports. */
export interface RequestTarget {
  readonly path: string;
  readonly url: string;
}

/** Parses the base URL of a client. @throws SeqqaError `BASE_URL_INVALID` if it is not an HTTP URL, or has a query or fragment */
export function parseBaseUrl(text: string): BaseUrl {
  const shown = JSON.stringify(withoutSecrets(String(text)));
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    // The message of the cause quotes the URL, including the password, so the cause is dropped.
    throw invalidBase(`The base URL ${shown} of an HttpClient is not a valid URL.`, /:\/\/[^/]*@/.test(text) ? undefined : cause);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalidBase(`The base URL ${shown} of an HttpClient begins with neither http: nor https:.`);
  if (url.search !== "" || url.hash !== "")
    throw invalidBase(`The base URL ${shown} of an HttpClient contains a query (?...) or a fragment (#...).`);
  const credentials =
    url.username === "" && url.password === "" ? undefined : { username: decoded(url.username), password: decoded(url.password) };
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, ""), credentials };
}

/**
 * Returns the base URL with `path` appended. The path is percent-encoded in the same way as the path of a base URL.
 * @throws SeqqaError `BASE_PATH_INVALID`
 */
export function belowBase(base: BaseUrl, path: string): BaseUrl {
  const found = typeof path === "string" && path.startsWith("/") ? url(`${base.origin}${base.path}${path}`) : undefined;
  if (found === undefined || found.search !== "" || found.hash !== "") {
    throw new SeqqaError(
      "BASE_PATH_INVALID",
      `The option basePath of an HttpClient is ${shownPath(path)}, but must be a path that begins with / and has no query.`,
      {
        hint: 'Pass something like basePath: "/v1".',
        exitStatus: 2,
      },
    );
  }
  return { ...base, path: found.pathname.replace(/\/+$/, "") };
}

function url(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function shownPath(path: unknown): string {
  return typeof path === "string" ? JSON.stringify(withoutSecrets(path)) : `of type ${path === null ? "null" : typeof path}`;
}

const PLAIN = /^[\x21\x22\x24-\x7e]*$/;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;

/**
 * Joins a path to the base URL. Characters that URLs forbid are percent-encoded, and a fragment is dropped. `..` and `//` are sent unchanged, because
 * a user may want to test an API with them.
 * @throws SeqqaError `OTHER_ORIGIN` for an absolute URL of another origin, `PATH_INVALID` for control characters
 */
export function resolveTarget(base: BaseUrl, path: string, query: RequestOptions["query"]): RequestTarget {
  if (typeof path !== "string")
    throw new SeqqaError("PATH_INVALID", `The path of a request has the type ${typeof path}, but must be a string.`, {
      hint: 'Pass a path such as "/orders".',
    });
  let full: string;
  if (ABSOLUTE.test(path)) full = sameOrigin(base, path);
  else if (path === "") full = base.path === "" ? "/" : base.path;
  else if (path.charCodeAt(0) === 47) full = base.path + path;
  else if (path.charCodeAt(0) === 63) full = (base.path === "" ? "/" : base.path) + path;
  else full = `${base.path}/${path}`;
  if (!PLAIN.test(full)) full = encoded(full);
  if (query !== undefined) full = withQuery(full, query);
  return { path: full, url: base.origin + full };
}

function sameOrigin(base: BaseUrl, text: string): string {
  refuseControls(text);
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    url = undefined;
  }
  if (url?.origin === base.origin) return url.pathname + url.search;
  throw new SeqqaError(
    "OTHER_ORIGIN",
    `The client for ${base.origin} did not send a request to ${withoutSecrets(text)}, because this URL belongs to another server.`,
    {
      hint: "Pass a path such as /orders, or create another HttpClient for the other server.",
    },
  );
}

function encoded(text: string): string {
  refuseControls(text);
  const fragment = text.indexOf("#");
  const sent = fragment === -1 ? text : text.slice(0, fragment);
  // A lone surrogate has no UTF-8 encoding. U+FFFD is sent instead, as the URL standard requires.
  return sent.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, "\ufffd")));
}

function refuseControls(text: string): void {
  // eslint-disable-next-line no-control-regex -- the expression has to match control characters
  if (!/[\x00-\x1f\x7f]/.test(text)) return;
  throw new SeqqaError(
    "PATH_INVALID",
    `The path ${JSON.stringify(withoutSecrets(text))} contains a line break or another control character.`,
    {
      hint: "Encode values with encodeURIComponent before you put them into a path. The request was not sent.",
    },
  );
}

function withQuery(path: string, query: NonNullable<RequestOptions["query"]>): string {
  const pairs = new URLSearchParams();
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (value === null || value === undefined) continue;
    if (typeof value === "object") for (const one of value) pairs.append(name, String(one));
    else pairs.append(name, String(value));
  }
  const text = pairs.toString();
  if (text === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${text}`;
}

/** Returns a URL for messages: without credentials and without the values of parameters whose names suggest secrets. */
export function withoutSecrets(url: string): string {
  return url.replace(/:\/\/[^/?#]*@/, "://").replace(/([?&][^=&#]*(?:token|secret|passw|api_?key|signature)[^=&#]*=)[^&#]*/gi, "$1***");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalidBase(message: string, cause?: unknown): SeqqaError {
  return new SeqqaError("BASE_URL_INVALID", message, {
    hint: "Pass a URL such as http://127.0.0.1:3000 or http://host/api.",
    exitStatus: 2,
    cause,
  });
}
