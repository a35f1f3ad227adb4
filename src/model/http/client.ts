import type { Duration } from "../text/duration.ts";
import { SeqqaError } from "../errors.ts";
import type { ApiResponse } from "./response.ts";

/** The value of a field of a multipart body: a text, or a file. A `File` is sent with its name, another `Blob` as `blob`. */
export type MultipartValue = string | number | boolean | Blob | MultipartPart;

/** A part of a multipart body by its details. */
export interface MultipartPart {
  readonly content: string | Uint8Array | Blob;
  /** Makes the part a file. */
  readonly filename?: string;
  /** Default: the type of a `Blob`; else `application/octet-stream` for a file, and none for another part. */
  readonly contentType?: string;
}

/** The parts of a request beside method and path. */
export interface RequestOptions {
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as `multipart/form-data`, in the order of the fields; a list sends a field once for each of its values. */
  readonly multipart?: Readonly<Record<string, MultipartValue | readonly MultipartValue[]>>;
  /** Sent without a change. */
  readonly body?: string | Uint8Array;
  /** Added to the path; a list sends its name once for each value, `null` and `undefined` send nothing. Default: none. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined | readonly (string | number | boolean)[]>>;
  /** For this request alone, in place of those of the client with the same name. Default: none. */
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

/** Names of headers that tell who sends a request. */
export const TELLS_SENDER: RegExp = /auth|token|secret|api-?key|session|cookie|user(?!-agent)|tenant|account|role/i;

/** A request that has no answer yet. */
export interface PendingRequest {
  readonly method: string;
  readonly url: string;
}

/** The part of a client that the lane uses. */
export interface ClientPart {
  /** The origin that the client sends to; `undefined` when it sends nothing out of this process. Two lanes must not share one. */
  readonly uses?: string | undefined;
  /** The URL that paths are joined to, without a slash at its end. */
  readonly base?: string | undefined;
  /** The target sends its answers in two packets. For that reason each request has a connection of its own. */
  readonly twoPackets?: boolean;
  /** Grows with every change of the client's own state (token, headers, cookies, canned replies). Equal numbers mean that nothing changed. */
  readonly version: number;
  /** The state as plain, structured-cloneable data that {@link restore} takes, any number of times. */
  save(): unknown;
  restore(saved: unknown): void;
  /**
   * The client's state that makes two states of the world different (token, headers, cookies), as plain data; `undefined` for a client as it was
   * constructed.
   */
  acting(): unknown;
  /** The part of {@link acting} that identifies the user; default: all of it. */
  bearer?(): unknown;
  /** There is no API behind the client: the data that it saves is the whole state. */
  readonly selfContained?: boolean;
  /**
   * Sets the receiver of every exchange from now on; `null` stops it. Exchanges are requests that got an answer and, as failures, requests that did
   * not.
   */
  listen(sink: ((exchange: Exchange) => void) | null): void;
  /** The requests that were sent and have no answer yet. */
  pending?(): readonly PendingRequest[];
  /** Ends the requests in progress now, as their timeouts would. */
  cut?(): void;
  /** Sets the clock by which cookies expire. Default: the clock of this process. */
  keepTime?(now: () => number): void;
  /** Passes the clients of its world to the client, by role. */
  join(clients: Readonly<Record<string, unknown>>): void;
}

/** One request with its answer or its failure. */
export type Exchange =
  | {
      readonly kind: "answer";
      readonly response: ApiResponse;
      /** The server refused the request for lack of capacity, before it processed the request. */
      readonly shed?: boolean;
    }
  | {
      readonly kind: "failure";
      readonly method: string;
      readonly url: string;
      /** `invalid`: there was an answer, and it was not HTTP. */
      readonly reason: "timeout" | "unreachable" | "invalid";
      readonly error: unknown;
      /**
       * The target is alive. It closed a connection that had been used before, without a byte of an answer. The request may have been executed, so
       * only the whole step can be repeated, from its state.
       */
      readonly mayRepeat?: boolean;
    };

const parts = new WeakMap<object, ClientPart>();

/**
 * For clients, in their constructor: registers the part that belongs to the world, which a branch may change and a restore must reset. An `api` that
 * registers none is assumed to have no state of its own.
 */
export function offerClientPart(client: object, part: ClientPart): void {
  parts.set(client, part);
}

/** The part of a client that belongs to the world; `undefined` when it has none. */
export function clientPartOf(client: unknown): ClientPart | undefined {
  return typeof client === "object" && client !== null ? parts.get(client) : undefined;
}

/** Returns the client of a role, for `as(role)` of clients. @throws SeqqaError `UNKNOWN_ROLE` naming the roles that exist. */
export function clientOfRole(clients: Readonly<Record<string, unknown>>, role: string): unknown {
  if (Object.hasOwn(clients, role)) return clients[role];
  const roles = Object.keys(clients);
  throw new SeqqaError("UNKNOWN_ROLE", `There is no client for the role "${role}".`, {
    hint: roles.length === 0 ? "Pass World({ clients: { ... } }); this client's world has none." : `The world has ${roles.join(", ")}.`,
  });
}
