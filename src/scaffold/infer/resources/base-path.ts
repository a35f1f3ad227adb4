/**
 * Returns the path of the first server URL, for example `/v1` for `https://api.example.com/v1/`, `localhost:80/v1` and `/v1`. Returns `undefined` if
 * the path is `/` or unknown.
 */
export function basePathOf(servers: readonly string[]): string | undefined {
  const server = servers.find((one) => /^(?:https?:\/\/|\/)/i.test(one)) ?? servers[0];
  if (server === undefined || /[{}\s\p{C}]/u.test(server) || !URL.canParse(server, "http://localhost")) return undefined;
  // A URL parser needs a scheme. Without one, it would read the host of `127.0.0.1:8080/v1` as a part of the path.
  const url = /^[\w.-]+:\d+(?:\/|$)/.test(server) ? `http://${server}` : server;
  const path = new URL(url, "http://localhost").pathname.replace(/\/+$/, "");
  return path === "" ? undefined : path;
}
