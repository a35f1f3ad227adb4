import type { CheckOptions } from "../checks/check-queue.ts";
import type { SearchSettings } from "../../model/declare/search/search-settings.ts";
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
  /**
   * Number of actions that the agent itself has. These actions are the first entries of `actions`; the other entries were added by rules. Default:
   * all.
   */
  readonly ownActions?: number;
  /** Largest number of steps of a path. `Infinity`: no limit. */
  readonly maxDepth: number;
  /** Time limit of the search, in milliseconds. `Infinity`: no limit. */
  readonly maxTimeMs: number;
  /** The violations after which the search continues. Default: none. */
  readonly violationPolicy?: ViolationPolicy | undefined;
  /** Returns `true` if a violation is listed as a known finding. The search does not stop at a known finding. */
  readonly isKnown: (found: FoundViolation) => boolean;
  /** `true`: nodes are reached by writing their snapshots, if all stores allow that. `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** Selects the nodes and merges for cross-checks; see {@link CheckOptions}. */
  readonly crossCheck: Pick<CheckOptions, "first" | "oneIn" | "auditsAll">;
  /** `true`: the exploration ends as soon as an outcome shows a generated value that seqqa did not recognise; see `Explorer.lesson`. */
  readonly learns?: boolean | undefined;
  /**
   * Returns `true` if the exploration should end when a counter makes the search endless and the store is able to leave this counter unrestored. The
   * search then starts again; see `Explorer.endlessCounter`.
   */
  readonly leavesCounter?: ((counter: string) => boolean) | undefined;
  /**
   * Executes an experiment on lanes without other work. After the search, experiments execute some paths again to detect late writes. `undefined`:
   * late writes are not searched for after the search.
   */
  readonly calibrate?: ((walk: CalibrationWalk) => Promise<Calibration>) | undefined;
  /** The messages about endless chains that the user has seen. These messages are not repeated. `undefined`: no endless chains are searched for. */
  readonly saidChains?: Set<string> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  readonly onStep?: ((step: TriedStep) => void) | undefined;
  /** Limits for the details of edges and states that are kept for reports. `undefined`: no details are kept. */
  readonly details?: DetailLimits | undefined;
  /** `true`: every committed outcome is collected for the run log. */
  readonly journal?: boolean | undefined;
  /** The stored outcomes of an earlier session, which are recommitted before the exploration continues. */
  readonly recorded?: Recorded | undefined;
  /**
   * Storage on disk for data that does not fit into memory: edges, and snapshots of nodes that wait in a queue. `undefined`: all edges stay in
   * memory, and snapshots that do not fit into memory are dropped.
   */
  readonly spill?: Spill | undefined;
  /** The shard that this run explores, if the exploration is divided into shards. The strategy must be breadth first. */
  readonly shard?: Shard | undefined;
  /** Called after every few hundred commits, and also ten times a second, so that the run log can store the new commits. */
  readonly onCommits?: (() => void) | undefined;
}
