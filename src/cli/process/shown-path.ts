import { shownPath } from "../../reports/console/text/shown-path.ts";

export { shownPath };

/** Replaces the absolute path of a file in an error message by the path that is shown to the user. */
export function shownMessage(message: string, path: string, cwd: string): string {
  return message.replaceAll(path, shownPath(path, cwd));
}
