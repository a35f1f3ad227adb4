/** The replacement for a value that a report must not show. */
export const HIDDEN = "[redacted]";

/** Returns `true` if a field or header of this name is hidden. */
export type IsHidden = (name: string) => boolean;

/** Names are compared without case, `-` and `_`: `Access-Token`, `access_token` and `accessToken` are equal. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}
