import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Config } from "../../../config/index.ts";

/** Returns a function that takes the absolute path of a source file and returns `true` if the file is counted. */
export function countedFiles({ coverage, folder, target }: Pick<Config, "coverage" | "folder" | "target">): (file: string) => boolean {
  const real = realPath(folder);
  const include = (coverage?.include ?? [realPath(resolve(folder, target?.cwd ?? "."))]).map((glob) => pattern(real, glob));
  const exclude = (coverage?.exclude ?? []).map((glob) => pattern(real, glob));
  return (file) =>
    !file.split(sep).includes("node_modules") && include.some((one) => one.test(file)) && !exclude.some((one) => one.test(file));
}

/**
 * Returns a folder's path with symbolic links resolved, because Node names files in this way. Returns the given path if the folder does not exist.
 */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/**
 * Returns the pattern of a glob: `*` and `?` match within a name, and `**` matches any number of folders. A glob that names a folder matches all
 * files in the folder.
 */
function pattern(folder: string, glob: string): RegExp {
  const parts = resolve(folder, glob).split(/(\*\*\/|\*\*|\*|\?)/);
  const source = parts.map((part) => WILDCARDS.get(part) ?? part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("");
  return new RegExp(`^${source}(?:/.*)?$`, "s");
}

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ["**/", "(?:[^/]+/)*"],
  ["**", ".*"],
  ["*", "[^/]*"],
  ["?", "[^/]"],
]);
