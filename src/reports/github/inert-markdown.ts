import { cut, printable } from "../console/printable.ts";

/**
 * Returns text that is safe in Markdown, including table cells. GitHub finds no mentions, links or issue numbers in it, because the text is code.
 * Punctuation is written as character references, which are never markup.
 */
export function inertMarkdown(text: string, longest: number = 300): string {
  const shown = cut(printable(text), longest);
  return shown === "" ? "" : `<code>${shown.replace(/[!-/:-@[-`{-~]/g, (one) => `&#${one.charCodeAt(0)};`)}</code>`;
}
