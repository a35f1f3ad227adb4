import { matches, type Route } from "./route.ts";
import type { Reply } from "./reply.ts";

/** A request that a mock received. */
export interface MockCall {
  /** In upper case. */
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  /** The headers of the request, the client's token and headers included; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; absent when there was none. */
  readonly body?: string;
  /** The parsed body of a request with `json`. */
  readonly json?: unknown;
  /** The fields of a request with `form`. */
  readonly form?: Readonly<Record<string, string>>;
  /** The parameters of the path's query; for a repeated name, the last one. */
  readonly query: Readonly<Record<string, string>>;
  /** The status of the reply. */
  readonly status: number;
  /** `true` if a reply was defined for the request. */
  readonly matched: boolean;
}

/** One `when`, with its replies in order; the last one is repeated. */
interface Definition {
  readonly method: string;
  readonly route: Route;
  readonly replies: readonly Reply[];
  readonly given: number;
}

/** The state of a mock that a branch may change; plain data. */
export interface SavedMock {
  readonly definitions: readonly Definition[];
  readonly calls: readonly MockCall[];
}

const NONE: readonly never[] = Object.freeze([]);

/** Definitions and calls. A list that was shared is never changed in place: it is replaced, or copied before the next write. */
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

  /** Makes the present definitions the initial ones. */
  begin(): void {
    this.#initial = this.#definitions;
  }

  /** Adds a definition and returns its number, for {@link add}. */
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

  /** Returns the reply to a request and advances the sequence; `undefined` when none is defined. */
  take(method: string, path: string): Reply | undefined {
    const index = this.#definitions.findLastIndex((one) => one.replies.length > 0 && one.method === method && matches(one.route, path));
    const definition = this.#definitions[index];
    if (definition === undefined) return undefined;
    const last = definition.replies.length - 1;
    // The last reply is repeated without being counted, because the number of repetitions affects no later reply.
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

  /** Returns the definitions that decide future answers, if they differ from the initial ones. Calls are only recorded and affect no answer. */
  acting(): readonly Definition[] | undefined {
    return this.#definitions === this.#initial || sameDefinitions(this.#definitions, this.#initial) ? undefined : this.#definitions;
  }
}

function sameDefinitions(a: readonly Definition[], b: readonly Definition[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((one, i) => one === b[i] || JSON.stringify(one) === JSON.stringify(b[i]));
}
