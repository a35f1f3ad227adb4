import type { AgentDefinition } from "../model/declare/agent.ts";
import type { LaneBase, LaneOptions } from "../lane/index.ts";
import type { StandbyUse } from "../engine/lane-pool.ts";
import type { LaneSpec } from "../targets/lanes/lane-spec.ts";

/** Builds a lane from its specification, in the thread that will run the lane. */
export type LaneFactory = (
  definition: AgentDefinition<never, never>,
  spec: LaneSpec,
  options: LaneOptions,
  shared: unknown,
) => Promise<BuiltLane>;

export interface BuiltLane {
  readonly base: LaneBase;
  /** Further copies of the lane, for `target.rollback: restart`. */
  readonly spares: readonly LaneBase[];
  /** Closes clients, stores and an in-process target. */
  readonly close: () => Promise<void>;
}

/** Provides the targets and stores of lanes, on the main thread. */
export interface LaneHost extends Partial<ProcessHost> {
  provision(index: number): Promise<LaneSpec>;
  reprovision(index: number, standby?: StandbyUse): Promise<LaneSpec>;
}

/** Ends and starts the process of a lane or of a spare, by number. */
export interface ProcessHost {
  halt(index: number): Promise<void>;
  start(index: number): Promise<void>;
}
