import { decoded } from "../model/decoded.ts";

/** From this length on a password is hidden in the middle of a word, too. */
const LONG = 8;

/** The text with passwords in URLs, and the given ones wherever they stand, replaced by `***`. */
export function withoutSecrets(text: string, passwords: readonly string[] = []): string {
  const hidden = text.replace(/([a-z][a-z0-9+.-]*:\/\/)([^\s/@:]*):[^\s/@]+@/gi, "$1$2:***@");
  return passwords.reduce((shown, password) => (password === "***" ? shown : hide(shown, password)), hidden);
}

/** The passwords in URLs, as they are written there and as they are meant; the longest first. */
export function passwordsOf(urls: readonly string[]): readonly string[] {
  const written = urls.flatMap((url) =>
    [/^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:([^\s/@]+)@/i, /[?&]password=([^&#\s]+)/i].map((one) => one.exec(url)?.[1] ?? ""),
  );
  const all = new Set([...written, ...written.map(decoded)]);
  return [...all].filter((password) => password !== "").toSorted((a, b) => b.length - a.length);
}

/** A short password may be a part of any word; on its own it is hidden all the same. */
function hide(text: string, password: string): string {
  if (password.length >= LONG) return text.replaceAll(password, "***");
  const literal = password.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, "g"), "***");
}
