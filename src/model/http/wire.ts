/** One attempt to send a request. */
export interface WireRequest {
  readonly method: string;
  /** The path and query, as in the request line. */
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** A signal that cancels the attempt. Its reason says why. */
  readonly signal?: AbortSignal | undefined;
}

/** The destination of a client's requests, with the settings of the connection. */
export interface WireRoute {
  /** A key that is equal for clients that can share connections. */
  readonly key: string;
  /** The origin of the target; `undefined` for a handler in this process, which only the client itself can call. */
  readonly origin: string | undefined;
  /** Certificates in PEM that are trusted in addition to Node's own certificates. */
  readonly ca: readonly string[];
  /** `true` if requests go through the proxies that the environment names. */
  readonly proxied: boolean;
}

/** The answer to one attempt. */
export interface WireAnswer {
  readonly status: number;
  /** The headers. Names are in lower case, and several values of a name are joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie`, one entry each. Joined values could not be separated again, because dates contain commas. */
  readonly cookies: readonly string[];
  readonly text: string;
}
