import { isPromise, type Awaitable } from "../model/stores/store-adapter.ts";

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

/** Does something, and something else when that is over, however it ends. */
export function lastly<T>(action: () => Awaitable<T>, then: () => void): Awaitable<T> {
  let result: Awaitable<T>;
  try {
    result = action();
  } catch (error) {
    then();
    throw error;
  }
  if (isPromise(result)) return result.finally(then);
  then();
  return result;
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
