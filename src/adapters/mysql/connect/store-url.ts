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
  const store = serverUrl(text);
  if (store.database === "") throw invalid("the URL names no database");
  return store;
}

/** Parses the URL of a server. Unlike {@link storeUrl}, accepts a URL that names no database. */
export function serverUrl(text: string): StoreUrl {
  let url: URL;
  let database: string;
  try {
    url = new URL(text);
    database = decodeURIComponent(url.pathname.slice(1));
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
  } catch {
    throw invalid("the text is not a URL");
  }
  if (url.protocol !== "mysql:" && url.protocol !== "mariadb:") throw invalid("the URL begins with neither mysql: nor mariadb:");
  if (!isSsl(url.searchParams.get("ssl"))) throw invalid("the parameter `ssl` begins with { but is not a JSON object");
  const host = url.host !== "" ? url.host : (url.searchParams.get("socketPath") ?? "");
  return { href: text, shown: `mysql://${host}/${database}`, database };
}

/**
 * Returns `false` if the URL parameter `ssl` begins with `{` but is not JSON, because the driver cannot parse such a value. All other values are
 * valid, because they only switch TLS on or off.
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

export function withDatabase(store: StoreUrl, database: string): StoreUrl {
  const url = new URL(store.href);
  url.pathname = `/${encodeURIComponent(database)}`;
  return storeUrl(url.href);
}

/** Removes the URL and its password from a text. */
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
    hint: "Write mysql://user:password@host:port/database. Percent-encode special characters in the password, for example @ as %40.",
    exitStatus: 2,
  });
}
