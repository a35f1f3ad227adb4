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

/** An exploration with resolved settings, before anything is started. */
export interface PlannedExploration {
  readonly input: ExploreInput;
  readonly settings: ExplorationConfig;
  readonly shard: Shard | undefined;
  /** The start of the exploration in milliseconds of `performance.now()`. For a resumed run, the duration of its earlier sessions is subtracted. */
  readonly begunMs: number;
}

export interface ExplorationLanes {
  /** The lanes of this process. Used to confirm and shorten findings, and to probe for races and faults. */
  readonly home: Lanes;
  /** The lanes of the workers in a distributed run; `undefined` in another run. */
  readonly cluster: ClusterLanePool | undefined;
  /** The lanes that the search uses: those of the workers in a distributed run, otherwise those of this process. */
  readonly lanePool: LanePool;
}

/** An exploration with its lanes at the root state. The input of all later stages. */
export interface Exploration extends PlannedExploration {
  readonly lanes: ExplorationLanes;
  readonly brought: BroughtUp;
  readonly options: ExplorerOptions;
  readonly ended: EndedTargets;
  /**
   * Returns an object that replaces the lanes' URLs in texts. The function must be called again after a lane was rebuilt, because the URLs may have
   * changed.
   */
  readonly shown: () => ShownUrls;
  readonly soFar: (explorer: Explorer) => ExplorationResult;
}
