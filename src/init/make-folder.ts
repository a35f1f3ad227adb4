import { lstatSync, mkdirSync, rmdirSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it; `made` gets what undoes each.
 * One folder after another: `recursive` never ends where a file system says of a new name that it is not there, as /proc does.
 */
export function makeFolder(folder: string, made: (() => void)[]): void {
  if (statOf(folder, true) !== undefined) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), made);
  mkdirSync(folder);
  made.push(() => rmdirSync(folder));
}

/** `undefined` for what is not there, and for what cannot be looked at: writing says why. */
export function statOf(path: string, follow = false): Stats | undefined {
  try {
    return follow ? statSync(path) : lstatSync(path);
  } catch {
    return undefined;
  }
}
