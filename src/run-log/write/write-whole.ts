import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** For reports: what an API answers may be nobody else's business. */
export const OWN_ONLY = 0o600;

/** Writes a file, from pieces of its text, so that a reader never sees half of it, and a failure leaves the one that was there. `mode`: who may read it. */
export function writeWhole(file: string, pieces: Iterable<string>, mode: number = 0o666): void {
  const beside = `${file}.${process.pid}.tmp`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    const open = openSync(beside, "w", mode);
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
