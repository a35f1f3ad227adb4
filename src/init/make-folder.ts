import { lstatSync, mkdirSync, rmdirSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. A function that removes the folder again is added to `made` for each of them. The folders are created one
 * by one: `recursive` never ends if a file system reports a new name as missing, as /proc does.
 */
export function makeFolder(folder: string, made: (() => void)[]): void {
  if (statOf(folder, true) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), made);
  mkdirSync(folder);
  made.push(() => rmdirSync(folder));
}

/** Returns the facts of a file; `undefined` if it is missing or cannot be examined. A later attempt to write reports the reason. */
export function statOf(path: string, follow = false): Stats | undefined {
  try {
    return follow ? statSync(path) : lstatSync(path);
  } catch {
    return undefined;
  }
}
