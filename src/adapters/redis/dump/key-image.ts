import type { Bytes, Entry } from "../keys/entry.ts";

/** A snapshot of a state: its differences from the root state, as plain data that can be cloned, sent and written to another lane. */
export interface KeyImage {
  readonly kind: "keys";
  readonly keys: readonly ImageKey[];
  /** Keys of the root state that no longer exist. */
  readonly gone: readonly Bytes[];
}

export interface ImageKey extends Entry {
  readonly key: Bytes;
}

/** Copies the entry, because a restore modifies the expiry time of the original. */
export function imageKey(key: Bytes, entry: Entry): ImageKey {
  return { ...entry, key };
}

export function entryOfImage({ key: _key, ...entry }: ImageKey): Entry {
  return entry;
}

export function isKeyImage(image: unknown): image is KeyImage {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "keys";
}
