import type { Clock } from "../values/clock.ts";
import type { Facts, Fingerprint } from "../canonical/facts.ts";
import { entriesEntry } from "../compare/knowledge.ts";
import { hashBytes, hashText, hashText32 } from "./hasher.ts";
import { mix } from "../canonical/mixing.ts";
import { sortedKeys } from "../values/sorted-keys.ts";
import type { Strings } from "../values/strings.ts";

const CAPACITY = 1 << 14;
const DEEPEST = 100;

/** The number of lists of object keys that are cached for each nesting depth. Objects at one depth mostly have the same keys. */
const SHAPES_PER_DEPTH = 8;
/** The return value of methods for a value that cannot be encoded as words. The state is then hashed as text. */
const UNKNOWN = -1;

const NULL = 1;
const TRUE = 2;
const FALSE = 3;
const UNDEFINED = 4;
const TIME = 5;
const INTEGER = 6;
const FLOAT = 7;
const STRING = 8;
const ARRAY = 9;
const RECORD = 10;
const NODE = 11;

/**
 * Computes fingerprints of states that contain no ids, such as in-memory models, in a third of the time of writing the canonical text. A state is
 * encoded as a list of 32-bit words, in which each string is the cached 64-bit hash of its canonical text. The meaning of each word follows from the
 * words before it, so different states have different words unless two strings have the same hash. A state with unsupported values is written as text
 * instead. Two states that differ only in the names of ids are either both supported or both unsupported.
 */
export class WordHasher {
  readonly #words = new Int32Array(CAPACITY);
  readonly #bytes = new Uint8Array(this.#words.buffer);
  readonly #views: Uint8Array[] = [];
  readonly #strings: Strings;
  readonly #clock: Clock;
  #shapes: Shape[][] = [];
  readonly #nodes: Map<string, Fingerprint & { readonly check: number }> = new Map();
  /** A part of {@link check}: a hash of all strings, keys and node names in the order in which they occur, independent of the words. */
  #texts = 0;
  /** A hash of the order of the keys of objects in the store that is hashed; `undefined` if its order is ignored. */
  #order: number | undefined;
  /** The stores of the last state whose objects have an order ({@link entriesEntry}). {@link check} includes the order, the fingerprint does not. */
  readonly unordered: Set<string> = new Set();
  /** A second, independent 32-bit hash of the last state that was hashed. Two states that share a fingerprint by chance differ in this hash. */
  check = 0;

  constructor(strings: Strings, clock: Clock) {
    this.#strings = strings;
    this.#clock = clock;
  }

  clear(): void {
    this.#shapes = [];
  }

