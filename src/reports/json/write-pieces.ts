import type { Output } from "../reporter.ts";

const EVENTS = ["drain", "error", "close"] as const;

/**
 * Writes a text piece by piece. Waits for a slow reader of the stream, so that unread text does not fill the memory. Stops when the reader closes the
 * stream.
 */
export async function writePieces(output: Output, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (output.destroyed === true) return;
    if (output.write(piece) === false) await drained(output);
  }
}

/** Waits until the stream accepts text again, has failed or is closed. Does not wait for a destroyed stream, which sends no such event. */
function drained(output: Output): Promise<void> {
  return new Promise((resolve) => {
    if (output.once === undefined || output.destroyed === true) return resolve();
    const done = (): void => {
      for (const event of EVENTS) output.off?.(event, done);
      resolve();
    };
    for (const event of EVENTS) output.once(event, done);
  });
}
