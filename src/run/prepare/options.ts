import type { ExplorationEvent } from "../../engine/events.ts";

/** What `explore()` of an agent or of a state graph takes. */
export interface ExploreOptions {
  /** How many lanes; default 1, or what the configuration says. `auto` = number of cores. */
  readonly parallel?: number | "auto";
  /** `import.meta.url` of the module that exports the agent as `agent` (a graph as `graph`); needed for more than one lane, since functions cannot cross threads. */
  readonly module?: string;
  /** Path of a `seqqa.yaml`; default: none is read. */
  readonly config?: string;
  /** As `2/4`: this exploration is the second of four that share the states out without talking to each other. Breadth first alone; `maxSteps` is the total of all. */
  readonly shard?: string;
  /**
   * Keeps the exploration in a store, `runs/<id>.db` in the configuration's `report.output_dir`, as `seqqa run` does, and goes on with one that was interrupted, killed or out of budget, as `--resume` does: it comes to the
   * result of one that was never ended. `true`: with the last run of this exploration alone, or begins one; a text: with the run of that id. One that was over ends as it did, without further steps. Needs `module`, by
   * whose code is known whether it changed. Default: nothing is kept.
   */
  readonly resume?: boolean | string;
  /** Goes on although code or configuration changed since. Default: that is refused, with what changed. */
  readonly force?: boolean;
  /** Aborting it ends the run with stopReason `interrupted`. Where a target or a service does not come up because of it, the promise is rejected with its reason. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ExplorationEvent) => void;
}
