import { fileURLToPath, pathToFileURL } from "node:url";
import type { Source } from "./source.ts";

/** The key of the document under which the files are added that it refers to. */
export const FILES = "x-seqqa-files";

/** Returns the part of a reference behind `#`: a JSON pointer, or empty for the whole file. */
export function fragmentOf(ref: string): string {
  const hash = ref.indexOf("#");
  return hash < 0 ? "" : ref.slice(hash + 1);
}

/** Returns a key that identifies a file. */
export function keyOf(source: Source): string {
  return source.kind === "file" ? source.path : source.url.href;
}

/** Returns the file of a reference, even if it may not be read; `undefined` for a reference that is neither a file nor a URL of http or https. */
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
    // A file URL with a host, or with an encoded slash, has no path.
    return undefined;
  }
}
