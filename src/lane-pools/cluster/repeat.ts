/** Interval of a worker's heartbeat, in milliseconds. */
export const ALIVE_MS = 2000;

/** Repeats work at an interval. A call is skipped while the previous one runs. */
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
