import { setTimeout as sleep } from "node:timers/promises";
import type { WireRequest } from "./transport.ts";

/** The silence after which an event stream that stays open counts as answered, in milliseconds. */
const SILENCE_MS = 1_000;
/** The longest time, in milliseconds, for which the client reads an event stream that never pauses. */
const LONGEST_MS = 3_000;

export interface StreamLimits {
  readonly silenceMs: number;
  readonly longestMs: number;
}

/**
 * Returns the limits for an answer that is an event stream (server-sent events) and therefore may never end. `undefined` for all other answers. Only
 * the stream of a GET is a subscription. The stream of another method is the answer to a command, which the target must finish.
 */
export function streamLimits(
  { method, timeoutMs }: Pick<WireRequest, "method" | "timeoutMs">,
  contentType: string | null | undefined,
): StreamLimits | undefined {
  if (method !== "GET" || !/^text\/event-stream\b/i.test(contentType ?? "")) return undefined;
  return { silenceMs: Math.min(SILENCE_MS, timeoutMs / 2), longestMs: Math.min(LONGEST_MS, timeoutMs * 0.8) };
}

/** Returns a function that waits for a part of a body. The function resolves to `undefined` if a limit is reached first. */
export function partsWithin(limits: StreamLimits | undefined): <T>(part: Promise<T>) => Promise<T | undefined> {
  if (limits === undefined) return (part) => part;
  const end = performance.now() + limits.longestMs;
  return async (part) => {
    const over = new AbortController();
    const waitMs = Math.max(0, Math.min(limits.silenceMs, end - performance.now()));
    try {
      return await Promise.race([part, sleep(waitMs, undefined, { signal: over.signal })]);
    } finally {
      over.abort();
    }
  };
}
