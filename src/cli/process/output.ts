import type { Output } from "../../reports/index.ts";

/** Returns an output that drops texts while `isHidden` returns `true`, and otherwise writes them to the given output. */
export function hiddenWhile(isHidden: () => boolean, output: Output): Output {
  return withWrite(output, (text) => isHidden() || output.write(text));
}

/** Returns an output with another function `write`, and with the properties that the given output has at the time of their use. */
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
