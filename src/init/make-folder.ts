import { lstatSync, mkdirSync, rmdirSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. For each created folder, adds a function to `made` that removes the folder again. The folders are created
 * one by one, because `mkdir` with `recursive` hangs on file systems such as /proc.
 */
export function makeFolder(folder: string, made: (() => void)[]): void {
  if (statOf(folder, true) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), made);
  mkdirSync(folder);
  made.push(() => rmdirSync(folder));
}

/**
 * Returns the metadata of a file; `undefined` if the file is missing or cannot be examined. The reason is not needed here, because a later attempt to
 * write the file fails with the same reason.
 */
export function statOf(path: string, follow = false): Stats | undefined {
  try {
    return follow ? statSync(path) : lstatSync(path);
  } catch {
    return undefined;
  }
}
