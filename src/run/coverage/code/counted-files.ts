import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Config } from "../../../config/index.ts";

/** Returns a function that says if a source file is counted, by its absolute path. */
export function countedFiles({ coverage, folder, target }: Pick<Config, "coverage" | "folder" | "target">): (file: string) => boolean {
  const real = realPath(folder);
  const include = (coverage?.include ?? [realPath(resolve(folder, target?.cwd ?? "."))]).map((glob) => pattern(real, glob));
  const exclude = (coverage?.exclude ?? []).map((glob) => pattern(real, glob));
  return (file) =>
    !file.split(sep).includes("node_modules") && include.some((one) => one.test(file)) && !exclude.some((one) => one.test(file));
}

/** Returns the path by which Node names files in a folder; the path itself if there is no such folder. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** Returns the pattern of a glob: `*` and `?` match within a name, `**` matches any number of folders. The name of a folder matches all files in it. */
function pattern(folder: string, glob: string): RegExp {
  const parts = resolve(folder, glob).split(/(\*\*\/|\*\*|\*|\?)/);
  const source = parts.map((part) => WILDCARDS[part] ?? part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("");
  return new RegExp(`^${source}(?:/.*)?$`, "s");
}

const WILDCARDS: Readonly<Record<string, string>> = { "**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]" };
