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

/** An exploration whose settings are resolved. Nothing has been started yet. */
export interface PlannedExploration {
  readonly input: ExploreInput;
  readonly settings: ExplorationConfig;
  readonly shard: Shard | undefined;
  /** The start time on the clock of `performance.now()`. For a resumed run, it is earlier by the duration of previous sessions. */
  readonly begunMs: number;
}

export interface ExplorationLanes {
  /** The lanes of this process. They confirm and shorten findings, and probe for races and faults. */
  readonly home: Lanes;
  /** The lanes of the workers in a distributed run. */
  readonly cluster: ClusterLanePool | undefined;
  /** The lanes that search: those of the workers in a distributed run, else those of this process. */
  readonly lanePool: LanePool;
}

/** An exploration whose lanes are at the root state. It is the input of all later stages. */
export interface Exploration extends PlannedExploration {
  readonly lanes: ExplorationLanes;
  readonly brought: BroughtUp;
  readonly options: ExplorerOptions;
  readonly ended: EndedTargets;
  /** Returns the URLs of the current lanes. They may change when a lane is rebuilt. */
  readonly shown: () => ShownUrls;
  readonly soFar: (explorer: Explorer) => ExplorationResult;
}
