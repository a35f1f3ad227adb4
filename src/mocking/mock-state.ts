import { matches, type Route } from "./route.ts";
import type { Reply } from "./reply.ts";

/** A request that a mock client received, with the reply's status. */
export interface MockCall {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path and query, as in the request line. */
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
  /** `true` if a reply was defined for the request. */
  readonly matched: boolean;
}

/** The replies that one call of `when` defined, in order. `given` is the index of the next reply; the last reply is repeated. */
interface Definition {
  readonly method: string;
  readonly route: Route;
  readonly replies: readonly Reply[];
  readonly given: number;
}

/** The part of a mock's state that a branch may change, as plain data. */
export interface SavedMock {
  readonly definitions: readonly Definition[];
  readonly calls: readonly MockCall[];
}

const NONE: readonly never[] = Object.freeze([]);

/** The definitions and calls of a mock. Lists that were handed out are never changed in place: they are replaced, or copied before the next write. */
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

  /** Makes the current definitions the initial ones. */
  begin(): void {
    this.#initial = this.#definitions;
  }

  /** Adds a definition and returns its index, for {@link add}. */
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

  /** Returns the reply to a request and advances its sequence; `undefined` if no reply is defined. */
  take(method: string, path: string): Reply | undefined {
    const index = this.#definitions.findLastIndex((one) => one.replies.length > 0 && one.method === method && matches(one.route, path));
    const definition = this.#definitions[index];
    if (definition === undefined) return undefined;
    const last = definition.replies.length - 1;
    // Repetitions of the last reply are not counted, because they do not affect later replies.
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
   * Returns the definitions that decide future answers; `undefined` if they equal the initial ones. Calls are not included, because they affect no
   * answer.
   */
  acting(): readonly Definition[] | undefined {
    return this.#definitions === this.#initial || sameDefinitions(this.#definitions, this.#initial) ? undefined : this.#definitions;
  }
}

function sameDefinitions(a: readonly Definition[], b: readonly Definition[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((one, i) => one === b[i] || JSON.stringify(one) === JSON.stringify(b[i]));
}
