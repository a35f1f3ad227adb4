import { decoded } from "../http/decoded.ts";

/** A password of at least this length is hidden in the middle of a word, too. */
const LONG = 8;

/** A URL with a user part, in a text: as in URL parsers the part ends at the last `@` before the path. */
const USER_PART = /:\/\/([^\s/?#"'`<>]*)@/g;

/** The placeholder for credentials in hints and help; it is not hidden. */
const EXAMPLE = "user:password";

/**
 * Returns the text without secrets of URLs, which are replaced by `***`: passwords, and names without a password in URLs of HTTP, which are tokens
 * there. The given passwords are replaced everywhere. If a password contains blanks, quotes or slashes, it is found only when it is given.
 */
export function withoutSecrets(text: string, passwords: readonly string[] = []): string {
  const known = passwords.reduce((shown, password) => (password === "***" ? shown : hide(shown, password)), text);
  return known.replace(USER_PART, (all: string, part: string, at: number) => {
    const colon = part.indexOf(":");
    if (part === EXAMPLE || (colon < 0 && !/https?$/i.test(known.slice(Math.max(0, at - 5), at)))) return all;
    return `://${colon < 0 ? "" : `${part.slice(0, colon)}:`}***@`;
  });
}

/** Returns the passwords in URLs, as they are written there and decoded; the longest first. */
export function passwordsOf(urls: readonly string[]): readonly string[] {
  const written = urls.flatMap((url) => [passwordOfUser(url), ...parametersNamedPassword(url)]);
  const all = new Set([...written, ...written.map(decoded)]);
  return [...all].filter((password) => password !== "").toSorted((a, b) => b.length - a.length);
}

/** Returns the password of the user part; empty if there is none. */
function passwordOfUser(url: string): string {
  const [, scheme, rest] = /^\s*([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(url) ?? [];
  if (scheme === undefined) return "";
  const authority = /^[^/?#]*/.exec(rest!)![0];
  // No parser accepts a password with a bare `/`, `?` or `#`, but it is still a secret. A path of HTTP may have an `@`.
  const within = authority.includes("@") || /^https?$/i.test(scheme) ? authority : rest!;
  const user = within.slice(0, Math.max(0, within.lastIndexOf("@")));
  return user.includes(":") ? user.slice(user.indexOf(":") + 1) : "";
}

/** Returns the values of parameters named like a password, and an empty text for every other parameter. */
function parametersNamedPassword(url: string): readonly string[] {
  const [, query] = /^\s*[a-z][a-z0-9+.-]*:[^?]*\?([^#]*)/is.exec(url) ?? [];
  return (query ?? "").split("&").map((pair) => /^(?:password|passwd|pwd|sslpassword)=(.*)$/is.exec(pair)?.[1] ?? "");
}

/** A short password may be a part of any word, so it is hidden only on its own. */
function hide(text: string, password: string): string {
  if (password.length >= LONG) return text.replaceAll(password, "***");
  const literal = password.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, "g"), "***");
}
