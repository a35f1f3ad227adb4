import { shownPath } from "../../reports/console/shown-path.ts";

export { shownPath };

/** Returns an error message in which the absolute path of a file is replaced by the path for display. */
export function shownMessage(message: string, path: string, cwd: string): string {
  return message.replaceAll(path, shownPath(path, cwd));
}
