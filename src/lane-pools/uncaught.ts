import { isOfUserCode } from "../model/errors.ts";

/**
 * Catches errors in timers and listeners of user code, and passes the errors to `take`, so that they do not end the run before stores are restored.
 * Errors of other code, and errors for which `take` returns `false`, end the thread as usual. Returns a function that removes the listener.
 */
export function takeUncaught(take: (error: unknown) => boolean): () => void {
  const listener = (error: unknown): void => {
    if (isOfUserCode(error) && take(error)) return;
    stop();
    // Throw the error again outside of this listener. Inside a listener of `uncaughtException`, the error would end the process with another exit
    // status.
    setImmediate(() => {
      throw error;
    });
  };
  const stop = (): void => void process.off("uncaughtException", listener);
  process.on("uncaughtException", listener);
  return stop;
}
