import { fileURLToPath, pathToFileURL } from "node:url";
import type { Source } from "./source.ts";

/** The key of the document under which the contents of other files are stored. */
export const FILES = "x-seqqa-files";

/** Returns `true` for a local `$ref` that points to the copy of a whole file. The last part of such a `$ref` is not the name of a schema. */
export function isWholeFile(ref: string): boolean {
  return new RegExp(`^#/${FILES}/\\d+$`).test(ref);
}

/** Returns the part of a `$ref` after `#`: a JSON pointer, or an empty text if the `$ref` has no such part. */
export function fragmentOf(ref: string): string {
  const hash = ref.indexOf("#");
  return hash < 0 ? "" : ref.slice(hash + 1);
}

export function keyOf(source: Source): string {
  return source.kind === "file" ? source.path : source.url.href;
}

/**
 * Returns the file or URL to which a `$ref` points. This function does not check if seqqa may read the file or URL. Returns `undefined` if the `$ref`
 * has another scheme.
 */
export function sourceOf(ref: string, from: Source): Source | undefined {
  const hash = ref.indexOf("#");
  const written = hash < 0 ? ref : ref.slice(0, hash);
  const base = from.kind === "file" ? pathToFileURL(from.path) : from.url;
  if (!URL.canParse(written, base.href)) return undefined;
  const url = new URL(written, base);
  if (url.protocol === "http:" || url.protocol === "https:") return { kind: "url", url };
  if (url.protocol !== "file:") return undefined;
  try {
    return { kind: "file", path: fileURLToPath(url) };
  } catch {
    // `fileURLToPath` throws for a file URL with a host or an encoded slash. Such a URL names no file on this machine.
    return undefined;
  }
}
