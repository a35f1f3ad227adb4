/** Returns `true` if a value contains one of the texts: in a string, in bytes, or in a member, at any depth. */
export function mentions(value: unknown, texts: readonly string[], seen: Set<object> = new Set()): boolean {
  if (typeof value === "string") return texts.some((text) => value.includes(text));
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return texts.some((text) => bytes.includes(text));
  }
  const members = value instanceof Map || value instanceof Set ? [...value] : Array.isArray(value) ? value : Object.entries(value);
  return members.some((member) => mentions(member, texts, seen));
}
