/** An object out of a document: its keys may be anything, `__proto__` included, so it is read with {@link own} and {@link entriesOf} only. */
export type Plain = Record<string, unknown>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a key that the object itself has, so that `constructor` or `toString` finds nothing. */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key, whatever its name: an assignment to `__proto__` would change what the object inherits. */
export function put(object: Plain, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** None for what is no object. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isPlain(value) ? Object.entries(value) : [];
}

/** Empty for what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `undefined` for what is no text. A number or a boolean is what YAML makes of a text without quotes. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
