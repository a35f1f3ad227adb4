import { decoded } from "../http/decoded.ts";
import { sqlitePathOf } from "../stores/sqlite-path.ts";

/** The length from which a password is hidden even inside a longer word. A shorter password may be part of a word by chance. */
const LONG = 8;

/** Matches the user part of a URL in a text. The part ends at the last `@` before the path, as in URL parsers. */
const USER_PART = /:\/\/([^\s/?#"'`<>]*)@/g;

/** The user and password in examples of hints and help. This example is not a secret, so it is not hidden. */
const EXAMPLE = "user:password";

/**
 * Replaces secrets in URLs with `***`: passwords, and in URLs of HTTP and NATS also user names without a password, which are usually tokens. The
 * given passwords are also replaced outside of URLs. A password with blanks, quotes or slashes is found only if it is given.
 */
export function withoutSecrets(text: string, passwords: readonly string[] = []): string {
  const known = passwords.reduce((shown, password) => (password === "" || password === "***" ? shown : hide(shown, password)), text);
  return known.replace(USER_PART, (all: string, part: string, at: number) => {
    const colon = part.indexOf(":");
    if (part === EXAMPLE || (colon < 0 && !/(?:https?|nats)$/i.test(known.slice(Math.max(0, at - 5), at)))) return all;
    return `://${colon < 0 ? "" : `${part.slice(0, colon)}:`}***@`;
  });
}

/**
 * Returns the list without repeated entries. Also leaves out a URL without a user if the list has the same URL with a user, and the URL of a SQLite
 * file if the list has the path of the file.
 */
export function withoutRepeats(uses: readonly string[]): string[] {
  const userless = (url: string): string => url.replace(/^(\w[\w+.-]*:\/\/)[^/@]*@/, "$1");
  const named = new Set(uses.filter((one) => userless(one) !== one).map(userless));
  return [...new Set(uses)].filter((one) => !named.has(one) && !uses.includes(sqlitePathOf(one) ?? ""));
}

/** Returns the passwords in URLs, both as written and decoded, the longest first. */
export function passwordsOf(urls: readonly string[]): readonly string[] {
  const written = urls.flatMap((url) => [passwordOfUser(url), ...parametersNamedPassword(url)]);
  const all = new Set([...written, ...written.map(decoded)]);
  return [...all].filter((password) => password !== "").toSorted((a, b) => b.length - a.length);
}

function passwordOfUser(url: string): string {
  const [, scheme, rest] = /^\s*([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(url) ?? [];
  if (scheme === undefined) return "";
  const authority = /^[^/?#]*/.exec(rest!)![0];
  // URL parsers reject a bare `/`, `?` or `#` in a password, but such a password is still a secret. If there is no `@` before the first of these
  // characters, search the whole rest of the URL. Do not search the rest of HTTP URLs, because their paths may contain `@`.
  const within = authority.includes("@") || /^https?$/i.test(scheme) ? authority : rest!;
  const user = within.slice(0, Math.max(0, within.lastIndexOf("@")));
  if (user.includes(":")) return user.slice(user.indexOf(":") + 1);
  // A user without a password in the URL of a NATS server is a token.
  return /^nats$/i.test(scheme) ? user : "";
}

/** Returns one entry for each query parameter: its value if the name means password, else an empty text. */
function parametersNamedPassword(url: string): readonly string[] {
  const [, query] = /^\s*[a-z][a-z0-9+.-]*:[^?]*\?([^#]*)/is.exec(url) ?? [];
  return (query ?? "").split("&").map((pair) => /^(?:password|passwd|pwd|sslpassword)=(.*)$/is.exec(pair)?.[1] ?? "");
}

/** Hides a password in a text. A short password may occur within any word, so it is hidden only between characters that are no letters or digits. */
function hide(text: string, password: string): string {
  if (password.length >= LONG) return text.replaceAll(password, "***");
  const literal = password.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, "g"), "***");
}
