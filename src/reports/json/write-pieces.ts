import type { Output } from "../reporter.ts";

const EVENTS = ["drain", "error", "close"] as const;

/** Writes a text piece by piece. Waits for a slow reader, so that unread text does not fill the memory. Stops when the reader disconnects. */
export async function writePieces(output: Output, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (output.destroyed === true) return;
    if (output.write(piece) === false) await drained(output);
  }
}

/** Resolves when the output has drained, failed or closed. Resolves at once for a destroyed output, which never drains. */
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
