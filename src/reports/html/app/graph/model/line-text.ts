/** Characters of a value. */
export const LONGEST_VALUE = 60;

/** Returns a place without the word that all stores have. */
export const shortPlace = (place: string): string => place.replace(/^systems\./, "");

/** Returns a text without its quotes. */
export function unquoted(value: string): string {
  const shown = /^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : value;
  return shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}...` : shown;
}
