import type { StoreAdapter } from "../stores/store-adapter.ts";
import { KeyError, SeqqaError } from "../errors.ts";
import type { TestData } from "./test-data.ts";

/** The type of a context's values if its keys are not declared. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- undeclared keys are the user's own; `unknown` would make every use a cast
export type Values = Record<string, any>;

type Key<C> = keyof C & string;

/** The methods of a {@link Context}, and its property `data`. The names of these members cannot be used as keys. */
export interface ContextMethods<C extends object> {
  /** Returns the value of a key. If the key is not set, returns `default`, or `undefined` without a default. */
  get<K extends Key<C>>(key: K): C[K] | undefined;
  get<K extends Key<C>, D>(key: K, options: { readonly default: D }): C[K] | D;
  /** Returns the value of a key. @throws KeyError `Required context key not found: <key>` if the key is not set */
  getRequired<K extends Key<C>>(key: K): C[K];
  has(key: Key<C>): boolean;
  /** Stores a value that `structuredClone` can copy. @throws TypeError naming the key if the value cannot be copied */
  set<K extends Key<C>>(key: K, value: C[K]): void;
  delete(key: Key<C>): boolean;
  /** Returns all keys and values as a plain object. */
  toJSON(): Partial<C>;
  /**
   * Test data seeded by the path of the step, so that a replay sends the same bytes. In a check, the seed is the path and the name of the check.
   * @throws SeqqaError `DATA_WITHOUT_PATH` if neither an exploration nor a journey uses the context
   */
  readonly data: TestData;
}

/**
 * The key-value store that actions and invariants share. Each branch of the exploration restores the context, so a value that is set in one branch
 * does not exist in another. `context[key]` reads and writes a value, too. Reading an unset key in this way throws {@link KeyError}.
 */
export type Context<C extends object = Values> = ContextMethods<C> & C;

/** The members of a context that only lanes use. */
export interface ContextPart {
  /** A number that grows with every write. If two readings of `version` are equal, no key was written in between. */
  readonly version: number;
  /** `true` if at least one value is an object. User code can change such a value in place, without a call of `set`. */
  readonly mutable: boolean;
  /** The live map of keys and values, not a copy. Callers must not change the map. */
  readonly entries: ReadonlyMap<string, unknown>;
  /**
   * The current node of the state graph; `undefined` without a state graph. The node is saved and restored with the entries, but has no key in the
   * context.
   */
  readonly node: string | undefined;
  moveTo(node: string | undefined): void;
  /** Returns a copy of the context that {@link restore} accepts any number of times. */
  save(): SavedContext;
  restore(saved: SavedContext): void;
  /** Sets the function that `context.data` calls at each read. */
  drawFrom(source: () => TestData): void;
  /** Returns the stores of the context's world; empty for a context without a world. */
  readonly stores: () => Stores;
  /** Sets the stores that {@link storeOf} searches. */
  reach(stores: () => Stores): void;
}

/** The stores of a world, by name. */
export type Stores = Readonly<Record<string, StoreAdapter | undefined>>;

/** A saved context, as plain data. */
export interface SavedContext {
  readonly entries: ReadonlyMap<string, unknown>;
  /** The number of values that are objects. */
  readonly objects: number;
  /** The node of the state graph that was current when the context was saved; see {@link ContextPart.node}. */
  readonly node: string | undefined;
}

export const contextPart: unique symbol = Symbol.for("seqqa.contextPart");

const METHODS = new Set(["get", "getRequired", "has", "set", "delete", "toJSON", "data"]);

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/**
 * The entries of a context. A map without objects is shared with the saved context until the next write, so saving and restoring do not copy the
 * map.
 */
class Store {
  map: Map<string, unknown>;
  version = 0;
  objects = 0;
  node: string | undefined = undefined;
  data: () => TestData = noData;
  stores: () => Stores = noStores;
  #shared = false;

  constructor(entries: Iterable<[string, unknown]>) {
    this.map = new Map(entries);
    for (const value of this.map.values()) if (isObject(value)) this.objects++;
  }

  get mutable(): boolean {
    return this.objects > 0;
  }

  get entries(): ReadonlyMap<string, unknown> {
    return this.map;
  }

  set(key: string, value: unknown): void {
    if (METHODS.has(key))
      throw new TypeError(
        `"${key}" cannot be a context key, because the context has a method or property of this name. Choose another name.`,
      );
    checkCloneable(key, value);
    this.#own();
    if (this.objects > 0 && isObject(this.map.get(key))) this.objects--;
    if (isObject(value)) this.objects++;
    this.map.set(key, value);
  }

  delete(key: string): boolean {
    if (!this.map.has(key)) return false;
    this.#own();
    if (isObject(this.map.get(key))) this.objects--;
    return this.map.delete(key);
  }

  save(): SavedContext {
    // User code can change objects in place, so they are copied. A map of primitive values is shared instead.
    if (this.objects > 0) return { entries: structuredClone(this.map), objects: this.objects, node: this.node };
    this.#shared = true;
    return { entries: this.map, objects: 0, node: this.node };
  }

  moveTo(node: string | undefined): void {
    if (node === this.node) return;
    this.version++;
    this.node = node;
  }

