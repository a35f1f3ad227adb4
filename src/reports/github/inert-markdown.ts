import { cut, printable } from "../console/printable.ts";

/**
 * Returns text that is safe in Markdown, also in a cell of a table. It is code, in which GitHub looks for neither mentions nor links nor numbers of
 * issues. Everything but letters, digits and blanks is written as references, which are never markup.
 */
export function inertMarkdown(text: string, longest: number = 300): string {
  const shown = cut(printable(text), longest);
  return shown === "" ? "" : `<code>${shown.replace(/[!-/:-@[-`{-~]/g, (one) => `&#${one.charCodeAt(0)};`)}</code>`;
}
