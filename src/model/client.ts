import type { Duration } from "./duration.ts";
import type { ApiResponse } from "./response.ts";

/** What one request may carry beside method and path. */
export interface RequestOptions {
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as it is. */
  readonly body?: string | Uint8Array;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined | readonly (string | number | boolean)[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds, for this request alone. */
  readonly timeout?: Duration;
}

/** The verbs that an HTTP-like client offers. `HttpClient` and `MockClient` have them all. */
export interface ApiClient {
  get(path: string, options?: RequestOptions): Promise<ApiResponse>;
  post(path: string, options?: RequestOptions): Promise<ApiResponse>;
  put(path: string, options?: RequestOptions): Promise<ApiResponse>;
  patch(path: string, options?: RequestOptions): Promise<ApiResponse>;
  delete(path: string, options?: RequestOptions): Promise<ApiResponse>;
  head(path: string, options?: RequestOptions): Promise<ApiResponse>;
  options(path: string, options?: RequestOptions): Promise<ApiResponse>;
  request(method: string, path: string, options?: RequestOptions): Promise<ApiResponse>;
  /** Sends `Authorization: Bearer <token>` from now on; `null` stops it. */
  setAuthToken(token: string | null): void;
  setBasicAuth(username: string, password: string): void;
  /** Sends this header from now on; `null` stops it. */
  setHeader(name: string, value: string | null): void;
  /** The client of another role of the same world. */
  as(role: string): ApiClient;
  close(): Promise<void> | void;
}

/** What a client offers to the lane that it runs in. */
export interface ClientPart {
  /** The origin that it sends to; `undefined` when it leaves the process nowhere. Two lanes must not share one. */
  readonly uses?: string | undefined;
  /** Grows with every change of the client's own state (token, headers, cookies, canned replies); equal numbers mean nothing changed. */
  readonly version: number;
  /** The state as plain, structured-cloneable data that {@link restore} takes, any number of times. */
  save(): unknown;
  restore(saved: unknown): void;
  /** What of it makes two states different (token, headers, cookies), as plain data; `undefined` when it is as it was constructed. */
  acting(): unknown;
  /** Receives every exchange from now on, or `null` to stop: requests that got an answer and, by `error`, those that did not. */
  listen(sink: ((exchange: Exchange) => void) | null): void;
  /** Tells the client which roles its world has. */
  join(clients: Readonly<Record<string, unknown>>): void;
}

/** One request and what came of it. */
export type Exchange =
  | { readonly kind: "answer"; readonly response: ApiResponse }
  | {
      readonly kind: "failure";
      readonly method: string;
      readonly url: string;
      readonly reason: "timeout" | "unreachable";
      readonly error: unknown;
    };

const parts = new WeakMap<object, ClientPart>();

/**
 * For clients, in their constructor: offers the part that belongs to the world, what a branch may change and what must be put
 * back. An `api` that offers none is taken to keep nothing of its own.
 */
export function offerClientPart(client: object, part: ClientPart): void {
  parts.set(client, part);
}

/** The part of a client that belongs to the world; `undefined` when it has none. */
export function clientPartOf(client: unknown): ClientPart | undefined {
  return typeof client === "object" && client !== null ? parts.get(client) : undefined;
}
