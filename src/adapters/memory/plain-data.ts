/**
 * Copies plain data (objects, arrays, primitives) several times faster than `structuredClone`. Other values inside (dates, maps, typed arrays, class
 * instances, cycles) are copied by `structuredClone`.
 */
export function copyPlain<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  return copyObject(value, 0) as T;
}

/** The nesting depth from which a value is copied by `structuredClone` instead. Because of this limit, the recursion also ends for cycles. */
const DEEPEST = 200;

function copyObject(value: object, depth: number): unknown {
  if (depth > DEEPEST) return structuredClone(value);
  if (Array.isArray(value)) {
    const length = value.length;
    const copy = new Array<unknown>(length);
    for (let i = 0; i < length; i++) {
      const item: unknown = value[i];
      copy[i] = typeof item === "object" && item !== null ? copyObject(item, depth + 1) : item;
    }
    return copy;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (key === "__proto__") return structuredClone(value);
    copy[key] = typeof item === "object" && item !== null ? copyObject(item, depth + 1) : item;
  }
  return copy;
}

/** Returns `true` if two values are equal plain data. Returns `false` for any other data; the caller must then assume a change. */
export function samePlain(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a !== a && b !== b;
  if (depth > DEEPEST) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      const x: unknown = a[i];
      const y: unknown = b[i];
      if (x !== y && !samePlain(x, y, depth + 1)) return false;
    }
    return true;
  }
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false;
  let keys = 0;
  for (const key in a) {
    const x = (a as Record<string, unknown>)[key];
    const y = (b as Record<string, unknown>)[key];
    if (x !== y && !samePlain(x, y, depth + 1)) return false;
    // Distinguish a missing key in `b` from a key with the value `undefined`.
    if (y === undefined && !Object.hasOwn(b, key)) return false;
    keys++;
  }
  for (const _ in b) keys--;
  return keys === 0;
}
