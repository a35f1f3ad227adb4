import type { Awaitable } from "../model/system.ts";

const PAUSE_MS = 4;

/**
 * Does something that a busy store may refuse. It is tried at once and without a promise, since it hardly ever is; only then
 * again from time to time, letting an in-process target go on in between, until the limit.
 */
export function attempt<T>(
  action: () => T,
  refused: (error: unknown) => boolean,
  limitMs: number,
  giveUp: (cause: unknown) => Error,
): Awaitable<T> {
  try {
    return action();
  } catch (error) {
    if (!refused(error)) throw error;
    return again(action, refused, limitMs, giveUp);
  }
}

async function again<T>(
  action: () => T,
  refused: (error: unknown) => boolean,
  limitMs: number,
  giveUp: (cause: unknown) => Error,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    try {
      return action();
    } catch (error) {
      if (!refused(error)) throw error;
      if (performance.now() >= deadline) throw giveUp(error);
    }
  }
}
