import type { Observed } from "../../model/stores/store-adapter.ts";

/** All the facts that decide which state a lane is in. */
export interface Facts {
  readonly systems: Readonly<Record<string, Observed>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Acting state (token, headers, cookies) by role; only roles that differ from how they were constructed. */
  readonly clients: Readonly<Record<string, unknown>>;
  /** The node of the world in a state graph; absent without one. Its name is taken as it is: no id in it is renamed, no rule leaves it out. */
  readonly node?: string | undefined;
}

/** 64 bits as two signed 32-bit halves, so that it fits typed arrays without a bigint. */
export interface Fingerprint {
  lo: number;
  hi: number;
}
