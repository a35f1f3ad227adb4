import { relative } from "node:path";

/** Returns a path for messages: relative to the current folder, or absolute if the file is outside this folder. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
