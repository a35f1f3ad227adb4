import { fileURLToPath, pathToFileURL } from "node:url";
import type { Source } from "./source.ts";

/** Where the files that a description refers to are put in it. */
export const FILES = "x-seqqa-files";

/** The part of a reference behind `#`: a JSON pointer, or empty for the whole file. */
export function fragmentOf(ref: string): string {
  const hash = ref.indexOf("#");
  return hash < 0 ? "" : ref.slice(hash + 1);
}

/** What tells one file from another. */
export function keyOf(source: Source): string {
  return source.kind === "file" ? source.path : source.url.href;
}

/** The file of a reference, whether it may be read or not; `undefined` for one that is neither a file nor a URL of http. */
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
    // A host, or an encoded slash.
    return undefined;
  }
}
