import { createRequire } from "node:module";
import type * as Esbuild from "esbuild";

let loaded: typeof Esbuild | undefined;

/**
 * Returns `esbuild`, which is loaded at the first call, because many commands bundle nothing. It is loaded by `require`, because an `import` of CommonJS
 * also parses its code for the names of its exports, which takes 40 ms.
 */
export function esbuild(): typeof Esbuild {
  return (loaded ??= createRequire(import.meta.url)("esbuild") as typeof Esbuild);
}
