import { clientPartOf, TELLS_SENDER, type RequestOptions } from "../../model/http/client.ts";
import { namedArguments, namedField, namedRequest, type NamedCall } from "./named-call.ts";
import type { ReadValue } from "./owners-view.ts";

/** A call that an intruder's client has sent. */
export interface TriedCall {
  readonly call: NamedCall;
  /** The answer; `undefined` before the call is answered, and if the call throws. */
  answer: unknown;
}

/**
 * Thrown instead of sending a call that contains no value of the owner, because any user may send it, and instead of sending a call that contains a
 * credential of the owner.
 */
export class NothingNamed extends Error {}

const VERBS = new Set(["get", "post", "put", "patch", "delete", "head", "options"]);
/** Client methods that an intruder must not call, because they would change the intruder's identity or close its client. */
const IDENTITY = new Set(["setAuthToken", "setBasicAuth", "setHeader", "close"]);

/**
 * A client that sends calls with the identity of an intruder. The client throws {@link NothingNamed} for calls that contain no value of the owner.
 */
export class IntruderClient<A> {
  readonly api: A;
  readonly tried: TriedCall[] = [];
  readonly #read: () => readonly ReadValue[];
  readonly #pending: Promise<unknown>[] = [];

  /** @param read Returns the values that the action under test has read from the owner's context so far. */
  constructor(client: A, read: () => readonly ReadValue[]) {
    this.#read = read;
    this.api = this.#wrap(client as object, clientPartOf(client) !== undefined) as A;
  }

  /** Resolves when every call is answered, including calls that user code does not await. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }

  #wrap(client: object, isClient: boolean): object {
    const wrapped: object = new Proxy(client, {
      get: (target, key): unknown => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof key === "symbol") return member;
        // Wrap members that are objects, too, for calls such as `api.notes.remove(id)`.
        if (typeof member === "object" && member !== null) return this.#wrap(member, false);
        if (typeof member !== "function") return member;
        if (isClient && key === "as") return () => wrapped;
        if (isClient && IDENTITY.has(key)) return () => undefined;
        const make = (args: readonly unknown[]): unknown => Reflect.apply(member, target, args);
        return (...args: readonly unknown[]): unknown => {
          if (isClient && VERBS.has(key)) return this.#request(key, args[0], args[1], (options) => make([args[0], options]));
          if (isClient && key === "request")
            return this.#request(args[0], args[1], args[2], (options) => make([args[0], args[1], options]));
          if (isClient && key === "query" && typeof args[0] === "string")
            return this.#make(namedField(args[0], args[1], this.#read()), () => make(args));
          return this.#make(namedArguments(key, args, this.#read()), () => make(args));
        };
      },
    });
    return wrapped;
  }

  async #request(
    method: unknown,
    path: unknown,
    options: unknown,
    send: (options: RequestOptions | undefined) => unknown,
  ): Promise<unknown> {
    const given = options as RequestOptions | undefined;
    return this.#make(namedRequest(String(method), String(path), given, this.#read()), () => send(withoutIdentity(given)));
  }

  #make(call: NamedCall, send: () => unknown): unknown {
    // A call without a value of the owner is normally not sent. But after a call with such a value, the action may need the answers of further calls:
    // calls that only read are then sent, but not judged. Calls that write would only change the intruder's own data.
    const isBeside = call.names === "nothing" && call.safe && this.tried.length > 0;
    if (call.names !== "owned" && !isBeside) throw new NothingNamed(call.text);
    const tried: TriedCall = { call, answer: undefined };
    if (!isBeside) this.tried.push(tried);
    const answer = send();
    if (!(answer instanceof Promise)) return (tried.answer = answer);
    const told = answer.then((one: unknown) => (tried.answer = one));
    this.#pending.push(told);
    return told;
  }
}

function withoutIdentity(options: RequestOptions | undefined): RequestOptions | undefined {
  if (options?.headers === undefined) return options;
  return { ...options, headers: Object.fromEntries(Object.entries(options.headers).filter(([name]) => !TELLS_SENDER.test(name))) };
}
