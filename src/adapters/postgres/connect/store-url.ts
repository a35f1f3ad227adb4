import { SeqqaError } from "../../../model/errors.ts";

/** The URL of a database, taken apart. */
export interface StoreUrl {
  /** With its credentials: for the driver only. */
  readonly href: string;
  /** For messages: without credentials. */
  readonly shown: string;
  readonly database: string;
}

/** @throws SeqqaError `STORE_URL_INVALID`, which does not repeat what was given: it may hold a password. */
export function storeUrl(text: string): StoreUrl {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid();
  }
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") throw invalid();
  let database: string;
  try {
    database = decoded(url.pathname.slice(1));
    decoded(url.password);
    if (database === "") database = process.env["PGDATABASE"] ?? (decoded(url.username) || "postgres");
  } catch {
    throw invalid();
  }
  const socket = url.searchParams.get("host");
  const host = url.host !== "" ? url.host : (socket ?? "");
  return { href: text, shown: `postgresql://${host}${host.startsWith("/") ? ":" : "/"}${database}`, database };
}

/** The same server, another database. */
export function withDatabase(store: StoreUrl, database: string): StoreUrl {
  const url = new URL(store.href);
  url.pathname = `/${encodeURIComponent(database)}`;
  return storeUrl(url.href);
}

/**
 * The URL as the driver takes every part of it but the database for what it says: where a blank or a lone `%` is in it, it would encode what is encoded
 * already once more.
 */
export function driverUrl({ href }: Pick<StoreUrl, "href">): string {
  return new URL(href).href.replaceAll(LONE_PERCENT, "%25");
}

const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;

/** A part of a URL, as it was meant. @throws URIError where it is not UTF-8 */
export function decoded(part: string): string {
  return decodeURIComponent(part.replaceAll(LONE_PERCENT, "%25"));
}

/** Text that may repeat the credentials of a URL, without them. */
export function withoutSecrets(text: string, { href }: Pick<StoreUrl, "href">): string {
  const url = new URL(href);
  let clean = text.replaceAll(href, "(url)");
  for (const secret of [url.password, decoded(url.password), url.searchParams.get("password") ?? ""]) {
    if (secret.length > 0) clean = clean.replaceAll(secret, "***");
  }
  return clean;
}

function invalid(): SeqqaError {
  return new SeqqaError("STORE_URL_INVALID", "The URL of a PostgreSQL database is not valid.", {
    hint: "Write postgresql://user:password@host:port/database, with special characters of the password as %XX.",
    exitStatus: 2,
  });
}
