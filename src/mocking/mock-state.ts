import { matches, type Route } from "./route.ts";
import type { Reply } from "./reply.ts";

/** A request that a `MockClient` received, with the status of its reply. */
export interface MockCall {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path and query of the URL, as HTTP would send them. */
  readonly path: string;
  /** The headers of the request, including the token and headers of the client. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; absent if the request had no body. */
  readonly body?: string;
  /** The parsed body of a request with `json`; absent for other requests. */
  readonly json?: unknown;
  /** The fields of a request with `form`; absent for other requests. */
  readonly form?: Readonly<Record<string, string>>;
  /** The query parameters. For a repeated name, only the last value is included. */
  readonly query: Readonly<Record<string, string>>;
  /** The status of the reply. */
  readonly status: number;
  /** `true` if a reply was defined for the request; `false` if it was answered with 404. */
  readonly matched: boolean;
}

/** The replies that one call of `when` defined. `given` is the index of the reply to the next request. */
interface Definition {
  readonly method: string;
  readonly route: Route;
  readonly replies: readonly Reply[];
  readonly given: number;
}

/** The data of a `MockClient` that a checkpoint saves, as plain data. */
export interface SavedMock {
  readonly definitions: readonly Definition[];
  readonly calls: readonly MockCall[];
}

const NONE: readonly never[] = Object.freeze([]);

/**
 * The defined replies and received calls of a `MockClient`. Lists that callers have received are never changed later, because every change makes a
 * copy.
 */
export class MockState {
  #definitions: readonly Definition[] = NONE;
  #initial: readonly Definition[] = NONE;
  #calls: MockCall[] = [];
  #shared = false;
  #version = 0;

  get version(): number {
    return this.#version;
  }

  get calls(): readonly MockCall[] {
    this.#shared = true;
    return this.#calls;
  }

  /** Marks the current definitions as the definitions of the root state. */
  begin(): void {
    this.#initial = this.#definitions;
  }

  /** Adds a definition without replies, and returns its index for {@link add}. */
  define(method: string, route: Route): number {
    this.#version++;
    this.#definitions = [...this.#definitions, { method, route, replies: NONE, given: 0 }];
    return this.#definitions.length - 1;
  }

  add(index: number, reply: Reply): void {
    const definition = this.#definitions[index];
    if (definition === undefined) return;
    this.#version++;
    this.#definitions = this.#definitions.with(index, { ...definition, replies: [...definition.replies, reply] });
  }

  /** Returns the next reply to a request, and moves its sequence forward; `undefined` if no reply is defined. */
  take(method: string, path: string): Reply | undefined {
    const index = this.#definitions.findLastIndex((one) => one.replies.length > 0 && one.method === method && matches(one.route, path));
    const definition = this.#definitions[index];
    if (definition === undefined) return undefined;
    const last = definition.replies.length - 1;
    // Do not count repetitions of the last reply, because the next reply is the same for any number of repetitions.
    if (definition.given < last) this.#definitions = this.#definitions.with(index, { ...definition, given: definition.given + 1 });
    return definition.replies[Math.min(definition.given, last)];
  }

  record(call: MockCall): void {
    this.#version++;
    if (this.#shared) this.#calls = [...this.#calls];
    this.#shared = false;
    this.#calls.push(call);
  }

  save(): SavedMock {
    return { definitions: this.#definitions, calls: this.calls };
  }

  restore({ definitions, calls }: SavedMock): void {
    this.#version++;
    this.#definitions = definitions;
    this.#calls = calls as MockCall[];
    this.#shared = true;
  }

  /**
   * Returns the definitions of replies, on which later replies depend; `undefined` if the definitions are the same as in the root state. The received
   * calls are left out, because replies do not depend on them.
   */
  acting(): readonly Definition[] | undefined {
    return this.#definitions === this.#initial || sameDefinitions(this.#definitions, this.#initial) ? undefined : this.#definitions;
  }
}

function sameDefinitions(a: readonly Definition[], b: readonly Definition[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((one, i) => one === b[i] || JSON.stringify(one) === JSON.stringify(b[i]));
}
