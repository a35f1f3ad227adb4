import type { Operation } from "../../../openapi/operations/description.ts";

/**
 * Returns the path of the first server URL, for example `/v1` for `https://api.example.com/v1/`, `localhost:80/v1` and `/v1`. Returns `undefined` if
 * the path is `/` or unknown.
 */
export function basePathOf(servers: readonly string[]): string | undefined {
  const server = servers.find((one) => /^(?:https?:\/\/|\/)/i.test(one)) ?? servers[0];
  if (server === undefined || /[{}\s\p{C}]/u.test(server) || !URL.canParse(server, "http://localhost")) return undefined;
  // Add a scheme, because a URL parser would read the host of `127.0.0.1:8080/v1` as a part of the path.
  const url = /^[\w.-]+:\d+(?:\/|$)/.test(server) ? `http://${server}` : server;
  const path = new URL(url, "http://localhost").pathname.replace(/\/+$/, "");
  return path === "" ? undefined : path;
}

/**
 * Returns an operation with its path relative to the description's first server, to which all requests are sent. For example, if the first server has
 * the path `/v1`, and the operation's own server has the path `/v1/admin`, the operation's path gets the prefix `/admin`. If the operation's server
 * has another host, or is not below the path of the first server, the path is unchanged, and `elsewhere` is the operation's server.
 */
export function underBase(
  operation: Operation,
  servers: readonly string[],
): { readonly operation: Operation; readonly elsewhere?: string } {
  const own = operation.servers?.[0];
  if (own === undefined) return { operation };
  const host = hostOf(own);
  const [base, at] = [basePathOf(servers) ?? "", basePathOf([own]) ?? ""];
  const isOther = host !== undefined && !servers.some((one) => hostOf(one) === host);
  if (isOther || (at !== base && !at.startsWith(`${base}/`))) return { operation, elsewhere: own };
  return at === base ? { operation } : { operation: { ...operation, path: at.slice(base.length) + operation.path } };
}

/** Returns the servers, with servers on this machine first. */
export function localFirst(servers: readonly string[]): readonly string[] {
  return [...servers.filter(isLocal), ...servers.filter((one) => !isLocal(one))];
}

/** Returns `true` for the URL of a server on this machine. */
export function isLocal(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

function hostOf(server: string): string | undefined {
  return /^(?:https?:)?\/\//i.test(server) && URL.canParse(server, "http://localhost")
    ? new URL(server, "http://localhost").host
    : undefined;
}
