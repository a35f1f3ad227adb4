/**
 * Returns a copy of a step's arguments that can be stored, sent to another thread and shown; values that cannot be copied are named by their type.
 */
export function plainCopy(value: unknown, seen: readonly unknown[] = []): unknown {
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (seen.includes(value)) return "[circular]";
  const inside = [...seen, value];
  if (Array.isArray(value)) return value.map((one) => plainCopy(one, inside));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainCopy(one, inside)]));
  }
  try {
    return structuredClone(value);
  } catch {
    return `[${(value as { constructor?: { name?: string } }).constructor?.name ?? "object"}]`;
  }
}
