import type { Config } from "../../config/index.ts";

/** Returns `target.idle_watch` in milliseconds. */
export const idleMsOf = ({ target }: Config): number => (target?.idleWatch ?? IDLE_WATCH) * 1000;
/** Default in seconds, for configurations without `target`. */
const IDLE_WATCH = 3;
