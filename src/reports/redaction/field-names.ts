/** The replacement for a value that a report must not show. */
export const HIDDEN = "[redacted]";

/** Returns `true` if values of the field or header with this name are hidden. */
export type IsHidden = (name: string) => boolean;

/**
 * Returns a name in the form in which names are compared: case, `-` and `_` are ignored, so `Access-Token`, `access_token` and `accessToken` are
 * equal.
 */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** The attributes of a cookie, and the options of express-session, in the form of {@link fold}. None of their values is a secret. */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  "originalmaxage",
  "maxage",
  "expires",
  "domain",
  "path",
  "secure",
  "httponly",
  "samesite",
  "partitioned",
  "priority",
  "signed",
  "overwrite",
]);

/** Returns `true` for the name of an attribute of a cookie, such as `expires`. */
export function isCookieAttribute(name: string): boolean {
  return ATTRIBUTES.has(fold(name));
}

/**
 * Returns `true` for an object, as JSON or as text in a state, that contains only attributes of a cookie, such as the options that express-session
 * stores.
 */
export function isCookieOptions(text: string): boolean {
  if (!/^\{[^{}]*\}$/.test(text)) return false;
  const names = Array.from(text.matchAll(/[{,]\s*\\*["']?([\w-]+)\\*["']?\s*:/g), ([, name]) => name!);
  return names.length > 0 && names.every(isCookieAttribute);
}
