import { SeqqaError } from "../../../model/errors.ts";

/** The URL of a database, parsed. */
export interface StoreUrl {
  /** With its credentials: for the driver only. */
  readonly href: string;
  /** For messages: without credentials. */
  readonly shown: string;
  readonly database: string;
}

/** @throws SeqqaError `STORE_URL_INVALID`, which does not repeat what was given: it may hold a password. */
export function storeUrl(text: string): StoreUrl {
  const store = serverUrl(text);
  if (store.database === "") throw invalid("it names no database");
  return store;
}

/** Does the same as {@link storeUrl}, but the database may be missing. */
export function serverUrl(text: string): StoreUrl {
  let url: URL;
  let database: string;
  try {
    url = new URL(text);
    database = decodeURIComponent(url.pathname.slice(1));
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
  } catch {
    throw invalid("it cannot be read");
  }
  if (url.protocol !== "mysql:" && url.protocol !== "mariadb:") throw invalid("it begins with neither mysql: nor mariadb:");
  if (!isSsl(url.searchParams.get("ssl"))) throw invalid("its parameter `ssl` begins with { but is not a JSON object");
  const host = url.host !== "" ? url.host : (url.searchParams.get("socketPath") ?? "");
  return { href: text, shown: `mysql://${host}/${database}`, database };
}

/**
 * Returns `false` for a value that begins with `{` and is not JSON, which the driver cannot take. For other values it only matters whether they say
 * no.
 */
function isSsl(text: string | null): boolean {
  if (text?.startsWith("{") !== true) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the URL of another database on the same server. */
export function withDatabase(store: StoreUrl, database: string): StoreUrl {
  const url = new URL(store.href);
  url.pathname = `/${encodeURIComponent(database)}`;
  return storeUrl(url.href);
}

/** Removes the credentials of a URL from a text that may repeat them. */
export function withoutSecrets(text: string, { href }: Pick<StoreUrl, "href">): string {
  const { password } = new URL(href);
  let clean = text.replaceAll(href, "(url)");
  for (const secret of [password, decodeURIComponent(password)]) {
    if (secret.length > 0) clean = clean.replaceAll(secret, "***");
  }
  return clean;
}

function invalid(why: string): SeqqaError {
  return new SeqqaError("STORE_URL_INVALID", `The URL of a MySQL database is not valid: ${why}.`, {
    hint: "Write mysql://user:password@host:port/database, with special characters of the password as %XX.",
    exitStatus: 2,
  });
}
