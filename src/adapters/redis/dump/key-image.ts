import type { Bytes, Entry } from "../keys/entry.ts";

/** A state as its difference from the root: plain data that can be cloned, sent and written into another lane. */
export interface KeyImage {
  readonly kind: "keys";
  readonly keys: readonly ImageKey[];
  /** Keys of the root that no longer exist. */
  readonly gone: readonly Bytes[];
}

export interface ImageKey extends Entry {
  readonly key: Bytes;
}

/** Returns a copy: the entry itself changes when it is restored with a new expiry time. */
export function imageKey(key: Bytes, entry: Entry): ImageKey {
  return { ...entry, key };
}

export function entryOfImage({ type, dump, at, left, readMs, value }: ImageKey): Entry {
  return { type, dump, at, left, readMs, value };
}

export function isKeyImage(image: unknown): image is KeyImage {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "keys";
}
