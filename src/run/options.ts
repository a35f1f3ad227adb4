import type { ExplorationEvent } from "../engine/events.ts";

/** What `explore()` of an agent or of a state graph takes. */
export interface ExploreOptions {
  /** How many lanes; default 1, or what the configuration says. `auto` = number of cores. */
  readonly parallel?: number | "auto";
  /** `import.meta.url` of the module that exports the agent as `agent` (a graph as `graph`); needed for more than one lane, since functions cannot cross threads. */
  readonly module?: string;
  /** Path of a `seqqa.yaml`; default: none is read. */
  readonly config?: string;
  /** Aborting it ends the run with stopReason `interrupted`. Where a target or a service does not come up because of it, the promise is rejected with its reason. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ExplorationEvent) => void;
}
