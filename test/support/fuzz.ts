import fc from "fast-check";
import { expect } from "vitest";
import { SeqqaError } from "../../src/model/errors.ts";
import { codePoint } from "./code-point.ts";

/** Texts that act as code, markup, a path or a reference if a program does not escape them, and texts that are hard to process. */
export const HOSTILE_TEXTS: readonly string[] = [
  '"; pwned(); "',
  "*/ pwned(); /*",
  "`; pwned(); `",
  "${pwned()}",
  "{{pwned}}",
  "\\",
  "\u2028pwned()",
  "</script><script>pwned()</script>",
  '<img src=x onerror="pwned()">',
  "../../../pwned",
  "/etc/passwd",
  "C:\\pwned",
  "con",
  "${HOME}",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "a\0b",
  "\x1b[2J\x1b]0;pwned\x07",
  "\r\n::error::pwned",
  "\ud800",
  "\u202epwned",
  "",
  " ",
  "é".repeat(300),
  "a".repeat(20_000),
  "#/components/schemas/a",
  "#/paths",
  "#",
  "http://127.0.0.1:1/",
  "file:///etc/passwd",
  "(a+)+$",
  "1e999",
  "0x10",
  "NaN",
];

/** Returns a value inside this number of nested lists and maps. */
function nested(levels: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: codePoint, maxLength: 20 }), fc.string({ maxLength: 20 }));

/** Values of every type, including values that no document should have. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, [], {}, [null], [[]], { "": null }),
  fc.constantFrom(5, 40, 300).map(nested),
  fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
);

type Change = (draws: { readonly place: number; readonly value: unknown; readonly name: string }) => (root: unknown) => unknown;

/** A place in a document: the list or map that contains it, and the key in it. */
interface Place {
  readonly parent: Record<string, unknown>;
  readonly key: string;
}

function placesIn(root: unknown): readonly Place[] {
  const places: Place[] = [];
  const visit = (parent: unknown): void => {
    if (typeof parent !== "object" || parent === null) return;
    for (const key of Object.keys(parent)) {
      places.push({ parent: parent as Record<string, unknown>, key });
      visit((parent as Record<string, unknown>)[key]);
    }
  };
  visit(root);
  return places;
}

/** Sets an own property, even one named `__proto__`. */
function put(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns a change of a document at one of its places. The document itself is changed. */
const at =
  (change: (place: Place, all: readonly Place[], value: unknown, name: string) => void): Change =>
  ({ place, value, name }) =>
  (root) => {
    const all = placesIn(root);
    // Use a copy of the value, so that a later change does not put the value into itself.
    if (all.length > 0) change(all[place % all.length]!, all, structuredClone(value), name);
    return root;
  };

const CHANGES: readonly Change[] = [
  // Replace a value by another one. This change is listed twice, so it is the most frequent one.
  at(({ parent, key }, _all, value) => put(parent, key, value)),
  at(({ parent, key }, _all, value) => put(parent, key, value)),
  // Remove a key or an item.
  at(({ parent, key }) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  }),
  // Add a key or an item, or rename a key.
  at(({ parent }, _all, value, name) => {
    if (Array.isArray(parent)) parent.push(value);
    else put(parent, name, value);
  }),
  at(({ parent, key }, _all, _value, name) => {
    if (Array.isArray(parent)) return;
    const value = parent[key];
    delete parent[key];
    put(parent, name, value);
  }),
  // Copy a value from another place, so that its type fits, but its meaning does not.
  at(({ parent, key }, all, value) => {
    const other = all[(all.length * 7 + JSON.stringify(value ?? null).length) % all.length]!;
    put(parent, key, structuredClone(other.parent[other.key]));
  }),
  // Wrap a value in a list or a map, or write it as JSON text.
  at(({ parent, key }) => put(parent, key, [parent[key]])),
  at(({ parent, key }) => put(parent, key, { value: parent[key] })),
  at(({ parent, key }) => put(parent, key, JSON.stringify(parent[key]) ?? "")),
  // Repeat a key or an item many times.
  at(({ parent, key }) => {
    if (Array.isArray(parent)) for (let copy = 0; copy < 30; copy++) parent.push(structuredClone(parent[Number(key)]));
    else for (let copy = 0; copy < 30; copy++) put(parent, `${key}${copy}`, structuredClone(parent[key]));
  }),
  // Insert a reference that leads in a circle, or to nothing.
  at(({ parent, key }, _all, _value, name) => put(parent, key, { $ref: `#/components/schemas/${name}` })),
  at(({ parent, key }) => put(parent, key, { $ref: "#" })),
  ({ value }) =>
    () =>
      structuredClone(value),
];

