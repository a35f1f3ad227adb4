import { isAbsolute, relative, sep } from "node:path";

/** Returns a path as messages and reports show it: relative to the folder that the command was started in, or absolute outside of it. */
export function shownPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return (fromHere.startsWith("..") || isAbsolute(fromHere) ? path : fromHere).split(sep).join("/");
}
