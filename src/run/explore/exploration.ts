import type { ExplorationConfig } from "../../config/index.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import type { ClusterLanePool } from "../../lane-pools/cluster/cluster-lane-pool.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { Lanes } from "../lanes/open-lanes.ts";
import type { ExploreInput } from "../prepare/explore-request.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";
import type { BroughtUp } from "./at-root.ts";
import type { EndedTargets } from "./ended-targets.ts";

/** An exploration that may start: its settings are resolved, and nothing is started yet. */
export interface PlannedExploration {
  readonly input: ExploreInput;
  readonly settings: ExplorationConfig;
  readonly shard: Shard | undefined;
  /** The start on the clock of `performance.now()`, earlier by the time of previous sessions. */
  readonly begunMs: number;
}

/** The lanes of an exploration. */
export interface ExplorationLanes {
  /** The lanes of this process. They confirm, shorten and race. */
  readonly home: Lanes;
  /** The lanes of workers, if the run is distributed. */
  readonly cluster: ClusterLanePool | undefined;
  /** The lanes that search: those of workers if there are any, else those of this process. */
  readonly lanePool: LanePool;
}

/** An exploration whose lanes are at the root state. Every later stage works with it. */
export interface Exploration extends PlannedExploration {
  readonly lanes: ExplorationLanes;
  readonly brought: BroughtUp;
  readonly options: ExplorerOptions;
  /** The targets that ended by themselves. */
  readonly ended: EndedTargets;
  /** Returns the URLs of the current lanes. A rebuilt lane may have another URL. */
  readonly shown: () => ShownUrls;
  /** Returns the result so far. */
  readonly soFar: (explorer: Explorer) => ExplorationResult;
}
