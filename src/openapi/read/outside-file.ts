import { fileURLToPath, pathToFileURL } from "node:url";
import type { Source } from "./source.ts";

/** The key of the document under which referenced files are stored. */
export const FILES = "x-seqqa-files";

/** Returns the part of a reference after `#`: a JSON pointer, or an empty text for the whole file. */
export function fragmentOf(ref: string): string {
  const hash = ref.indexOf("#");
  return hash < 0 ? "" : ref.slice(hash + 1);
}

export function keyOf(source: Source): string {
  return source.kind === "file" ? source.path : source.url.href;
}

/** Returns the file or URL of a reference. It does not check if reading is allowed. Returns `undefined` for other kinds of references. */
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
    // A file URL with a host or an encoded slash has no path.
    return undefined;
  }
}
