import type { ExplorationEvent } from "../../engine/events.ts";

/** Options for `explore()` of an agent or a state graph. */
export interface ExploreOptions {
  /** The number of lanes. `auto`: the number of cores. Default: the configuration's `parallel`, else 1. */
  readonly parallel?: number | "auto";
  /**
   * `import.meta.url` of the module that exports the agent as `agent`, or the graph as `graph`. Required for more than one lane, because functions
   * cannot be sent to threads.
   */
  readonly module?: string;
  /** Path of a `seqqa.yaml`. Default: no file is read. */
  readonly config?: string;
  /**
   * The shard to explore, e.g. `2/4` for the second of four. Shards divide the states without communication, and require the strategy `bfs`.
   * `maxSteps` is the total of all shards.
   */
  readonly shard?: string;
  /**
   * Stores the exploration in a run log (`runs/<id>.db` in the configuration's `report.output_dir`) and resumes it, like `seqqa run` with `--resume`.
   *
   * `true` resumes the last run that contains only this exploration, or starts a new run. A text resumes the run with that id. Runs that were
   * interrupted, killed or out of budget can be resumed, and the result equals that of an uninterrupted run. If the run is already complete, its
   * result is returned without further steps. Requires `module`, whose code is compared with that of the stored run. Default: nothing is stored.
   */
  readonly resume?: boolean | string;
  /**
   * `true` resumes even if code or configuration have changed. Default: `false`, so that resuming is refused with a message that names the changes.
   */
  readonly force?: boolean;
  /**
   * Aborting the signal ends the run with the stopReason `interrupted`. If the abort prevents a target or service from starting, the promise is
   * rejected with the abort reason.
   */
  readonly signal?: AbortSignal;
  /** Called for each event during the exploration. Default: none. */
  readonly onEvent?: (event: ExplorationEvent) => void;
}

/** The names of all options of `explore()`. */
export const EXPLORE_OPTIONS: readonly (keyof ExploreOptions)[] = [
  "parallel",
  "module",
  "config",
  "shard",
  "resume",
  "force",
  "signal",
  "onEvent",
];
