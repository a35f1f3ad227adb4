import { decoded } from "../http/decoded.ts";

/** From this length on a password is hidden in the middle of a word, too. */
const LONG = 8;

/** A URL with a user part, in a text: as in URL parsers it ends at the last `@` before the path. */
const USER_PART = /:\/\/([^\s/?#"'`<>]*)@/g;

/** Stands for credentials in hints and help. */
const EXAMPLE = "user:password";

/**
 * The text without secrets of URLs: passwords, and names alone in URLs of HTTP, which are tokens there, are replaced by `***`; so are the given
 * passwords wherever they stand. Only a given password can be told from the text around it where it holds blanks, quotes or slashes.
 */
export function withoutSecrets(text: string, passwords: readonly string[] = []): string {
  const known = passwords.reduce((shown, password) => (password === "***" ? shown : hide(shown, password)), text);
  return known.replace(USER_PART, (all: string, part: string, at: number) => {
    const colon = part.indexOf(":");
    if (part === EXAMPLE || (colon < 0 && !/https?$/i.test(known.slice(Math.max(0, at - 5), at)))) return all;
    return `://${colon < 0 ? "" : `${part.slice(0, colon)}:`}***@`;
  });
}

/** The passwords in URLs, as they are written there and as they are meant; the longest first. */
export function passwordsOf(urls: readonly string[]): readonly string[] {
  const written = urls.flatMap((url) => [passwordOfUser(url), ...parametersNamedPassword(url)]);
  const all = new Set([...written, ...written.map(decoded)]);
  return [...all].filter((password) => password !== "").toSorted((a, b) => b.length - a.length);
}

/** The password of the user part; empty: there is none. */
function passwordOfUser(url: string): string {
  const [, scheme, rest] = /^\s*([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(url) ?? [];
  if (scheme === undefined) return "";
  const authority = /^[^/?#]*/.exec(rest!)![0];
  // No parser takes a password with a bare `/`, `?` or `#`, but it is one all the same. A path of HTTP may have an `@`.
  const within = authority.includes("@") || /^https?$/i.test(scheme) ? authority : rest!;
  const user = within.slice(0, Math.max(0, within.lastIndexOf("@")));
  return user.includes(":") ? user.slice(user.indexOf(":") + 1) : "";
}

/** Empty for every other parameter. */
function parametersNamedPassword(url: string): readonly string[] {
  const [, query] = /^\s*[a-z][a-z0-9+.-]*:[^?]*\?([^#]*)/is.exec(url) ?? [];
  return (query ?? "").split("&").map((pair) => /^(?:password|passwd|pwd|sslpassword)=(.*)$/is.exec(pair)?.[1] ?? "");
}

/** A short password may be a part of any word; on its own it is hidden all the same. */
function hide(text: string, password: string): string {
  if (password.length >= LONG) return text.replaceAll(password, "***");
  const literal = password.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, "g"), "***");
}
