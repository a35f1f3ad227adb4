/** One attempt at a request, ready to be sent. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Aborting it cancels the attempt; its reason says why. */
  readonly signal?: AbortSignal | undefined;
}

/** The destination of a client's requests, and how the client connects. */
export interface WireRoute {
  /** Clients with the same key can use the same connections. */
  readonly key: string;
  /** `undefined`: a handler of this process, which only the client itself can call. */
  readonly origin: string | undefined;
  /** Certificates in PEM, trusted beside those that Node trusts. */
  readonly ca: readonly string[];
  /** Requests go through the proxies of the environment. */
  readonly proxied: boolean;
}

/** The answer to one attempt. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case, several values joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `Set-Cookie` by itself, because joined ones cannot be separated again. */
  readonly cookies: readonly string[];
  readonly text: string;
}
