import { printable, printableLines } from "../../console/text/printable.ts";
import { grouped } from "../../console/text/numbers.ts";
import { escaped } from "../../junit/xml.ts";
import { prettyJson } from "./pretty-json.ts";

/**
 * Escapes a text for HTML. Every text from outside must pass through this function. The result contains no tags, no control characters, and no
 * characters that change the direction of writing.
 */
export const text = (value: string): string => escaped(printable(value));

/** Returns a text of several lines as an escaped `pre` element; empty for an empty text. */
export const block = (value: string): string => (value === "" ? "" : `<pre tabindex="0">${escaped(printableLines(value))}</pre>`);

/** Returns a text as one escaped line of at most `most` characters, with a note if it is cut. */
export const shortText = (value: string, most: number): string => text(cutAfter(value, most, " "));

/** Returns a body, formatted if it is JSON, and cut to `most` characters. The result is not escaped for HTML. */
export function bodyText(body: string, most: number): string {
  return shortened(prettyJson(body), most);
}

/** Cuts a text of several lines to `most` characters. A note on a line of its own says how much is left out. The result is not escaped for HTML. */
export function shortened(value: string, most: number): string {
  return cutAfter(value, most, "\n");
}

function cutAfter(value: string, most: number, beforeNote: string): string {
  if (value.length <= most) return value;
  const last = value.charCodeAt(most - 1);
  const whole = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return `${value.slice(0, whole)}${beforeNote}... ${grouped(value.length - whole)} more characters, left out to limit the size of this file`;
}
