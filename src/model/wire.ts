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

/** What came back. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case, several values joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `Set-Cookie` by itself, since they cannot be taken apart again once joined. */
  readonly cookies: readonly string[];
  readonly text: string;
}
