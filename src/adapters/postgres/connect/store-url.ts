import { SeqqaError } from "../../../model/errors.ts";

export interface StoreUrl {
  /** The URL with credentials. seqqa passes this URL only to the driver. */
  readonly href: string;
  /** The URL without credentials, as messages show it. */
  readonly shown: string;
  readonly database: string;
}

/** Parses the URL of a database. @throws SeqqaError `STORE_URL_INVALID`. The message does not contain the URL, which may include a password. */
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

export function withDatabase(store: StoreUrl, database: string): StoreUrl {
  const url = new URL(store.href);
  url.pathname = `/${encodeURIComponent(database)}`;
  return storeUrl(url.href);
}

/**
 * Returns the URL in a form that pg parses correctly, except for the name of the database. pg encodes a URL with a blank or a lone `%` a second time.
 */
export function driverUrl({ href }: Pick<StoreUrl, "href">): string {
  return new URL(href).href.replaceAll(LONE_PERCENT, "%25");
}

const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;

/** Decodes a part of a URL. A `%` without two hexadecimal digits stays unchanged. @throws URIError if the decoded bytes are not UTF-8 */
export function decoded(part: string): string {
  return decodeURIComponent(part.replaceAll(LONE_PERCENT, "%25"));
}

/** Removes the URL and its passwords from a text. */
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
    hint: "Write postgresql://user:password@host:port/database. Percent-encode special characters in the password, for example @ as %40.",
    exitStatus: 2,
  });
}
