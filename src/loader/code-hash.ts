import type { Metafile } from "esbuild";
import { createHash } from "node:crypto";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isOwn, ownPath } from "./own-package.ts";

const NAMESPACE = /^[\w-]{2,}:(.*)$/;

/**
 * SHA-256 of bundled code: equal as long as the user's code is, wherever its checkout lies. Files that the code names by their place (packages, what
 * `import.meta` says) count by where they are from the entry, and seqqa's own by where they are in seqqa.
 */
export function codeHash(code: string, source: string, { inputs, outputs }: Metafile): string {
  const named = [
    source,
    ...Object.keys(inputs).flatMap((input) => placesOf(NAMESPACE.exec(input)?.[1] ?? resolve(dirname(source), input))),
    ...Object.values(outputs).flatMap(({ imports }) => imports.flatMap(({ path }) => placesOf(path))),
  ];
  // The longest first, so that none is taken for the beginning of another one.
  const files = [...new Set(named)].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  // The name of the map holds a hash of its own.
  let text = code.replace(/^\/\/# sourceMappingURL=.*$/m, "");
  for (const file of files) {
    const shown = isOwn(file) ? `seqqa:${ownPath(file)}` : `from:${relative(dirname(source), file)}`;
    const written = JSON.stringify(shown.split(sep).join("/")).slice(1, -1);
    for (const form of [pathToFileURL(file).href, JSON.stringify(file).slice(1, -1)]) text = text.replaceAll(`"${form}"`, `"${written}"`);
    text = text.replaceAll(`seqqa-meta:${file}`, written).replaceAll(`seqqa-commonjs:${file}`, written);
  }
  return createHash("sha256").update(text).digest("hex");
}

/** A file, and the folder that it is in, which `import.meta.dirname` names. */
function placesOf(path: string): readonly string[] {
  const file = path.startsWith("file:") ? fileURLToPath(path) : path;
  return isAbsolute(file) ? [resolve(file), dirname(resolve(file))] : [];
}
