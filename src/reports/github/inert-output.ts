import type { Output } from "../reporter.ts";

/**
 * An output of a step of GitHub Actions, whose runner takes lines of both streams for commands: those that begin with `::`, blanks aside, and those with `##[` anywhere.
 * What the target answered is printed, and must not become one.
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

/** No line of a document begins with a colon, and `#` stands in texts alone, where an escape is the same. No text of it is in two pieces. */
const inertJson = (text: string): string => text.replaceAll("##[", "#\\u0023[");
