import { types } from "node:util";
import { SeqqaError } from "../../model/errors.ts";

/**
 * Copies data. If several references lead to one object, they lead to one object in the copy, too. A tree of plain data (objects, arrays, primitives)
 * is copied by a function that is several times faster than `structuredClone`. All other data (with several references to an object, cycles, dates,
 * maps or typed arrays) is copied by `structuredClone`.
 * @throws SeqqaError `STATE_NOT_DATA` if a copy would lose the methods of a class
 */
export function copyPlain<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = copyTree(value, new Set());
  if (copy !== undefined) return copy as T;
  const clone = structuredClone(value);
  requireMethods(value, clone, "state", new Set());
  return clone;
}

/** The nesting depth from which a value is copied by `structuredClone` instead. */
const DEEPEST = 200;

/** Returns a copy of a tree of plain data; `undefined` for any other data. */
function copyTree(value: object, seen: Set<object>, depth = 0): object | undefined {
  if (depth > DEEPEST || seen.has(value)) return undefined;
  seen.add(value);
  if (Array.isArray(value)) {
    const length = value.length;
    const copy = new Array<unknown>(length);
    for (let i = 0; i < length; i++) {
      const item: unknown = value[i];
      if (typeof item === "object" && item !== null) {
        if ((copy[i] = copyTree(item, seen, depth + 1)) === undefined) return undefined;
      } else copy[i] = item;
    }
    return copy;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (key === "__proto__") return undefined;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null) {
      if ((copy[key] = copyTree(item, seen, depth + 1)) === undefined) return undefined;
    } else copy[key] = item;
  }
  return copy;
}

/** Checks that no object in a copy lost the methods of its class. @throws SeqqaError `STATE_NOT_DATA` */
function requireMethods(value: unknown, copy: unknown, path: string, seen: Set<object>): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== Object.getPrototypeOf(copy) && hasMethods(prototype)) {
    throw new SeqqaError(
      "STATE_NOT_DATA",
      `A MemoryAdapter cannot restore ${path}: a copy of a ${prototype!.constructor.name} has no methods.`,
      {
        hint: "Keep only data in the state (objects, arrays, Map, Set, Date), and replace the methods by functions that take the data as an argument. Or write a store adapter of your own.",
        exitStatus: 2,
      },
    );
  }
  const [from, to] = [partsOf(value), partsOf(copy as object)];
  from.forEach(([name, part], index) => requireMethods(part, to[index]?.[1], `${path}.${name}`, seen));
}

/** Returns `true` if the class of a prototype is not built into JavaScript and has members besides its constructor. */
function hasMethods(prototype: object | null): boolean {
  if (prototype === null || /\[native code\]/.test(String(prototype.constructor))) return false;
  return Object.getOwnPropertyNames(prototype).length > 1 || hasMethods(Object.getPrototypeOf(prototype) as object | null);
}

function partsOf(value: object): readonly (readonly [string, unknown])[] {
  if (ArrayBuffer.isView(value)) return [];
  if (types.isSet(value)) return Array.from(value, (member) => ["value", member] as const);
  if (types.isMap(value)) return [...value].flatMap(([key, member]) => [["key", key] as const, [String(key), member] as const]);
  return Object.entries(value);
}

/**
 * Returns `true` if two values are equal trees of plain data with the same order of keys. Returns `false` for all other data, including data in which
 * several references lead to one object. After `false`, the caller must assume that the values differ.
 */
export function samePlain(a: unknown, b: unknown): boolean {
  return sameTree(a, b, new Set(), 0);
}

function sameTree(a: unknown, b: unknown, seen: Set<object>, depth: number): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (depth > DEEPEST || seen.has(a) || seen.has(b)) return false;
  seen.add(a).add(b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      const x: unknown = a[i];
      const y: unknown = b[i];
      if ((!Object.is(x, y) || typeof x === "object") && !sameTree(x, y, seen, depth + 1)) return false;
    }
    return true;
  }
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false;
  // The order of the keys belongs to the data, because code in this process can read it.
  const keys = Object.keys(b);
  let at = 0;
  for (const key in a) {
    if (keys[at++] !== key) return false;
    const x = (a as Record<string, unknown>)[key];
    const y = (b as Record<string, unknown>)[key];
    if ((!Object.is(x, y) || typeof x === "object") && !sameTree(x, y, seen, depth + 1)) return false;
  }
  return at === keys.length;
}
