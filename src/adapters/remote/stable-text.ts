/** A value that is nested deeper has no text here; the canonical form of states takes no deeper ones either. */
const DEEPEST = 1000;

/**
 * Writes JSON with the keys of objects in order and `bigint`s as plain digits: equal exactly for equal values. @throws RangeError when it is nested
 * too deeply.
 */
export function stableText(value: unknown, depth = 0): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth === DEEPEST) throw new RangeError(`nested more than ${DEEPEST} deep`);
  if (Array.isArray(value)) return `[${value.map((one) => stableText(one, depth + 1)).join(",")}]`;
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${stableText((value as Record<string, unknown>)[key], depth + 1)}`);
  return `{${entries.join(",")}}`;
}
