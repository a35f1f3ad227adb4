/** An object of a document. Its keys may be anything, including `__proto__`, so it is read only with {@link own} and {@link entriesOf}. */
export type Plain = Record<string, unknown>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of a key that the object itself has, so that `constructor` or `toString` finds nothing. */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key of any name. An assignment to `__proto__` would change what the object inherits. */
export function put(object: Plain, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Returns the entries of an object; none for any other value. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isPlain(value) ? Object.entries(value) : [];
}

/** Returns a list; an empty one for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a value as text; `undefined` for objects, lists and `null`. YAML reads a text without quotes as a number or a boolean. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
