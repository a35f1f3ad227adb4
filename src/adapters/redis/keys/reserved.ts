import type { Bytes } from "./entry.ts";

/** Keys of ours begin with it. They are no part of any state. */
export const RESERVED = "__seqqa__:";

export function isReserved(key: Bytes): boolean {
  return key.startsWith(RESERVED);
}
