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
