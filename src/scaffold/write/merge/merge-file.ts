import type { ScaffoldFile } from "../files/scaffold-file.ts";
import { hashOf, type Manifest } from "./manifest.ts";

export type Settled =
  | { readonly kind: "write"; readonly text: string; readonly hash: string | undefined; readonly left: readonly string[] }
  | { readonly kind: "keep"; readonly why: "edited" | "deleted" | "yours" | undefined; readonly hash: string | undefined }
  /** The user created a file with a name that other generated files import. */
  | { readonly kind: "conflict" };

export function settleFile(file: ScaffoldFile, existing: string | undefined, manifest: Manifest, force: boolean): Settled {
  const { path, text, isImported, extend } = file;
  const before = Object.hasOwn(manifest.files, path) ? manifest.files[path] : undefined;
  const write: Settled = { kind: "write", text, hash: hashOf(text), left: [] };
  if (existing === text) return { kind: "keep", why: undefined, hash: hashOf(text) };
  if (force) return write;
  // Write a file again that the user deleted only if other generated files import it.
  if (existing === undefined) return before === undefined || isImported ? write : { kind: "keep", why: "deleted", hash: before };
  if (before === undefined) return isImported ? { kind: "conflict" } : { kind: "keep", why: "yours", hash: undefined };
  if (hashOf(existing) === before) return write;
  const extended = extend?.(existing);
  if (extended === undefined || (extended.text === existing && extended.left.length === 0))
    return { kind: "keep", why: "edited", hash: before };
  return { kind: "write", text: extended.text, hash: before, left: extended.left };
}
