import { printable, printableLines } from "../console/printable.ts";
import { grouped } from "../console/numbers.ts";
import { escaped } from "../junit/xml.ts";
import { prettyJson } from "./pretty-json.ts";

/** Longer texts are not parsed as JSON. */
const PARSED = 200_000;

/**
 * Makes a text safe: every text from outside passes through this function. The result has no markup, no control characters, no marks that turn the
 * direction of writing.
 */
export const text = (value: string): string => escaped(printable(value));

/** Returns a safe text of several lines. */
export const block = (value: string): string => (value === "" ? "" : `<pre tabindex="0">${escaped(printableLines(value))}</pre>`);

/** Returns a body in readable form, cut to `most` characters. */
export function bodyText(body: string, most: number): string {
  const shown = body.length <= PARSED ? prettyJson(body) : body;
  return shortened(shown, most);
}

export function shortened(value: string, most: number): string {
  if (value.length <= most) return value;
  const last = value.charCodeAt(most - 1);
  const whole = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return `${value.slice(0, whole)}\n... ${grouped(value.length - whole)} more characters, left out for the size of this file`;
}
