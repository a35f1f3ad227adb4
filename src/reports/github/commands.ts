import { cut, printableLines } from "../console/text/printable.ts";

export type Level = "error" | "warning" | "notice";

export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly col?: number | undefined;
}

/** The largest number of characters of an annotation's message, because GitHub shows it between two lines of code. */
const LONGEST = 4000;

/**
 * Returns an annotation as a workflow command, which is one line. GitHub requires `%`, CR and LF to be written as `%25`, `%0D`, `%0A`, and in
 * properties also `:` and `,` as `%3A` and `%2C`.
 */
export function command({ level, title, message, file, line, col }: Annotation): string {
  const properties = Object.entries({ file, line, col, title })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${property(String(value))}`)
    .join(",");
  return `::${level} ${properties}::${data(cut(printableLines(message), LONGEST))}\n`;
}

const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(printableLines(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
