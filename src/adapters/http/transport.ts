/** One attempt, ready to be sent. */
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

/** A way to the target. Rejects with the errors of `failures.ts`. */
export interface Transport {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

/** Longer bodies are an error: a lane that runs out of memory takes the whole run with it. */
export const MAX_BODY_BYTES: number = 64 * 1024 * 1024;

/** Node takes no longer timer than this; such a timeout is none. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

export const NO_COOKIES: readonly string[] = Object.freeze([]);

/** The one decoding of a body: UTF-8, what is not valid becomes U+FFFD, and a byte order mark is dropped, as fetch does. */
export function decodeBody(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
