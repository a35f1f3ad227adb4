import { isOfUserCode } from "../model/errors.ts";

/**
 * Catches errors in timers and listeners of user code, and passes them to `take`, so that they do not end the run before stores are restored. Errors
 * of other code end the thread as usual, and so do errors for which `take` returns `false`. Returns a function that removes the listener.
 */
export function takeUncaught(take: (error: unknown) => boolean): () => void {
  const listener = (error: unknown): void => {
    if (isOfUserCode(error) && take(error)) return;
    stop();
    // Throw the error again outside of this listener. An error in a listener of `uncaughtException` would end the process with another exit status.
    setImmediate(() => {
      throw error;
    });
  };
  const stop = (): void => void process.off("uncaughtException", listener);
  process.on("uncaughtException", listener);
  return stop;
}
