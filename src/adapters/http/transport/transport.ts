import type { WireAnswer, WireRequest, WireRoute } from "../../../model/http/wire.ts";

export type { WireAnswer, WireRequest };

/** A way to the target. Rejects with the errors of `failures.ts`. */
export interface Connections {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
  /** Ends the requests in progress now, as their timeouts would. */
  cut(): void;
  /** Returns `true` if the target accepts connections; absent where this cannot be known. */
  isAlive?(): Promise<boolean>;
  /** `true` if the target sends its answers in two packets, and each request has a connection of its own because of it. */
  readonly twoPackets?: boolean;
}

/** The transport of a client. */
export interface Transport extends Connections {
  /** @throws SeqqaError `PROXY_INVALID` */
  route(): WireRoute;
}

/** Longer bodies are an error: a lane that runs out of memory takes the whole run with it. */
export const MAX_BODY_BYTES: number = 64 * 1024 * 1024;

/** The longest timer that Node takes; a longer timeout practically never ends. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

export const NO_COOKIES: readonly string[] = Object.freeze([]);

/** Decodes a body, the same way everywhere: UTF-8, invalid bytes become U+FFFD, and a byte order mark is dropped, as fetch does. */
export function decodeBody(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
