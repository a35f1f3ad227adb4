import type { Output } from "../reporter.ts";

const EVENTS = ["drain", "error", "close"] as const;

/** Writes a text piece by piece, and waits wherever the reader is slower: what is not read yet does not pile up in memory. Where the reader went away, it ends. */
export async function writePieces(output: Output, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (output.destroyed === true) return;
    if (output.write(piece) === false) await drained(output);
  }
}

/** What is destroyed says so, and does not drain any more. */
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
