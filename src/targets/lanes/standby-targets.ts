import { fixedPort } from "./lane-count.ts";
import type { TargetConfig } from "../target-config.ts";

/** The maximum number of standby copies of a lane. More copies would not be ready sooner, because starting their processes takes CPU time. */
const MOST_SPARES = 3;

/**
 * Returns the number of standby copies for each lane with `target.rollback: restart`. Returns 0 if the target's port is fixed.
 *
 * A process reads data when it starts, and seqqa does not know which data. Each standby copy therefore has its own stores. seqqa sets the stores to
 * the wanted state before it starts the process of the copy. To restore the state, the lane then switches to this copy.
 */
export function spareCount(config: TargetConfig, { cores, lanes }: { readonly cores: number; readonly lanes: number }): number {
  if (!restarts(config) || fixedPort(config) !== undefined) return 0;
  return Math.min(MOST_SPARES, Math.max(1, Math.floor(cores / lanes)));
}

/** Returns `true` if restoring a state includes a restart of the target's process. */
export function restarts({ target }: TargetConfig): boolean {
  return target?.rollback === "restart" && target.command !== undefined;
}

/** Returns the number that identifies a standby copy in the names of stores and directories. Numbers below `lanes` belong to the lanes themselves. */
export function spareNumber(lane: number, spare: number, lanes: number): number {
  return lanes * (spare + 1) + lane;
}
