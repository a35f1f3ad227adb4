/** A frame of a bundle of the user's; by this ending of theirs they are known in stacks (see `BUNDLE_SUFFIX`). */
const USERS_FRAME = /^\s+at .*\.seqqa\.mjs(?:\?[^:\s]*)?:\d+:\d+\)?$/m;

/**
 * Gives what timers and listeners of the user's throw to the lane: it is an error of a step, and must not end the run before its stores
 * are put back. What is not the user's, or what `take` refuses for want of a lane, ends the thread as if nobody had listened. Returns how to stop.
 */
export function takeUncaught(take: (error: unknown) => boolean): () => void {
  const listener = (error: unknown): void => {
    if (isUsers(error) && take(error)) return;
    stop();
    // Once more, for whoever else listens: throwing here would end the process with a status of Node's own.
    setImmediate(() => {
      throw error;
    });
  };
  const stop = (): void => void process.off("uncaughtException", listener);
  process.on("uncaughtException", listener);
  return stop;
}

/** What has no stack was thrown by `throw "text"`, which is not written here. */
function isUsers(error: unknown): boolean {
  const stack = typeof error === "object" && error !== null ? (error as { readonly stack?: unknown }).stack : undefined;
  return typeof stack !== "string" || USERS_FRAME.test(stack);
}
