import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, extname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ownFile, ownModule, ownSubpaths } from "./own-package.ts";

const RESOLVED = Symbol("seqqa.resolved");
/** The esbuild namespace for CommonJS packages. The bundle requires such a package at run time, so that every named import from it works. */
const COMMON_JS = "seqqa-commonjs";

/**
 * Returns an esbuild plugin that leaves packages outside the bundle and imports them by absolute path. Imports of `seqqa` use the running copy of
 * seqqa.
 */
export function externalPackages(): Plugin {
  return {
    name: "seqqa-external-packages",
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => resolveImport(build, args));
      build.onLoad({ filter: /.*/, namespace: COMMON_JS }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
        loader: "js",
        resolveDir: dirname(path),
      }));
    },
  };
}

async function resolveImport(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
  if (args.kind === "entry-point" || args.pluginData === RESOLVED) return undefined;
  if (args.namespace === COMMON_JS) return { path: args.path, external: true };
  if (isBuiltin(args.path)) return { path: args.path, external: true };
  const own = /^seqqa(\/.*)?$/.exec(args.path);
  if (own !== null) return resolveOwn(args, own[1] ?? "");
  const {
    path: found,
    errors,
    namespace,
    sideEffects,
  } = await build.resolve(args.path, {
    importer: args.importer,
    namespace: args.namespace,
    resolveDir: args.resolveDir,
    kind: args.kind,
    pluginData: RESOLVED,
  });
  if (errors.length > 0) return { errors };
  const running = ownFile(found);
  if (running !== undefined) return external(args, running);
  // Let esbuild itself resolve the user's files, because esbuild ignores tsconfig.json for files that a plugin resolved.
  if (!isPackage(found) && extname(found) !== ".node") return undefined;
  // JSON files of packages are bundled, because Node imports JSON only with an import attribute.
  if (extname(found) === ".json") return { path: found, namespace, sideEffects };
  if (args.kind === "import-statement" && isCommonJs(found)) return { path: found, namespace: COMMON_JS };
  return external(args, found);
}

function resolveOwn(args: OnResolveArgs, subpath: string): OnResolveResult {
  const url = ownModule(subpath);
  if (url !== undefined) return { path: url, external: true };
  const known = ownSubpaths()
    .filter((each) => each !== "/package.json")
    .map((each) => `seqqa${each}`);
  return { errors: [{ text: `The package seqqa has no module "${args.path}". Import one of ${known.join(", ")}` }] };
}

/** Tells esbuild to leave an import outside the bundle. Calls of `require` get the path of the file, and imports get its URL. */
function external(args: OnResolveArgs, file: string): OnResolveResult {
  const required = args.kind === "require-call" || args.kind === "require-resolve";
  return { path: required ? file : pathToFileURL(file).href, external: true };
}

function isPackage(file: string): boolean {
  return file.split(sep).includes("node_modules");
}

/** Returns `true` if Node would load the file as CommonJS. */
function isCommonJs(file: string): boolean {
  const extension = extname(file);
  if (extension !== ".js") return extension === ".cjs" || extension === ".node";
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, "utf8")) as { type?: string }).type !== "module";
    if (folder === dirname(folder) || folder.endsWith(`${sep}node_modules`)) return true;
  }
}
