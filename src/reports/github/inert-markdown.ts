import { cut, printable } from "../console/text/printable.ts";

/**
 * Returns a text as Markdown code, so that GitHub finds no mentions, links or issue numbers in it. Punctuation is written as character references,
 * which are never markup, even in table cells.
 */
export function inertMarkdown(text: string, longest: number = 300): string {
  const shown = cut(printable(text), longest);
  return shown === "" ? "" : `<code>${shown.replace(/[!-/:-@[-`{-~]/g, (one) => `&#${one.charCodeAt(0)};`)}</code>`;
}