/** Valid documents with one to four changes: values of other types, missing, renamed, duplicate or additional keys, and wrong references. */
export function mutated(valid: readonly unknown[]): fc.Arbitrary<unknown> {
  // The last change replaces the whole document, so it is rare.
  const kind = fc.oneof({ weight: 30, arbitrary: fc.nat(CHANGES.length - 2) }, { weight: 1, arbitrary: fc.constant(CHANGES.length - 1) });
  const change = fc.record({ kind, place: fc.nat(100_000), value: anyValue, name: text });
  return fc.tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 4 })).map(([document, changes]) => {
    let root: unknown = structuredClone(document);
    for (const one of changes) root = CHANGES[one.kind]!(one)(root);
    return root;
  });
}

const noise = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      "\xff\xfe",
      "\xc3\x28",
      "\xef\xbb\xbf",
      "\0",
      "{",
      "}",
      "[",
      '"',
      "\\u",
      "\r\n",
      "\r\n\r\n",
      ":",
      "&a *a",
      "<<: *a",
      "- ",
      "\t",
    )
    .map((raw) => Buffer.from(raw, "latin1")),
  text.map((one) => Buffer.from(one.slice(0, 400))),
);

/** Texts as bytes, with up to three changes: bytes are inserted, replaced, removed or repeated, or the end is cut off. */
export function mutatedBytes(valid: fc.Arbitrary<string | Buffer>): fc.Arbitrary<Buffer> {
  const change = fc.record({
    kind: fc.constantFrom("insert", "replace", "remove", "repeat", "cut"),
    at: fc.nat(1_000_000),
    size: fc.nat(60),
    noise,
  });
  return fc.tuple(valid, fc.array(change, { maxLength: 3 })).map(([whole, changes]) => {
    let bytes = Buffer.isBuffer(whole) ? Buffer.from(whole) : Buffer.from(whole, "utf8");
    for (const one of changes) {
      const start = one.at % (bytes.length + 1);
      const [before, after] = [bytes.subarray(0, start), bytes.subarray(start)];
      const part = after.subarray(0, one.size);
      if (one.kind === "insert") bytes = Buffer.concat([before, one.noise, after]);
      else if (one.kind === "replace") bytes = Buffer.concat([before, one.noise, after.subarray(one.noise.length)]);
      else if (one.kind === "remove") bytes = Buffer.concat([before, after.subarray(one.size)]);
      else if (one.kind === "repeat") bytes = Buffer.concat([before, part, part, after]);
      else bytes = Buffer.from(before);
    }
    return bytes;
  });
}

/** Time limit of a case, in milliseconds. Most cases take milliseconds; the limit allows for a busy machine. */
const MOST_MS = 20_000;

/**
 * Runs a case of a fuzz test. Its work must return a result, or throw a `SeqqaError`: one sentence of limited length, without details of seqqa's own
 * code, and with one of the exit statuses `statuses`. The work must end in time, and must not change the prototypes that all objects share.
 *
 * @returns the result, or `undefined` after an error
 */
export async function tried<T>(work: () => T | Promise<T>, statuses: readonly number[] = [2]): Promise<T | undefined> {
  const start = performance.now();
  let done: T | undefined;
  try {
    done = await work();
  } catch (error) {
    if (!(error instanceof SeqqaError)) throw error;
    checkError(error, statuses);
  }
  expect(performance.now() - start).toBeLessThan(MOST_MS);
  checkPrototypes();
  return done;
}

/** Matches messages of internal errors, which no user should see. */
export const INTERNAL: RegExp =
  /Cannot read propert|is not a function|is not iterable|undefined \(reading|\bat \S+ \(|node_modules|Maximum call stack|Invalid array length/;

function checkError({ code, message, hint, exitStatus }: SeqqaError, statuses: readonly number[]): void {
  expect(statuses, `${code}: ${message}`).toContain(exitStatus);
  expect(code).toMatch(/^[A-Z][A-Z0-9_]+$/);
  expect(message).not.toMatch(INTERNAL);
  expect(hint ?? "").not.toMatch(INTERNAL);
  expect(message, code).not.toMatch(/[\n\r]/);
  expect(message.length, `${code}: ${message.slice(0, 200)}`).toBeLessThan(1000);
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype, Error.prototype];
const untouched = prototypes.map((one) => Reflect.ownKeys(one).length);

/** Checks that no part of an input was added to the prototypes that all objects share. */
export function checkPrototypes(): void {
  expect(prototypes.map((one) => Reflect.ownKeys(one).length)).toEqual(untouched);
  expect(({} as { readonly pwned?: unknown; readonly polluted?: unknown }).polluted).toBeUndefined();
}
