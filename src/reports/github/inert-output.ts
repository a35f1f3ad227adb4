import type { Output } from "../reporter.ts";

/**
 * Returns a stream through which the target's answers can be printed without triggering commands of GitHub Actions. The runner executes lines that
 * begin with `::`, also after blanks, and lines that contain `##[`.
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
 * Writes `##[` in JSON with an escape. `#` occurs only inside strings, so the JSON keeps its meaning. Lines of JSON never begin with `::`, and no
 * string is split between two pieces.
 */
const inertJson = (text: string): string => text.replaceAll("##[", "#\\u0023[");
