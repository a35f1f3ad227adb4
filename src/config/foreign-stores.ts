import { backendOf } from "./backend.ts";
import type { Config } from "./config.ts";
import { problem } from "./problem.ts";

/** `ci` as a word of its own: "prices" is not a store for continuous integration. */
const FOR_TESTS = /test|dev|seqqa|(?:^|[^a-z])ci(?:[^a-z]|$)/i;

/**
 * Refuses stores that look like somebody's real ones: on another machine, with a name that does not say that it is for tests.
 * seqqa writes into the stores of targets that already run, and makes databases beside templates.
 * `allowed`: names given with `--allow-db`. @throws SeqqaError `STORE_NOT_ALLOWED` (2).
 */
export function refuseForeignStores(config: Config, allowed: readonly string[]): void {
  const own = Object.entries(config.systems).map(([name, { url }]) => [`systems.${name}`, url] as const);
  const listed = config.lanes.flatMap(({ systems }, lane) =>
    Object.entries(systems).map(([name, { url }]) => [`lanes[${lane}].systems.${name}`, url] as const),
  );
  for (const [key, url] of [...own, ...listed]) {
    const store = foreign(url);
    if (store === undefined || FOR_TESTS.test(store.name) || allowed.includes(store.name)) continue;
    throw problem(
      "STORE_NOT_ALLOWED",
      undefined,
      `${key} is ${store.name === "" ? "a store" : `the store "${store.name}"`} on ${store.host}, which is neither this machine nor named as one for tests.`,
      store.name === ""
        ? "Name the database in the URL."
        : `If seqqa may write there, add --allow-db ${store.name}; else use a store whose name contains test, dev, ci or seqqa.`,
    );
  }
}

/** Where a store on another machine is, and what it is called: its database; Redis has only numbers, so there it is the host. */
function foreign(url: string): { readonly host: string; readonly name: string } | undefined {
  const kind = backendOf(url);
  if (kind === "sqlite") return undefined;
  const parsed = new URL(url);
  const hosts = [...parsed.searchParams.getAll("host"), ...(parsed.searchParams.has("socketPath") ? ["/"] : [])];
  const host = (hosts.at(-1) ?? parsed.hostname).replace(/^\[(.*)\]$/, "$1");
  if (host === "" || host.startsWith("/") || isLoopback(host)) return undefined;
  return { host, name: kind === "redis" ? host : decode(parsed.pathname.slice(1)) };
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|0:0:0:0:0:0:0:1)$/i.test(host);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
