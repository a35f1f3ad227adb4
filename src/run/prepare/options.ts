import type { ExplorationEvent } from "../../engine/events.ts";

/** Options of `explore()` of an agent or a state graph. */
export interface ExploreOptions {
  /** The number of lanes. Default: the configuration's `parallel`, else 1. `auto`: the number of cores. */
  readonly parallel?: number | "auto";
  /**
   * `import.meta.url` of the module that exports the agent as `agent` (a graph as `graph`). Needed for more than one lane, since functions cannot
   * cross threads.
   */
  readonly module?: string;
  /** Path of a `seqqa.yaml`; default: none is read. */
  readonly config?: string;
  /**
   * The shard to explore, such as `2/4` for the second of four. Shards divide the states without communication; breadth first only. `maxSteps` is the
   * total of all shards.
   */
  readonly shard?: string;
  /**
   * Keeps the exploration in a run log, `runs/<id>.db` in the configuration's `report.output_dir`, as `seqqa run` does. Resumes a run that was
   * interrupted, killed or out of budget, as `--resume` does. Its result equals that of a run that was never interrupted. `true`: resumes the last
   * run that has only this exploration, or starts a new run. A text: resumes the run with that id. A run that is over ends with the same result,
   * without further steps. Needs `module`, whose code is compared. Default: nothing is kept.
   */
  readonly resume?: boolean | string;
  /** Resumes although code or configuration changed. Default: such a resume is refused, and the message names the changes. */
  readonly force?: boolean;
  /**
   * Aborting it ends the run with stopReason `interrupted`. If a target or a service does not start because of it, the promise is rejected with the
   * abort reason.
   */
  readonly signal?: AbortSignal;
  /** Called with each event of the exploration while it goes on. Default: none. */
  readonly onEvent?: (event: ExplorationEvent) => void;
}
