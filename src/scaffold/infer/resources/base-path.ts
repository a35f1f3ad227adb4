/** Returns the path of the first server, e.g. `/v1` for `https://api.example.com/v1/` and for `/v1`; `undefined` if it is `/` or not known. */
export function basePathOf(servers: readonly string[]): string | undefined {
  const server = servers.find((one) => /^(?:https?:\/\/|\/)/i.test(one)) ?? servers[0];
  if (server === undefined || /[{}\s\p{C}]/u.test(server) || !URL.canParse(server, "http://localhost")) return undefined;
  const path = new URL(server, "http://localhost").pathname.replace(/\/+$/, "");
  return path === "" ? undefined : path;
}
