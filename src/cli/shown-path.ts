import { isAbsolute, relative, sep } from "node:path";

/** A path as messages and reports show it: from the folder that the command was started in, or absolute outside of it. */
export function shownPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return (fromHere.startsWith("..") || isAbsolute(fromHere) ? path : fromHere).split(sep).join("/");
}

/** What an error says of a file, with the file as the user would write it. */
export function shownMessage(message: string, path: string, cwd: string): string {
  return message.replaceAll(path, shownPath(path, cwd));
}
