/**
 * Checks that an untrusted value has a certain type, and returns the value. `at`: the value's position in the message, for errors. @throws ShapeError
 */
export type Shape<T> = (value: unknown, at: string) => T;

/** Thrown for a message whose content is invalid. Such a message does not come from seqqa. */
export class ShapeError extends Error {
  constructor(at: string, must: string) {
    super(`${at === "" ? "the message" : at} is not ${must}`);
    this.name = "ShapeError";
  }
}

/** Deepest nesting of objects and lists that a message may have. */
const DEEPEST = 64;

/** Parses JSON and checks the result. @throws ShapeError if the text is not JSON, or if the check fails */
export function parseAs<T>(text: string, shape: Shape<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ShapeError("", "JSON");
  }
  refuseHostile(value);
  return shape(value, "");
}

/**
 * Refuses values that are nested too deeply for recursive functions. Also refuses keys such as `__proto__`, which change a prototype when they are
 * copied. Is not recursive itself.
 */
function refuseHostile(root: unknown): void {
  const waiting: (readonly [unknown, number])[] = [[root, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > DEEPEST) throw new ShapeError("", `nested at most ${DEEPEST} levels deep`);
    if (Object.hasOwn(value, "__proto__")) throw new ShapeError("", "free of __proto__");
    for (const member of Object.values(value)) if (typeof member === "object") waiting.push([member, depth + 1]);
  }
}

export const text =
  (most: number = Infinity): Shape<string> =>
  (value, at) => {
    if (typeof value !== "string" || value.length > most) throw new ShapeError(at, `a text of at most ${most} characters`);
    return value;
  };

export const matching =
  (pattern: RegExp, what: string): Shape<string> =>
  (value, at) => {
    if (typeof value !== "string" || !pattern.test(value)) throw new ShapeError(at, what);
    return value;
  };

export const flag: Shape<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw new ShapeError(at, "true or false");
  return value;
};

export const number =
  (least: number, most: number): Shape<number> =>
  (value, at) => {
    if (typeof value !== "number" || !(value >= least && value <= most)) throw new ShapeError(at, `a number from ${least} to ${most}`);
    return value;
  };

export const integer =
  (least: number, most: number): Shape<number> =>
  (value, at) => {
    if (!Number.isInteger(value)) throw new ShapeError(at, "an integer");
    return number(least, most)(value, at);
  };

export const int32: Shape<number> = integer(-(2 ** 31), 2 ** 31 - 1);
export const count: Shape<number> = integer(0, Number.MAX_SAFE_INTEGER);

export const oneOf =
  <const T extends string>(...values: readonly T[]): Shape<T> =>
  (value, at) => {
    if (!values.includes(value as T)) throw new ShapeError(at, `one of ${values.join(", ")}`);
    return value as T;
  };

export const listOf =
  <T>(member: Shape<T>, most: number = Infinity): Shape<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value) || value.length > most) throw new ShapeError(at, `a list of at most ${most} items`);
    return value.map((one, index) => member(one, `${at}[${index}]`));
  };

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, at) =>
    value === null ? null : shape(value, at);

/** Returns a check for an object with the given members. The check leaves out all other members of the object. */
export const members =
  <T extends object>(shapes: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> =>
  (value, at) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ShapeError(at, "an object");
    const taken: [string, unknown][] = [];
    for (const name of Object.keys(shapes) as (keyof T & string)[]) {
      const given = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      const member = shapes[name](given, at === "" ? name : `${at}.${name}`);
      if (member !== undefined) taken.push([name, member]);
    }
    return Object.fromEntries(taken) as T;
  };

/** Returns a check for an object with any keys, whose values all pass the same check. */
export const mapOf =
  <T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> =>
  (value, at) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ShapeError(at, "an object");
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, member(one, `${at}.${name}`)]));
  };

/** Returns a check for a list of 32-bit integers that is encoded as base64 of little-endian bytes. */
export const words =
  (most: number): Shape<Int32Array<ArrayBuffer>> =>
  (value, at) => {
    const encoded = matching(/^[\w+/]*={0,2}$/, "base64")(value, at);
    const bytes = Buffer.from(encoded, "base64");
    if (bytes.length % 4 !== 0 || bytes.length > 4 * most) throw new ShapeError(at, `at most ${most} words of 32 bits`);
    const taken = new Int32Array(bytes.length / 4);
    Buffer.from(taken.buffer).set(bytes);
    return taken;
  };

export function wordsText(given: Int32Array): string {
  return Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString("base64");
}
