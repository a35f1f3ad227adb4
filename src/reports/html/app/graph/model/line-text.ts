/** The largest number of characters that are shown of a value. */
export const LONGEST_VALUE = 60;

/** Returns the place of a value without the prefix `systems.`, which the places in all stores have. */
export const shortPlace = (place: string): string => place.replace(/^systems\./, "");

/** Returns a value without its quotes, cut to {@link LONGEST_VALUE} characters. */
export function unquoted(value: string): string {
  const shown = /^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : value;
  return shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}...` : shown;
}
