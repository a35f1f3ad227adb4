import { isPromise, type Awaitable } from "../model/stores/store-adapter.ts";

const PAUSE_MS = 4;

/**
 * Runs `action`, and repeats it as long as it fails because the store is locked. The first attempt is synchronous, because locks are rare. Later
 * attempts follow every few milliseconds up to a time limit, so that a target in this process can run between two attempts.
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

/** Runs `action`, and then `then`, even if `action` fails. A returned promise is awaited before `then` runs. */
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
