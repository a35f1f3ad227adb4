import type { Output } from "../../reports/index.ts";

/** Returns an output that drops texts while `isHidden` returns `true`, and otherwise writes them to the given output. */
export function hiddenWhile(isHidden: () => boolean, output: Output): Output {
  return withWrite(output, (text) => isHidden() || output.write(text));
}

/** Returns an output with the given function `write`. All other properties are read from the given output whenever they are used. */
export function withWrite(output: Output, write: Output["write"]): Output {
  return {
    write,
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
    get destroyed() {
      return output.destroyed;
    },
    once: (event, listener) => output.once?.(event, listener),
    off: (event, listener) => output.off?.(event, listener),
  };
}
