import { SeqqaError } from "../../model/errors.ts";

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
    database = decodeURIComponent(url.pathname.slice(1));
  } catch {
    throw invalid();
  }
  if (database === "") database = process.env["PGDATABASE"] ?? (decodeURIComponent(url.username) || "postgres");
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

/** Text that may repeat the credentials of a URL, without them. */
export function withoutSecrets(text: string, { href }: Pick<StoreUrl, "href">): string {
  const url = new URL(href);
  let clean = text.replaceAll(href, "(url)");
  for (const secret of [url.password, safelyDecoded(url.password), url.searchParams.get("password") ?? ""]) {
    if (secret.length > 0) clean = clean.replaceAll(secret, "***");
  }
  return clean;
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(): SeqqaError {
  return new SeqqaError("STORE_URL_INVALID", "The URL of a PostgreSQL database is not valid.", {
    hint: "Write postgresql://user:password@host:port/database, with special characters of the password as %XX.",
    exitStatus: 2,
  });
}
