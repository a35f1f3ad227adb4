/** A stack frame of a user's bundle, recognized by the ending of the file name (see `BUNDLE_SUFFIX`). */
const USERS_FRAME = /^\s+at .*\.seqqa\.mjs(?:\?[^:\s]*)?:\d+:\d+\)?$/m;

/**
 * Passes errors of the user's timers and listeners to the lane: such an error belongs to a step, and must not end the run before its stores are
 * restored. Other errors, and errors that `take` refuses because there is no lane, end the thread as if there were no listener. Returns a function
 * that removes the listener.
 */
export function takeUncaught(take: (error: unknown) => boolean): () => void {
  const listener = (error: unknown): void => {
    if (isUsers(error) && take(error)) return;
    stop();
    // Thrown again for other listeners. Throwing here directly would end the process with a status of Node's own.
    setImmediate(() => {
      throw error;
    });
  };
  const stop = (): void => void process.off("uncaughtException", listener);
  process.on("uncaughtException", listener);
  return stop;
}

/** A value without a stack comes from `throw "text"`, which seqqa itself never does. */
function isUsers(error: unknown): boolean {
  const stack = typeof error === "object" && error !== null ? (error as { readonly stack?: unknown }).stack : undefined;
  return typeof stack !== "string" || USERS_FRAME.test(stack);
}
