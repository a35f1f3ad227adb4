import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. The folders are created one by one, because `mkdir` with `recursive` never ends on file systems such as
 * /proc.
 */
export function ensureFolder(folder: string): void {
  if (make(folder) !== "ENOENT") return;
  if (dirname(folder) !== folder) ensureFolder(dirname(folder));
  if (make(folder) === "ENOENT") throw Object.assign(new Error(`${folder} cannot be created`), { code: "ENOENT" });
}

/** Creates one folder, which may exist. Returns `ENOENT` if its parent is missing. */
function make(folder: string): "ENOENT" | undefined {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "ENOENT";
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
  return undefined;
}
