import type { WireAnswer, WireRequest, WireRoute } from "../../../model/http/wire.ts";

export type { WireAnswer, WireRequest };

/** Connections to the target. Failed requests reject with the errors of `failures.ts`. */
export interface Connections {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
  /** Ends all requests in progress now, with the same error as their timeouts. */
  cut(): void;
  /** Resolves to `true` if the target accepts connections. Absent if the transport cannot find this out. */
  isAlive?(): Promise<boolean>;
  /**
   * `true` if the target sends each answer in two packets. Each request then gets a new connection, because answers on a reused connection would be
   * delayed.
   */
  readonly twoPackets?: boolean;
}

export interface Transport extends Connections {
  /** Returns the destination of the requests and the settings of the connection. @throws SeqqaError `PROXY_INVALID` */
  route(): WireRoute;
}

/** The maximum size of a body in bytes. A larger body is an error, because a lane that runs out of memory would end the whole run. */
export const MAX_BODY_BYTES: number = 64 * 1024 * 1024;

/** The longest delay in milliseconds that Node's timers support. A request with a longer timeout gets no timer. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

export const NO_COOKIES: readonly string[] = Object.freeze([]);

/** Decodes a body as UTF-8. As with fetch, invalid bytes become U+FFFD, and a byte order mark is removed. */
export function decodeBody(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
