import { fixedPort } from "./lane-count.ts";
import type { TargetConfig } from "../target-config.ts";

/** Starting a process mostly takes processor time, so spares beyond the number of cores would only wait for one another. */
const MOST_SPARES = 3;

/**
 * Returns how many spares a lane gets with `target.rollback: restart`; 0 where the port is fixed.
 *
 * A spare that is started ahead must not have read anything of another state, and it is unknown when and what a process reads. So it does not share
 * the lane's stores. It has copies of its own, which are written to the wanted state before it starts. A hand-over is then a change to the next copy
 * of the lane, stores and process together.
 */
export function spareCount(config: TargetConfig, { cores, lanes }: { readonly cores: number; readonly lanes: number }): number {
  if (!restarts(config) || fixedPort(config) !== undefined) return 0;
  return Math.min(MOST_SPARES, Math.max(1, Math.floor(cores / lanes)));
}

/** Returns `true` if the lanes' processes are restarted before each branch. */
export function restarts({ target }: TargetConfig): boolean {
  return target?.rollback === "restart" && target.command !== undefined;
}

/** Returns the number of a lane's spare. The numbers of lanes come first. */
export function spareNumber(lane: number, spare: number, lanes: number): number {
  return lanes * (spare + 1) + lane;
}
