import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ensureFolder } from "./ensure-folder.ts";

/** File mode that allows only the owner to read a report, because answers of an API may be private. */
export const OWN_ONLY = 0o600;

/**
 * Writes a file atomically: a reader never sees a part of the file, and the previous file remains if writing fails.
 * @param pieces The text, in parts.
 * @param mode The file mode.
 */
export function writeWhole(file: string, pieces: Iterable<string>, mode: number = 0o666): void {
  const beside = `${file}.${process.pid}.tmp`;
  ensureFolder(dirname(file));
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
