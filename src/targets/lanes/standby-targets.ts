import { fixedPort } from "./lane-count.ts";
import type { TargetConfig } from "../target-config.ts";

/** A start is work for the processor for most of its time: more spares than cores would only wait for one another. */
const MOST_SPARES = 3;

/**
 * How many spares a lane gets with `target.rollback: restart`.
 *
 * A spare that is started ahead must not have read anything of another state, and when and what a process reads cannot be known.
 * So it does not share the lane's stores: it has copies of its own, which are written to the wanted state before it starts. A hand-over
 * is then a change to the next copy of the lane, stores and process together. None where the port is fixed.
 */
export function spareCount(config: TargetConfig, { cores, lanes }: { readonly cores: number; readonly lanes: number }): number {
  if (!restarts(config) || fixedPort(config) !== undefined) return 0;
  return Math.min(MOST_SPARES, Math.max(1, Math.floor(cores / lanes)));
}

/** Whether the lanes' processes are started anew before each branch. */
export function restarts({ target }: TargetConfig): boolean {
  return target?.rollback === "restart" && target.command !== undefined;
}

/** The number of a lane's spare; lanes come first. */
export function spareNumber(lane: number, spare: number, lanes: number): number {
  return lanes * (spare + 1) + lane;
}
