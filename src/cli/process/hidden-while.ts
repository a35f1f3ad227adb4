import type { Output } from "../../reports/index.ts";

/** Returns an output that drops texts while `isHidden` returns `true`, and otherwise writes them to the given output. */
export function hiddenWhile(isHidden: () => boolean, output: Output): Output {
  return {
    write: (text) => isHidden() || output.write(text),
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
