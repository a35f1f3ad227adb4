/** Returns the path of the first server, e.g. `/v1` for `https://api.example.com/v1/`, for `localhost:80/v1` and for `/v1`; `undefined` if it is `/` or not known. */
export function basePathOf(servers: readonly string[]): string | undefined {
  const server = servers.find((one) => /^(?:https?:\/\/|\/)/i.test(one)) ?? servers[0];
  if (server === undefined || /[{}\s\p{C}]/u.test(server) || !URL.canParse(server, "http://localhost")) return undefined;
  // `127.0.0.1:8080/v1`: a host without a scheme is no path.
  const url = /^[\w.-]+:\d+(?:\/|$)/.test(server) ? `http://${server}` : server;
  const path = new URL(url, "http://localhost").pathname.replace(/\/+$/, "");
  return path === "" ? undefined : path;
}
