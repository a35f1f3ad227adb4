import type { Duration } from "../text/duration.ts";
import { SeqqaError } from "../errors.ts";
import type { ApiRequest, ApiResponse } from "./response.ts";

/** The value of a field in a multipart body: a text or a file. A `File` is sent with its name, any other `Blob` with the name `blob`. */
export type MultipartValue = string | number | boolean | Blob | MultipartPart;

/** A part of a multipart body, with its file name and content type. */
export interface MultipartPart {
  readonly content: string | Uint8Array | Blob;
  /** The file name. With a file name, the part is sent as a file. Default: none. */
  readonly filename?: string;
  /** The content type. Default: the type of a `Blob`; else `application/octet-stream` for a file, and none for any other part. */
  readonly contentType?: string;
}

/** The options of a request, in addition to its method and path. */
export interface RequestOptions {
  /** A value that is sent as JSON, with the content type of JSON. */
  readonly json?: unknown;
  /** Fields that are sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string | number | boolean>>;
  /** Fields that are sent as `multipart/form-data`, in this order. A list sends its field once for each value. */
  readonly multipart?: Readonly<Record<string, MultipartValue | readonly MultipartValue[]>>;
  /** A body that is sent unchanged. */
  readonly body?: string | Uint8Array;
  /** Parameters that are added to the path. A list sends its name once for each value. `null` and `undefined` are not sent. Default: none. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined | readonly (string | number | boolean)[]>>;
  /** Headers for only this request. They replace the client's headers of the same name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The timeout for only this request: seconds, or a duration such as `"5s"`. Default: the client's timeout. */
  readonly timeout?: Duration;
}

/** The methods of a client for HTTP-like APIs. `HttpClient` and `MockClient` have them all. */
export interface ApiClient {
  get(path: string, options?: RequestOptions): Promise<ApiResponse>;
  post(path: string, options?: RequestOptions): Promise<ApiResponse>;
  put(path: string, options?: RequestOptions): Promise<ApiResponse>;
  patch(path: string, options?: RequestOptions): Promise<ApiResponse>;
  delete(path: string, options?: RequestOptions): Promise<ApiResponse>;
  head(path: string, options?: RequestOptions): Promise<ApiResponse>;
  options(path: string, options?: RequestOptions): Promise<ApiResponse>;
  request(method: string, path: string, options?: RequestOptions): Promise<ApiResponse>;
  /** Adds `Authorization: Bearer <token>` to all further requests. `null` removes it. */
  setAuthToken(token: string | null): void;
  setBasicAuth(username: string, password: string): void;
  /** Adds a header to all further requests. `null` removes it. */
  setHeader(name: string, value: string | null): void;
  /** Returns the client of another role of the same world. */
  as(role: string): ApiClient;
  close(): Promise<void> | void;
}

/** Matches the names of headers that identify the sender of a request. */
export const TELLS_SENDER: RegExp = /auth|token|secret|api-?key|session|cookie|user(?!-agent)|tenant|account|role/i;

/** A request that has not been answered yet. */
export interface PendingRequest {
  readonly method: string;
  readonly url: string;
}

/** A cookie that was valid when it was received, with the time at which it expires, in milliseconds since 1970. */
export interface CookieExpiry {
  readonly name: string;
  readonly atMs: number;
  /** `true` if the client keeps the cookie as long as the clock does not move, because it belongs to the root state. */
  readonly isOfRoot?: boolean;
}

