import { printable, printableLines } from "../console/printable.ts";
import { grouped } from "../console/numbers.ts";
import { escaped } from "../junit/xml.ts";
import { prettyJson } from "./pretty-json.ts";

/** Longer texts are not looked at as JSON. */
const PARSED = 200_000;

/** Everything that came from elsewhere passes here: no markup, no control characters, no marks that turn the direction of writing. */
export const text = (value: string): string => escaped(printable(value));

/** Several lines of it, one after another. */
export const block = (value: string): string => (value === "" ? "" : `<pre tabindex="0">${escaped(printableLines(value))}</pre>`);

/** A body as people read it, cut to so many characters. */
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
