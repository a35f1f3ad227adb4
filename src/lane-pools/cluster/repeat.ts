/** Interval of the heartbeats that a worker sends, in milliseconds. */
export const ALIVE_MS = 2000;

/** Calls `work` at an interval of `ms` milliseconds. Skips a call if the previous call is still running. */
export function repeat(ms: number, work: () => Promise<void>): NodeJS.Timeout {
  let busy = false;
  return setInterval(() => {
    if (busy) return;
    busy = true;
    work()
      .catch(() => undefined)
      .finally(() => (busy = false));
  }, ms);
}
