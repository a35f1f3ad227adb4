import type { Bytes } from "./entry.ts";

/** The prefix of our own keys. They are no part of any state. */
export const RESERVED = "__seqqa__:";

export function isReserved(key: Bytes): boolean {
  return key.startsWith(RESERVED);
}
