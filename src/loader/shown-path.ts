import { relative } from "node:path";

/** Returns a path as messages show it: relative to the current folder, or absolute outside of it. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
