import type { Observed } from "../../model/stores/store-adapter.ts";

export interface Facts {
  readonly systems: Readonly<Record<string, Observed>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** The credentials of clients (token, headers, cookies) by role. Only clients that differ from their initial state are included. */
  readonly clients: Readonly<Record<string, unknown>>;
  /** The current node of the state graph; absent without a graph. The node's name is never ignored, and ids in the name are not renamed. */
  readonly node?: string | undefined;
}

/** A 64-bit hash as two signed 32-bit halves, so that it fits into typed arrays without a bigint. */
export interface Fingerprint {
  lo: number;
  hi: number;
}

export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.lo === b.lo && a.hi === b.hi;
}
