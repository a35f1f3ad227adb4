/** A stack frame of a user's bundle, recognised by the ending of the file name (see `BUNDLE_SUFFIX`). */
const USERS_FRAME = /^\s+at .*\.seqqa\.mjs(?:\?[^:\s]*)?:\d+:\d+\)?$/m;

/**
 * Passes errors of the user's timers and listeners to the lane. Such an error belongs to a step, and must not end the run before stores are restored.
 * Other errors, and errors that `take` refuses because there is no lane, end the thread as if there were no listener. Returns a function that removes
 * the listener.
 */
export function takeUncaught(take: (error: unknown) => boolean): () => void {
  const listener = (error: unknown): void => {
    if (isUsers(error) && take(error)) return;
    stop();
    // Throws the error again for other listeners. Throwing it in this listener would end the process with Node's own exit status.
    setImmediate(() => {
      throw error;
    });
  };
  const stop = (): void => void process.off("uncaughtException", listener);
  process.on("uncaughtException", listener);
  return stop;
}

/** Returns `true` for an error of user code. A value without a stack comes from `throw "text"`, which seqqa itself never does. */
function isUsers(error: unknown): boolean {
  const stack = typeof error === "object" && error !== null ? (error as { readonly stack?: unknown }).stack : undefined;
  return typeof stack !== "string" || USERS_FRAME.test(stack);
}
