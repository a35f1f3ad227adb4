import { cut, printable } from "../console/printable.ts";

/**
 * Text as it may stand in Markdown, also in a cell of a table: as code, where neither mentions nor links nor numbers of issues are looked for, and with everything but
 * letters, digits and blanks as references, which are never markup.
 */
export function inert(text: string, longest: number = 300): string {
  const shown = cut(printable(text), longest);
  return shown === "" ? "" : `<code>${shown.replace(/[!-/:-@[-`{-~]/g, (one) => `&#${one.charCodeAt(0)};`)}</code>`;
}
