import type { Config } from "../../config/index.ts";

/** `target.idle_watch` in milliseconds. */
export const idleMsOf = ({ target }: Config): number => (target?.idleWatch ?? IDLE_WATCH) * 1000;
/** Replaces `target.idle_watch` if there is no target to start. Seconds. */
const IDLE_WATCH = 3;
