import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file, from pieces of its text, so that a reader never sees half of it, and a failure leaves the one that was there. */
export function writeWhole(file: string, pieces: Iterable<string>): void {
  const beside = `${file}.${process.pid}.tmp`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    const open = openSync(beside, "w");
    try {
      for (const piece of pieces) writeFileSync(open, piece);
    } finally {
      closeSync(open);
    }
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
