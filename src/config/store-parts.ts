import { decoded } from "../model/http/decoded.ts";
import { sqlitePathOf } from "../model/stores/sqlite-path.ts";
import { STORE_KINDS, storeKindOf } from "../adapters/store-kinds.ts";

export const STORE_PARTS = ["host", "port", "user", "password", "database"] as const;
type StorePart = (typeof STORE_PARTS)[number];
/** The parts of a store that a placeholder can name: `{url:cache}`, `{path:files}`, `{host:cache}`. */
export const NAMED_PARTS: readonly NamedPart[] = ["url", "path", ...STORE_PARTS];
type NamedPart = StorePart | "url" | "path";

/**
 * Returns a part of a store's URL, decoded, or `undefined` if the URL has no such part.
 * A missing port is replaced by the default port of the store. For SQLite, both `database` and `path` are the file; other stores have no `path`. The
 * database of Redis is its index. An explicitly empty password, as in `mysql://root:@host/shop`, is returned as an empty text.
 * @param url A valid URL of a store.
 */
export function storePart(url: string, part: Exclude<NamedPart, "url">): string | undefined {
  const kind = storeKindOf(url);
  if (kind === "sqlite") return part === "database" || part === "path" ? sqlitePathOf(url) : undefined;
  if (part === "path") return undefined;
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  switch (part) {
    case "host":
      // Database drivers also accept a host, or the path of a socket, in the query of the URL.
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
 * Returns the store and the part of its URL that a placeholder in the target's command names.
 * @param name The text inside the braces, for example `host:cache` or `db_host`.
 * @returns `undefined` if the placeholder names no store
 */
export function storePlaceholder(name: string): { readonly store: string; readonly part: NamedPart } | undefined {
  const [, part, store] = PLACEHOLDER.exec(name) ?? [];
  if (part !== undefined && store !== undefined) return { store, part: part as NamedPart };
  const own = STORE_PARTS.find((one) => name === `db_${one}`);
  return own === undefined ? undefined : { store: "db", part: own };
}

const NAMES: readonly string[] = ["port", "lane", "db_url", "db_path", ...STORE_PARTS.map((part) => `db_${part}`)];

/**
 * Returns the correct placeholders for a text in braces that is certainly a misspelt placeholder: `{part:store}` with a known store but an unknown
 * part, or a known name in another spelling, such as `{PORT}` or `{dbUrl}`. Returns `undefined` for other text.
 * @param inside The text inside the braces.
 */
export function misspeltPlaceholder(inside: string, stores: ReadonlySet<string>): readonly string[] | undefined {
  const [, name, store] = /^([A-Za-z]\w*)(?::(\S*))?$/.exec(inside) ?? [];
  if (name === undefined || (store !== undefined && !stores.has(store))) return undefined;
  const known = store === undefined ? NAMES : NAMED_PARTS;
  if (known.includes(name)) return undefined;
  const meant = known.filter((one) => one.replace("_", "") === name.replaceAll("_", "").toLowerCase());
  const right = meant.length > 0 || store === undefined ? meant : known;
  return right.length === 0 ? undefined : right.map((one) => (store === undefined ? `{${one}}` : `{${one}:${store}}`));
}

const PLACEHOLDER = new RegExp(`^(${NAMED_PARTS.join("|")}):(.*)$`, "s");
