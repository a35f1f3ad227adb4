import { createRequire } from "node:module";
import type * as esbuild from "esbuild";

// `require`, because an `import` of CommonJS also parses its code for the names of its exports, which takes 40 ms, as long as everything else.
const package_ = createRequire(import.meta.url)("esbuild") as typeof esbuild;

export const build: typeof esbuild.build = package_.build;
export const transform: typeof esbuild.transform = package_.transform;
