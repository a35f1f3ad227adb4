import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { codeRoot, packageRoot, runsFromSource } from "../model/code-root.ts";

const codeFolder = resolve(fileURLToPath(codeRoot));
const packageFolder = resolve(fileURLToPath(packageRoot));

/** Returns the subpaths of the package `seqqa` that can be imported: `""`, `/adapters/http`, ... */
export function ownSubpaths(): readonly string[] {
  return Object.keys(ownExports()).map((key) => key.slice(1));
}

/**
 * Returns the URL of the file for an import of `seqqa<subpath>`. The file is in the running copy of seqqa, so that every class exists only once.
 * Returns `undefined` if the subpath is not exported.
 */
export function ownModule(subpath: string): string | undefined {
  const target = ownExports()[`.${subpath}`];
  const path = typeof target === "string" ? target : target?.default;
  if (path === undefined) return undefined;
  return pathToFileURL(ownFile(join(packageFolder, path)) ?? join(packageFolder, path)).href;
}

/**
 * Returns the file of the running seqqa that corresponds to a file in `src` or `dist`. Returns `undefined` for other files, and for modules that the
 * build merged into other files.
 */
export function ownFile(path: string): string | undefined {
  for (const folder of ["src", "dist"]) {
    const inside = relative(join(packageFolder, folder), path);
    if (inside.startsWith("..") || !/\.(?:js|ts)$/.test(inside)) continue;
    const running = join(codeFolder, inside.replace(/\.(?:js|ts)$/, runsFromSource ? ".ts" : ".js"));
    return existsSync(running) ? running : undefined;
  }
  return undefined;
}

export function isOwn(path: string): boolean {
  return ["src", "dist", "bin"].some((folder) => path.startsWith(join(packageFolder, folder) + sep));
}

/** Returns the path of one of seqqa's files relative to the package, as it is after the build (`dist/...`). */
export function ownPath(path: string): string {
  return relative(packageFolder, path)
    .replace(/^src\b/, "dist")
    .replace(/\.ts$/, ".js");
}

type Export = string | { readonly default?: string };

function ownExports(): Readonly<Record<string, Export>> {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { exports: Readonly<Record<string, Export>> };
  return manifest.exports;
}
