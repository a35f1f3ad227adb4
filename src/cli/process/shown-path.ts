import { shownPath } from "../../reports/console/shown-path.ts";

export { shownPath };

/** Returns the message of an error with the file as the user would write it. */
export function shownMessage(message: string, path: string, cwd: string): string {
  return message.replaceAll(path, shownPath(path, cwd));
}
