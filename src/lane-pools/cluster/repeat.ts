/** How often a worker says that it is there. Milliseconds. */
export const ALIVE_MS = 2000;

/** Does something again and again, not before it is done. */
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
