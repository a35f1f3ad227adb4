import { cut, printableLines } from "../console/printable.ts";

/** How an annotation is shown. */
export type Level = "error" | "warning" | "notice";

export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly col?: number | undefined;
}

/** Longer messages are cut: an annotation is a few lines above the code. */
const LONGEST = 4000;

/**
 * An annotation as a workflow command, which is one line. By GitHub's rules the message has `%`, CR and LF written as `%25`, `%0D`, `%0A`; properties have `:` and `,` as
 * `%3A` and `%2C`, too.
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
