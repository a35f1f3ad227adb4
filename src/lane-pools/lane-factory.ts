import type { SeqqaError } from "../model/errors.ts";
import type { AgentDefinition } from "../model/declare/agent.ts";
import type { LaneBase, LaneOptions } from "../lane/index.ts";
import type { StandbyUse } from "../engine/lane-pool.ts";
import type { LaneSpec } from "../targets/lanes/lane-spec.ts";

/** Builds a lane from its specification. Called in the thread that will use the lane. */
export type LaneFactory = (
  definition: AgentDefinition<never, never>,
  spec: LaneSpec,
  options: LaneOptions,
  shared: unknown,
) => Promise<BuiltLane>;

export interface BuiltLane {
  readonly base: LaneBase;
  /** Copies of the lane that prepare the next actions, for `target.rollback: restart`. */
  readonly spares: readonly LaneBase[];
  /** `true` if the lane uses stores of the user in place, which `close` restores. */
  readonly isExternal: boolean;
  /**
   * Closes the clients, the stores and an in-process target of the lane. Throws `ROWS_UNDONE` if rows of its external stores were written and no
   * action explains the write. With `later`, passes this error to `later` instead, so that closing a lane in order to rebuild it does not end the
   * run.
   */
  readonly close: (later?: (problem: SeqqaError) => void) => Promise<void>;
}

/** Provides targets and stores for lanes. Only exists on the main thread. */
export interface LaneHost extends Partial<ProcessHost> {
  provision(index: number): Promise<LaneSpec>;
  reprovision(index: number, standby?: StandbyUse): Promise<LaneSpec>;
}

/** Ends and starts the processes of targets. Each lane, and each copy of a lane, has a number that identifies its process. */
export interface ProcessHost {
  halt(index: number): Promise<void>;
  start(index: number): Promise<void>;
}