/** The members of a client that only lanes use. */
export interface ClientPart {
  /** The origin that the client sends to; `undefined` if the client sends nothing to other processes. Two lanes must not use the same origin. */
  readonly uses?: string | undefined;
  /** The URL that the client joins paths to, without a trailing slash. */
  readonly base?: string | undefined;
  /** Returns the headers that every request has, without cookies. Default: none. */
  headers?(): Readonly<Record<string, string>>;
  /** `true` if the target sends each answer in two packets. Each request then uses its own connection. */
  readonly twoPackets?: boolean;
  /**
   * A number that grows with every change of the client's own state: token, headers, cookies, prepared replies. Equal numbers mean that nothing
   * changed.
   */
  readonly version: number;
  /** Returns the client's own state as plain, structured-cloneable data. {@link restore} accepts the data any number of times. */
  save(): unknown;
  restore(saved: unknown): void;
  /** Restores only the cookies of saved data. Default: the client has no cookies. */
  restoreCookies?(saved: unknown): void;
  /**
   * Returns the client's state that belongs to the world's state (token, headers, cookies), as plain data. `undefined` if this state has not changed
   * since the client was constructed.
   */
  acting(): unknown;
  /** Returns the part of the client's state that identifies the user. Default: everything that {@link acting} returns. */
  bearer?(): unknown;
  /** `true` if there is no API behind the client. The data that the client saves is then the whole state. */
  readonly selfContained?: boolean;
  /** Sets a function that receives every further exchange; `null` removes it. Requests without an answer are reported, too, as failures. */
  listen(sink: ((exchange: Exchange) => void) | null): void;
  /** Returns the requests that were sent and have not been answered yet. */
  pending?(): readonly PendingRequest[];
  /** Ends the requests in progress, in the same way as their timeouts would. */
  cut?(): void;
  /** Returns the cookies that expire or have expired. Default: none. */
  expiries?(): readonly CookieExpiry[];
  /** Returns a message for each cookie that the client has rejected since it was created. Default: none. */
  rejectedCookies?(): readonly string[];
  /** Sets the clock by which cookies expire. Default: the clock of this process. */
  keepTime?(now: () => number): void;
  /**
   * Treats the present cookies as cookies of the root state: they expire only when the clock moves, not during the run. Default: cookies of the root
   * state expire like others.
   */
  adopt?(): void;
  /** Sets whether the client sends expired cookies, as an attacker could who has a copy of the cookies. Default: expired cookies are not sent. */
  sendExpired?(isSent: boolean): void;
  /** Sends a request like the client's own requests, for clients whose own methods take no HTTP method. Default: the client's `request`. */
  request?(method: string, path: string, options: RequestOptions): Promise<ApiResponse>;
  /**
   * Creates a client of the same class for the same target, whose only headers are the given headers. Default: an `HttpClient` for the lane's target.
   */
  another?(headers: Readonly<Record<string, string>>): unknown;
  /**
   * Sends a request without the client's token, cookies and headers, and ignores the cookies in the answer. The request is recorded like other
   * requests.
   */
  sendAnonymously?(method: string, path: string, options: RequestOptions): Promise<ApiResponse>;
  /**
   * Sets whether a 503 of an overloaded server is expected. The client returns an expected 503 at once, and does not repeat the request. Default: not
   * expected.
   */
  expectShed?(isExpected: boolean): void;
  /** Passes all clients of the world to this client, by role, so that `as(role)` can return them. */
  join(clients: Readonly<Record<string, unknown>>): void;
}

/** A request with its answer, or with the reason why it has none. */
export type Exchange =
  | {
      readonly kind: "answer";
      readonly response: ApiResponse;
      /** `true` if the server refused the request for lack of capacity. */
      readonly shed?: boolean;
      /**
       * The milliseconds to wait before a step with this shed request is repeated. The server may have executed the request, so only the whole step
       * can be repeated, from its initial state. `undefined` if the client sent the request again itself, or must not wait.
       */
      readonly repeatAfterMs?: number;
    }
  | {
      readonly kind: "failure";
      readonly request: ApiRequest;
      /** Milliseconds from sending the request to the failure. */
      readonly durationMs: number;
      /** The kind of failure. `invalid`: the answer was not valid HTTP. */
      readonly reason: "timeout" | "unreachable" | "invalid";
      readonly error: unknown;
      /**
       * `true` if the live target closed a reused connection without sending a byte of an answer. The target may have executed the request, so only
       * the whole step can be repeated, from its initial state.
       */
      readonly mayRepeat?: boolean;
    };

const parts = new WeakMap<object, ClientPart>();

/**
 * Registers the members of a client that lanes use. A client calls this in its constructor. An `api` without this registration is assumed to have no
 * state of its own.
 */
export function offerClientPart(client: object, part: ClientPart): void {
  parts.set(client, part);
}

/** Returns the members of a client that lanes use; `undefined` if the client registered none. */
export function clientPartOf(client: unknown): ClientPart | undefined {
  return typeof client === "object" && client !== null ? parts.get(client) : undefined;
}

/**
 * Returns the registered clients of an `api`, by name: the `api` itself, with the name `""`, or else the values of its own properties, because SDKs and
 * classes of users often wrap clients. Private fields (`#http`) cannot be read.
 */
export function clientsIn(api: unknown): ReadonlyMap<string, object> {
  const found = new Map<string, object>();
  if (typeof api !== "object" || api === null) return found;
  if (parts.has(api)) return found.set("", api);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(api)))
    if (typeof value === "object" && value !== null && parts.has(value as object)) found.set(name, value as object);
  return found;
}

/** Returns the messages about cookies that any of the clients rejected, each once. */
export function rejectedCookiesOf(clients: Iterable<unknown>): readonly string[] {
  return [...new Set([...clients].flatMap((client) => clientPartOf(client)?.rejectedCookies?.() ?? []))];
}

/** Returns the client of a role. Clients call this in `as(role)`. @throws SeqqaError `UNKNOWN_ROLE` naming the roles that exist */
export function clientOfRole(clients: Readonly<Record<string, unknown>>, role: string): unknown {
  if (Object.hasOwn(clients, role)) return clients[role];
  const roles = Object.keys(clients);
  throw new SeqqaError("UNKNOWN_ROLE", `There is no client for the role "${role}".`, {
    hint:
      roles.length === 0
        ? `This World has only its default client. Add a client for the role: new World({ clients: { ${/^\w+$/.test(role) ? role : JSON.stringify(role)}: ... } }).`
        : `The roles of the World are ${roles.join(", ")}.`,
  });
}
