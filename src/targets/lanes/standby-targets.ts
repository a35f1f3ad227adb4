import { fixedPort } from "./lane-count.ts";
import type { TargetConfig } from "../target-config.ts";

/** Maximum number of standby copies of a lane. Starting processes takes CPU time, so additional copies would not be ready sooner. */
const MOST_SPARES = 3;

/**
 * Returns the number of standby copies for each lane with `target.rollback: restart`. Returns 0 if the target's port is fixed.
 *
 * A process reads data when it starts, and seqqa does not know which data. Each standby copy therefore has its own stores, which are set to the
 * wanted state before the process starts. The lane then switches to the next standby copy with its stores and process.
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
