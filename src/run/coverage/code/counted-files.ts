import { resolve, sep } from "node:path";
import type { Config } from "../../../config/index.ts";

/** Returns a function that says if a source file is counted, by its absolute path. */
export function countedFiles({ coverage, folder, target }: Pick<Config, "coverage" | "folder" | "target">): (file: string) => boolean {
  const include = (coverage?.include ?? [target?.cwd ?? folder]).map((glob) => pattern(folder, glob));
  const exclude = (coverage?.exclude ?? []).map((glob) => pattern(folder, glob));
  return (file) =>
    !file.split(sep).includes("node_modules") && include.some((one) => one.test(file)) && !exclude.some((one) => one.test(file));
}

/** Returns the pattern of a glob: `*` and `?` match within a name, `**` matches any number of folders. The name of a folder matches all files in it. */
function pattern(folder: string, glob: string): RegExp {
  const parts = resolve(folder, glob).split(/(\*\*\/|\*\*|\*|\?)/);
  const source = parts.map((part) => WILDCARDS[part] ?? part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("");
  return new RegExp(`^${source}(?:/.*)?$`, "s");
}

const WILDCARDS: Readonly<Record<string, string>> = { "**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]" };
