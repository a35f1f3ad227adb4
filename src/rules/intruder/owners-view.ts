import { Context, contextPartOf } from "../../model/context/context.ts";

/**
 * A context value that an action has read. Its `kind` says if the value belongs to the owner, is shared by all users, or is a credential of the
 * owner. `session`: the id of a session. In a path, it counts as the id of an item, such as a training session; in any other place, it counts as a
 * credential.
 */
export interface ReadValue {
  /** The context key, followed by the path to the value inside the key's value: `note_id`, `order.id`. */
  readonly name: string;
  /** The value in the form in which a request contains it. */
  readonly text: string;
  readonly kind: "owned" | "shared" | "credential" | "session";
}

/** Matches the names of keys that hold credentials. */
const CREDENTIAL = /token|secret|password|passwd|api_?key|session|credential|cookie|jwt|bearer/i;

/** Matches the names of keys that hold the id of a credential, such as `token_id`. Such an id grants no access. */
const ID_OF_CREDENTIAL = /(?:token|secret|password|passwd|api_?key|credential|jwt)_?ids?$/i;

/** Matches the names of keys that contain the word session, but no word for another kind of credential. */
const SESSION = /^(?!.*(?:token|secret|password|passwd|api_?key|credential|cookie|jwt|bearer)).*session/i;
const ID = /(?:\b|_|[a-z])ids?$/i;
/** Matches a text that is the id of a row: a number of at most nine digits is too short for a credential. */
const NUMBER = /^\d{1,9}$/;

const DEEPEST = 5;

/**
 * A copy of the owner's context for an intruder's call. The copy records the owner's values that the call reads. Values that the call writes are
 * visible only to that call.
 */
export class OwnersView<C extends object> {
  readonly context: Context<C>;
  readonly #owners: ReadonlyMap<string, unknown>;
  readonly #shared: ReadonlySet<string>;
  readonly #read: Map<string, readonly ReadValue[]> = new Map();

  constructor(owners: Context<C>, shared: ReadonlySet<string>) {
    this.#shared = shared;
    const { entries } = contextPartOf(owners as never);
    const copy = new Context<C>(structuredClone(Object.fromEntries(entries)) as Partial<C>);
    contextPartOf(copy as never).drawFrom(() => owners.data);
    contextPartOf(copy as never).reach(contextPartOf(owners as never).stores);
    this.#owners = new Map(contextPartOf(copy as never).entries);
    this.context = this.#watched(copy);
  }

  /** The values that were read so far, in the order of their first read. */
  get read(): readonly ReadValue[] {
    return [...this.#read.values()].flat();
  }

  #watched(copy: Context<C>): Context<C> {
    const { entries } = contextPartOf(copy as never);
    const part = contextPartOf(copy as never);
    const note = (key: string): void => this.#note(key, part.entries);
    return new Proxy(copy, {
      get: (target, key): unknown => {
        const member: unknown = Reflect.get(target, key);
        if (typeof key === "symbol" || key === "data") return member;
        if (key === "get" || key === "getRequired") {
          return (name: string, ...rest: readonly unknown[]): unknown => {
            note(name);
            return (member as (...args: readonly unknown[]) => unknown)(name, ...rest);
          };
        }
        if (key === "toJSON") for (const name of entries.keys()) note(name);
        else note(key);
        return member;
      },
    });
  }

  /** Records that a key was read. A value that the call itself has written is not recorded, because it is not the owner's value. */
  #note(key: string, now: ReadonlyMap<string, unknown>): void {
    if (this.#read.has(key) || !this.#owners.has(key) || now.get(key) !== this.#owners.get(key)) return;
    const isShared = this.#shared.has(key);
    this.#read.set(
      key,
      leavesOf(this.#owners.get(key), key).map(([name, text]) => ({ name, text, kind: isShared ? "shared" : kindOf(key, name, text) })),
    );
  }
}

/** Returns the kind of a value by the name of its key, the name of the field inside the value of the key, and the value's text. */
function kindOf(key: string, name: string, text: string): ReadValue["kind"] {
  if (!CREDENTIAL.test(key) || ID_OF_CREDENTIAL.test(key)) return "owned";
  const isOfSession = SESSION.test(name);
  if (NUMBER.test(text) && (ID.test(name) || (isOfSession && name === key))) return "owned";
  return isOfSession && ID.test(name) ? "session" : "credential";
}

/** Returns the texts and numbers within a value, each with the path to it. */
export function leavesOf(value: unknown, name: string, depth = 0): readonly (readonly [name: string, text: string])[] {
  if (typeof value === "string") return value === "" ? [] : [[name, value]];
  if (typeof value === "number" || typeof value === "bigint") return [[name, String(value)]];
  if (typeof value !== "object" || value === null || depth === DEEPEST) return [];
  if (value instanceof Uint8Array || value instanceof Blob) return [];
  const entries: Iterable<readonly [unknown, unknown]> =
    value instanceof Map ? value : value instanceof Set || value instanceof URLSearchParams ? value.entries() : Object.entries(value);
  return [...entries].flatMap(([key, one]) => leavesOf(one, name === "" ? String(key) : `${name}.${String(key)}`, depth + 1));
}
