import type { Metafile } from "esbuild";
import { createHash } from "node:crypto";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isOwn, ownPath } from "./own-package.ts";

const NAMESPACE = /^[\w-]{2,}:(.*)$/;

/**
 * Returns the SHA-256 of bundled code: equal as long as the user's code is, in whatever folder it was checked out. Files that the code names by their
 * place (packages, values of `import.meta`) count by their path from the entry, and seqqa's own files by their path in seqqa.
 */
export function codeHash(code: string, source: string, { inputs, outputs }: Metafile): string {
  const named = [
    source,
    ...Object.keys(inputs).flatMap((input) => placesOf(NAMESPACE.exec(input)?.[1] ?? resolve(dirname(source), input))),
    ...Object.values(outputs).flatMap(({ imports }) => imports.flatMap(({ path }) => placesOf(path))),
  ];
  // The longest path comes first, so that no path is taken for the beginning of another one.
  const files = [...new Set(named)].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  // The name of the map contains a hash of its own.
  let text = code.replace(/^\/\/# sourceMappingURL=.*$/m, "");
  for (const file of files) {
    const shown = isOwn(file) ? `seqqa:${ownPath(file)}` : `from:${relative(dirname(source), file)}`;
    const written = JSON.stringify(shown.split(sep).join("/")).slice(1, -1);
    for (const form of [pathToFileURL(file).href, JSON.stringify(file).slice(1, -1)]) text = text.replaceAll(`"${form}"`, `"${written}"`);
    text = text.replaceAll(`seqqa-meta:${file}`, written).replaceAll(`seqqa-commonjs:${file}`, written);
  }
  return createHash("sha256").update(text).digest("hex");
}

/** Returns a file, and its folder, which `import.meta.dirname` names. */
function placesOf(path: string): readonly string[] {
  const file = path.startsWith("file:") ? fileURLToPath(path) : path;
  return isAbsolute(file) ? [resolve(file), dirname(resolve(file))] : [];
}
