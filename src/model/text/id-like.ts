/** Returns `true` for a text, such as a path segment, that looks like an id. */
export function isIdLike(text: string): boolean {
  return /^\d+$/.test(text) || (text.length >= 12 && /\d.*\d/.test(text));
}

/** Returns `true` for a number or a UUID: the usual ids of items, which are no codes or tokens by themselves. */
export function isItemId(text: string): boolean {
  return /^(?:\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(text);
}