  /** Writes the fingerprint of a state into `out`. Returns `false` if the state must be written as text instead. */
  hash(facts: Facts, out: Fingerprint): boolean {
    const { systems } = facts;
    let at = 0;
    this.#texts = 0;
    this.unordered.clear();
    let order = 0;
    for (const name of sortedKeys(systems)) {
      const observed = systems[name]!;
      // Requests that a third party received in one step are an unordered collection, which words cannot express.
      if (observed.kind !== "value" || (observed.received !== undefined && observed.steps?.some((count) => count > 1) === true))
        return false;
      at = this.#string(name, at);
      this.#order = observed.hasEntryOrder === true ? 0 : undefined;
      if (at !== UNKNOWN) at = this.#value(observed.value, 0, at);
      if (at === UNKNOWN) return false;
      if (this.#order !== undefined && this.#order !== 0) {
        this.unordered.add(entriesEntry(name));
        order = mix(order, this.#order);
      }
    }
    this.#order = undefined;
    at = this.#value(facts.context, 0, at);
    if (at !== UNKNOWN) at = this.#value(facts.clients, 0, at);
    if (at !== UNKNOWN && facts.node !== undefined) at = this.#node(facts.node, at);
    // A state that has unsupported values, or more words than the array can hold, must be written as text.
    if (at === UNKNOWN || at > CAPACITY) return false;
    hashBytes((this.#views[at] ??= this.#bytes.subarray(0, at * 4)), out);
    this.check = mix(this.#checkOf(at), order);
    return true;
  }

  #checkOf(count: number): number {
    const words = this.#words;
    let hash = this.#texts;
    for (let i = 0; i < count; i++) hash = mix(hash, words[i]!);
    return hash;
  }

  /** Writes the words of a value from index `at`, and returns the index after the last word. */
  #value(value: unknown, depth: number, at: number): number {
    const words = this.#words;
    if (typeof value === "number") {
      if ((value | 0) !== value || value >= 1e9 || Object.is(value, -0)) return this.#number(value, at);
      words[at] = INTEGER;
      words[at + 1] = value;
      return at + 2;
    }
    if (typeof value === "string") {
      words[at] = STRING;
      return this.#string(value, at + 1);
    }
    if (typeof value === "object" && value !== null)
      return Array.isArray(value) ? this.#array(value, depth, at) : this.#record(value, depth, at);
    if (typeof value === "bigint") {
      if (BigInt(Number(value)) !== value) return UNKNOWN;
      // A store returns one integer in either type, but code that shares a value with the target can tell them apart, like the order of keys.
      if (this.#order !== undefined) this.#order = mix(this.#order, at) || 1;
      return this.#value(Number(value), depth, at);
    }
    if (value === null) words[at] = NULL;
    else if (value === true) words[at] = TRUE;
    else if (value === false) words[at] = FALSE;
    else if (value === undefined) words[at] = UNDEFINED;
    else return UNKNOWN;
    return at + 1;
  }

  #array(value: readonly unknown[], depth: number, at: number): number {
    if (depth >= DEEPEST) return UNKNOWN;
    this.#words[at] = ARRAY;
    this.#words[at + 1] = value.length;
    let next = at + 2;
    for (let i = 0; i < value.length; i++) {
      next = this.#value(value[i], depth + 1, next);
      if (next === UNKNOWN) return UNKNOWN;
    }
    return next;
  }

  #record(value: object, depth: number, at: number): number {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (depth >= DEEPEST || (prototype !== Object.prototype && prototype !== null)) return UNKNOWN;
    const shape = this.#shapeOf(Object.keys(value), depth);
    if (shape === undefined) return UNKNOWN;
    this.#words[at] = RECORD;
    this.#texts = mix(this.#texts, shape.check);
    this.#words[at + 1] = shape.lo;
    this.#words[at + 2] = shape.hi;
    // 0 stands for a store without objects that have several keys.
    if (this.#order !== undefined && shape.keys.length > 1) this.#order = mix(this.#order, shape.order) || 1;
    const { sorted } = shape;
    let next = at + 3;
    for (let i = 0; i < sorted.length; i++) {
      next = this.#value((value as Readonly<Record<string, unknown>>)[sorted[i]!], depth + 1, next);
      if (next === UNKNOWN) return UNKNOWN;
    }
    return next;
  }

  #shapeOf(keys: readonly string[], depth: number): Shape | undefined {
    const shapes = (this.#shapes[depth] ??= []);
    for (let i = 0; i < shapes.length; i++) if (sameKeys(shapes[i]!.keys, keys)) return shapes[i];
    const sorted = keys.slice().sort();
    const shape: Shape = { keys, sorted, lo: 0, hi: 0, check: 0, order: hashText32(JSON.stringify(keys)) };
    let text = `${keys.length};`;
    for (const key of sorted) {
      const known = this.#strings.of(key);
      if (known.tokens.length > 0) return undefined;
      text += known.text;
    }
    hashText(text, shape);
    shape.check = hashText32(text);
    if (shapes.length >= SHAPES_PER_DEPTH) shapes.shift();
    shapes.push(shape);
    return shape;
  }

  #string(value: string, at: number): number {
    const known = this.#strings.of(value);
    if (known.tokens.length > 0) return UNKNOWN;
    this.#texts = mix(this.#texts, known.check);
    this.#words[at] = known.lo;
    this.#words[at + 1] = known.hi;
    return at + 2;
  }

  /** Writes the name of a node of the state graph. The names of all nodes are cached, because a graph has few nodes. */
  #node(name: string, at: number): number {
    let known = this.#nodes.get(name);
    if (known === undefined) {
      known = { lo: 0, hi: 0, check: hashText32(name) };
      hashText(name, known);
      this.#nodes.set(name, known);
    }
    this.#texts = mix(this.#texts, known.check);
    this.#words[at] = NODE;
    this.#words[at + 1] = known.lo;
    this.#words[at + 2] = known.hi;
    return at + 3;
  }

  // A number that equals a bigint must have the same words as the bigint. If this is not certain for a number, the state is hashed as text.
  #number(value: number, at: number): number {
    if (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return UNKNOWN;
    if (this.#clock.nearNumber(value)) {
      if (this.#strings.tokens.constants.has(`t:${value}`)) return UNKNOWN;
      this.#words[at] = TIME;
      return at + 1;
    }
    float[0] = value;
    this.#words[at] = FLOAT;
    this.#words[at + 1] = floatHalves[0]!;
    this.#words[at + 2] = floatHalves[1]!;
    return at + 3;
  }
}

interface Shape {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  lo: number;
  hi: number;
  check: number;
  /** A hash of the keys in their order. */
  readonly order: number;
}

const float = new Float64Array(1);
const floatHalves = new Int32Array(float.buffer);

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
