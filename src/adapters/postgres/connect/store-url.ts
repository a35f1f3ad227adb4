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

/** Returns the URL of another database on the same server. */
export function withDatabase(store: StoreUrl, database: string): StoreUrl {
  const url = new URL(store.href);
  url.pathname = `/${encodeURIComponent(database)}`;
  return storeUrl(url.href);
}

/**
 * Returns the URL in the form in which the driver reads every part of it, except the database, as it is meant. With a blank or a lone `%` in a URL,
 * the driver would encode a second time what is encoded already.
 */
export function driverUrl({ href }: Pick<StoreUrl, "href">): string {
  return new URL(href).href.replaceAll(LONE_PERCENT, "%25");
}

const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;

/** Decodes a part of a URL as it was meant. @throws URIError if it is not UTF-8 */
export function decoded(part: string): string {
  return decodeURIComponent(part.replaceAll(LONE_PERCENT, "%25"));
}

/** Removes the credentials of a URL from a text that may repeat them. */
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
