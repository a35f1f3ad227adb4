import type { Output } from "../reporter.ts";

/**
 * Returns an output that cannot trigger commands of GitHub Actions. The runner executes lines that begin with `::`, also after blanks, and lines that
 * contain `##[`. Answers of the target are printed, and must not become commands.
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
 * Breaks `##[` in JSON. `#` occurs only within strings, so the escape keeps the meaning. No line of a JSON document begins with a colon, and no
 * string is split between two pieces.
 */
const inertJson = (text: string): string => text.replaceAll("##[", "#\\u0023[");
