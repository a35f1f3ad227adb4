import { isAbsolute, relative, sep } from "node:path";

/**
 * Returns a file path for messages and reports: relative to the folder in which the command was started, or absolute if the file is outside of that
 * folder.
 */
export function shownPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return (fromHere.startsWith("..") || isAbsolute(fromHere) ? path : fromHere).split(sep).join("/");
}
