/** What stands in place of a value that a report must not show. */
export const HIDDEN = "[redacted]";

/** Whether a field or header of this name is hidden. */
export type IsHidden = (name: string) => boolean;

/** Names are compared without case, `-` and `_`: `Access-Token` is `access_token` is `accessToken`. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}