  restore({ entries, objects, node }: SavedContext): void {
    this.version++;
    this.node = node;
    this.objects = objects;
    this.#shared = objects === 0;
    this.map = (objects === 0 ? entries : structuredClone(entries)) as Map<string, unknown>;
  }

  drawFrom(source: () => TestData): void {
    this.data = source;
  }

  reach(stores: () => Stores): void {
    this.stores = stores;
  }

  /** Copies the map if it is shared with a saved context, so that the next write does not change the saved context. */
  #own(): void {
    this.version++;
    if (!this.#shared) return;
    this.map = new Map(this.map);
    this.#shared = false;
  }
}

const noStores = (): Stores => ({});

function noData(): TestData {
  throw new SeqqaError(
    "DATA_WITHOUT_PATH",
    "context.data was read outside a step. The test data depends on the path of the step, so it exists only during a step.",
    {
      hint: 'Outside a step, use your own factory: new DataFactory({ seed: 1 }), imported from "seqqa/data".',
    },
  );
}

function checkCloneable(key: string, value: unknown): void {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`The value for context key "${key}" is a ${typeof value}; store plain data, which structuredClone can copy.`);
  }
  if (!isObject(value)) return;
  try {
    structuredClone(value);
  } catch (cause) {
    throw new TypeError(`The value for context key "${key}" cannot be copied (${(cause as Error).message}). Store plain data.`, { cause });
  }
}

function createContext<C extends object>(initial?: Partial<C>): Context<C> {
  const store = new Store([]);
  for (const [key, value] of Object.entries(initial ?? {})) store.set(key, value);
  store.version = 0;
  const methods = Object.create(null) as Record<string | symbol, unknown>;
  methods["get"] = (key: string, options?: { readonly default: unknown }): unknown =>
    store.map.has(key) ? store.map.get(key) : options?.default;
  methods["getRequired"] = (key: string): unknown => {
    if (!store.map.has(key)) throw new KeyError(key, `Required context key not found: ${key}`);
    return store.map.get(key);
  };
  methods["has"] = (key: string): boolean => store.map.has(key);
  methods["set"] = (key: string, value: unknown): void => store.set(key, value);
  methods["delete"] = (key: string): boolean => store.delete(key);
  methods["toJSON"] = (): object => Object.fromEntries(store.map);
  // A Proxy's `ownKeys` must list every non-configurable property of its target. `data` is configurable, so `ownKeys` may leave it out.
  Object.defineProperty(methods, "data", { get: () => store.data(), configurable: true });
  methods[contextPart] = store satisfies ContextPart;
  return new Proxy(methods, handlerFor(store)) as unknown as Context<C>;
}

function handlerFor(store: Store): ProxyHandler<Record<string | symbol, unknown>> {
  return {
    get(methods, key): unknown {
      const method = methods[key];
      if (method !== undefined) return method;
      if (typeof key === "symbol") return undefined;
      if (store.map.has(key)) return store.map.get(key);
      // `await` reads `then` to detect promises, so reading this key must not throw.
      if (key === "then") return undefined;
      throw new KeyError(key);
    },
    set(_methods, key, value): boolean {
      if (typeof key === "symbol") throw new TypeError(`A context key must be a string, but is ${String(key)}.`);
      store.set(key, value);
      return true;
    },
    has: (_methods, key) => typeof key === "string" && store.map.has(key),
    deleteProperty: (_methods, key) => typeof key === "string" && (store.delete(key) || true),
    ownKeys: () => [...store.map.keys()],
    getOwnPropertyDescriptor: (_methods, key) =>
      typeof key === "string" && store.map.has(key)
        ? { value: store.map.get(key), enumerable: true, configurable: true, writable: true }
        : undefined,
    getPrototypeOf: () => Context.prototype,
    defineProperty(_methods, key, descriptor): boolean {
      if (typeof key === "symbol" || !("value" in descriptor)) return false;
      store.set(key, descriptor.value);
      return true;
    },
  };
}

interface ContextConstructor {
  new <C extends object = Values>(initial?: Partial<C>): Context<C>;
  readonly prototype: Context;
}

/** The class of contexts: `new Context(initial?)`. See the type of the same name. */
export const Context: ContextConstructor = function Context<C extends object>(initial?: Partial<C>): Context<C> {
  if (new.target === undefined) throw new SeqqaError("CONTEXT_NEW", "Context is a class. Write new Context().", { exitStatus: 2 });
  return createContext(initial);
} as unknown as ContextConstructor;

/** Returns the members of a context that only lanes use. */
export function contextPartOf(context: Context<never>): ContextPart {
  return (context as unknown as { readonly [contextPart]: ContextPart })[contextPart];
}

/**
 * Returns a store of the world that a context belongs to, for actions that work on a store: a clock, a stub, a queue. For example:
 * `storeOf<HttpStub>(context, "payments").failNext("error")`.
 * @throws SeqqaError `UNKNOWN_STORE` naming the stores that exist
 */
export function storeOf<S = StoreAdapter>(context: object, name: string): S {
  const stores = contextPartOf(context as Context<never>).stores();
  if (Object.hasOwn(stores, name)) return stores[name] as S;
  const names = Object.keys(stores).join(", ");
  throw new SeqqaError("UNKNOWN_STORE", `There is no store "${name}".`, {
    hint: names === "" ? "The World has no stores. Declare the store under `systems`." : `The stores of the World are ${names}.`,
  });
}
