import type { Config } from "../../config/index.ts";

/** Returns in milliseconds how long idle stores are watched for writes without a request (`target.idle_watch`). */
export const idleMsOf = ({ target }: Config): number => (target?.idleWatch ?? IDLE_WATCH) * 1000;
/** The default of `target.idle_watch` in seconds, for configurations without `target`. */
const IDLE_WATCH = 3;
