import type { SearchSettings } from "../../model/declare/search-settings.ts";
import type { ViolationPolicy } from "../commit/broken-rules.ts";
import type { DetailLimits } from "../commit/commit-details.ts";
import type { ExplorationEvent, TriedStep } from "../events.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import type { Calibration, CalibrationWalk } from "../../messages/lane-messages.ts";
import type { Recorded } from "../commit/recommit.ts";
import type { Shard } from "../shards/shard-partition.ts";
import type { Spill } from "../graph/spill.ts";

export interface ExplorerOptions extends Omit<SearchSettings, "maxDepth" | "maxTime"> {
  readonly name: string;
  readonly actions: readonly string[];
  /** Number of actions that are the agent's own. They come first; rules added the others. Default: all. */
  readonly ownActions?: number;
  /** `Infinity`: no limit. */
  readonly maxDepth: number;
  /** In milliseconds. `Infinity`: no limit. */
  readonly maxTimeMs: number;
  /** The violations after which the search continues. Default: none. */
  readonly violationPolicy?: ViolationPolicy | undefined;
  /** Returns `true` if a violation is known, so that the search does not stop there. */
  readonly isKnown: (found: FoundViolation) => boolean;
  /** `true`: nodes are reached by snapshot if all stores allow it. `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** `first`: number of first nodes that are all checked. `oneIn`: N, if one in N later nodes is checked; 0 for no checks. */
  readonly crossCheck: { readonly first: number; readonly oneIn: number };
  /** `true`: the exploration ends as soon as an outcome shows that too little is known about the target's values; see `Explorer.lesson`. */
  readonly learns?: boolean | undefined;
  /** Makes an experiment on idle lanes. After the search, some paths are watched for late writes in this way. `undefined`: no path is watched. */
  readonly calibrate?: ((walk: CalibrationWalk) => Promise<Calibration>) | undefined;
  /** Notes on endless chains that were reported before and are not repeated. `undefined`: chains are not searched for. */
  readonly saidChains?: Set<string> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  readonly onStep?: ((step: TriedStep) => void) | undefined;
  /** Limits of the details that are kept for single edges and states. `undefined`: no details are kept. */
  readonly details?: DetailLimits | undefined;
  /** `true`: every committed row is collected for the run log. */
  readonly journal?: boolean | undefined;
  /** The commits of an earlier session. They are recommitted, and the exploration continues after them. */
  readonly recorded?: Recorded | undefined;
  /**
   * Stores data that need not be in memory: edges, and snapshots of nodes that wait in a queue. `undefined`: edges stay in memory, and nodes beyond a
   * limit are reached by replay.
   */
  readonly spill?: Spill | undefined;
  /** Set if this exploration is one of several shards, which must search breadth first. */
  readonly shard?: Shard | undefined;
  /** Called every few hundred commits and ten times a second, so that the run log can write the new commits. */
  readonly onCommits?: (() => void) | undefined;
}
