import type { Loader, Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";

const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

const META = "seqqa-meta";

/**
 * Returns an esbuild plugin that makes `import.meta`, `__dirname` and `__filename` refer to the user's file instead of the bundle. esbuild's `define`
 * replaces these names with `__seqqa_meta`. The plugin appends an import of `__seqqa_meta` to each file that uses one of the names, at the end of the
 * file, so that no line or column moves. In CommonJS files, a declaration is inserted at the beginning of the first line of code instead, so columns
 * that are reported for that line are too large.
 */
export function ownMeta(): Plugin {
  return {
    name: "seqqa-own-meta",
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        if (!/\bimport\s*\.\s*meta\b|\b__dirname\b|\b__filename\b/.test(text)) return undefined;
        const loader = LOADERS[extname(path)] ?? "js";
        if (isModule(path, text))
          return { contents: `${text}\nimport { __seqqa_meta } from ${JSON.stringify(`${META}:${path}`)};\n`, loader };
        const [hashbang = ""] = /^#!.*\r?\n/.exec(text) ?? [];
        return { contents: `${hashbang}const __seqqa_meta = ${declaration(path)}; ${text.slice(hashbang.length)}`, loader };
      });
      build.onResolve({ filter: new RegExp(`^${META}:`) }, ({ path }) => ({ path: path.slice(META.length + 1), namespace: META }));
      build.onLoad({ filter: /.*/, namespace: META }, ({ path }) => ({
        contents: `import { createRequire } from "node:module"; import { pathToFileURL } from "node:url";
export const __seqqa_meta = ${declaration(path)};
const require = createRequire(__seqqa_meta.url);
__seqqa_meta.resolve = (specifier) => {
  if (/^(?:[a-z][a-z0-9+.-]+:)/i.test(specifier)) return specifier;
  return /^\\.{0,2}\\//.test(specifier) ? new URL(specifier, __seqqa_meta.url).href : pathToFileURL(require.resolve(specifier)).href;
};`,
        loader: "js",
      }));
    },
  };
}

function declaration(path: string): string {
  return JSON.stringify({ url: pathToFileURL(path).href, filename: path, dirname: dirname(path) });
}

function isModule(path: string, text: string): boolean {
  if (/\.c[jt]s$/.test(path)) return false;
  return /\.m[jt]s$/.test(path) || /^\s*(?:import|export)\b/m.test(text) || /\bimport\s*\.\s*meta\b/.test(text);
}
