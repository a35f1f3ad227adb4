import { decoded } from "../model/http/decoded.ts";
import { sqlitePathOf } from "../model/stores/sqlite-path.ts";
import { STORE_KINDS, storeKindOf } from "../adapters/store-kinds.ts";

/** The parts of a store's URL that a placeholder can name. */
export const STORE_PARTS = ["host", "port", "user", "password", "database"] as const;
export type StorePart = (typeof STORE_PARTS)[number];

/**
 * Returns a part of a store's URL, decoded, with the default port where none is written; `undefined` if the store has no such part.
 * The database of SQLite is its file, that of Redis is the number of an index. A password that is written and empty, as in `mysql://root:@host/shop`,
 * counts as a password.
 *
 * @param url A valid URL of a store.
 */
export function storePart(url: string, part: StorePart): string | undefined {
  const kind = storeKindOf(url);
  if (kind === "sqlite") return part === "database" ? sqlitePathOf(url) : undefined;
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  switch (part) {
    case "host":
      // Drivers take a socket, or another host, from the query.
      return searchParams.get("host") ?? searchParams.get("socketPath") ?? (hostname.replace(/^\[(.*)\]$/, "$1") || undefined);
    case "port":
      return port || searchParams.get("port") || (kind && STORE_KINDS[kind].port);
    case "user":
      return decoded(username || searchParams.get("user") || "") || undefined;
    case "password":
      if (password === "" && /^[^/]*\/\/[^/?#]*:@/.test(url)) return "";
      return decoded(password || searchParams.get("password") || "") || undefined;
    case "database":
      return decoded(pathname.slice(1) || (kind === "redis" || kind === "bullmq" ? (searchParams.get("db") ?? "0") : "")) || undefined;
  }
}

/**
 * Returns the store and the part of its URL that a placeholder names, from the text in its braces: `host:cache`, `db_host`. `undefined` if it names
 * no store.
 */
export function storePlaceholder(name: string): { readonly store: string; readonly part: StorePart | "url" } | undefined {
  const [, part, store] = PLACEHOLDER.exec(name) ?? [];
  if (part !== undefined && store !== undefined) return { store, part: part as StorePart | "url" };
  const own = STORE_PARTS.find((one) => name === `db_${one}`);
  return own === undefined ? undefined : { store: "db", part: own };
}

const PLACEHOLDER = new RegExp(`^(url|${STORE_PARTS.join("|")}):(.*)$`, "s");
