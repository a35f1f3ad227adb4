/** An object of a parsed document. Its keys may have any name, including `__proto__`. Read it only with {@link own} and {@link entriesOf}. */
export type Plain = Record<string, unknown>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of an object's own key. Inherited keys such as `constructor` and `toString` are ignored. */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key of any name. A plain assignment to the key `__proto__` would change the object's prototype instead. */
export function put(object: Plain, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isPlain(value) ? Object.entries(value) : [];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns a value as text. Numbers and booleans are converted, because YAML reads unquoted text such as `1.0` as a number. Returns `undefined` for
 * objects, lists and `null`.
 */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
