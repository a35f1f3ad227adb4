import { lstatSync, mkdirSync, rmdirSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and its missing parents; `made` receives a function that undoes each. Folders are made one after another, because `recursive` never
 * ends if a file system reports a new name as missing, as /proc does.
 */
export function makeFolder(folder: string, made: (() => void)[]): void {
  if (statOf(folder, true) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), made);
  mkdirSync(folder);
  made.push(() => rmdirSync(folder));
}

/** Returns `undefined` for a missing file, and for one that cannot be examined: writing to it reports why. */
export function statOf(path: string, follow = false): Stats | undefined {
  try {
    return follow ? statSync(path) : lstatSync(path);
  } catch {
    return undefined;
  }
}
