import { HIDDEN, type IsHidden } from "./field-names.ts";
import { hideInText } from "./hide-in-text.ts";

/** Matches `context.user["the password"] = "x"`, with `- ` or `+ ` before it where states are compared. */
const VALUE = /^((?:[-+] |\s+)?)((?:"(?:[^"\\]|\\.)*"|[^\s"=])+)( = )([^]+)$/;

/** Hides in a line of a described state: a value at a path whose names count, or a row whose columns are fields. */
export function hideInStateLine(line: string, isHidden: IsHidden, seen: (value: string) => void): string {
  const [, mark, path, between, value] = VALUE.exec(line) ?? [];
  if (path === undefined || value === "null") return hideInText(line, isHidden, seen);
  const names = path.match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? [];
  if (!names.some((name) => isHidden(name.replace(/^"|"$/g, "")))) return hideInText(line, isHidden, seen);
  seen(value!.replace(/^"|"$/g, ""));
  return `${mark}${path}${between}${HIDDEN}`;
}
