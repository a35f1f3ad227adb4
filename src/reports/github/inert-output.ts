import type { Output } from "../reporter.ts";

/**
 * Returns a safe output for a step of GitHub Actions. Its runner takes lines of both streams for commands: lines that begin with `::` after blanks,
 * and lines with `##[` anywhere. Answers of the target are printed, and must not become commands.
 */
export function inertOutput(output: Output, kind: "text" | "json"): Output {
  return {
    write: (text) => output.write(kind === "json" ? inertJson(text) : inertText(text)),
    isTTY: output.isTTY,
    columns: output.columns,
    get destroyed() {
      return output.destroyed;
    },
    ...(output.once && {
      once: (event, listener) => output.once?.(event, listener),
      off: (event, listener) => output.off?.(event, listener),
    }),
  };
}

const inertText = (text: string): string => text.replace(/^([^\S\n]*):(?=:)/gm, "$1\\x3a").replaceAll("##[", "#\\x23[");

/**
 * No line of a document begins with a colon. `#` occurs only within strings, where an escape is equivalent. No string is divided between two pieces.
 */
const inertJson = (text: string): string => text.replaceAll("##[", "#\\u0023[");
