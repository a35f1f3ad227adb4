import type { Bytes } from "./entry.ts";

/** The prefix of seqqa's own keys, which are not part of any state. */
export const RESERVED = "__seqqa__:";

export function isReserved(key: Bytes): boolean {
  return key.startsWith(RESERVED);
}
