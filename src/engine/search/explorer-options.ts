import type { SearchSettings } from "../../model/declare/search-settings.ts";
import type { ViolationPolicy } from "../commit/broken-rules.ts";
import type { DetailLimits } from "../commit/commit-details.ts";
import type { ExplorationEvent, TriedStep } from "../events.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import type { Calibration, CalibrationWalk } from "../../messages/lane-messages.ts";
import type { Recorded } from "../commit/recommit.ts";
import type { Shard } from "../shards/shard-partition.ts";
import type { Spill } from "../graph/spill.ts";

/** The settings of a search, and what the search needs beside them. */
export interface ExplorerOptions extends Omit<SearchSettings, "maxDepth" | "maxTime"> {
  readonly name: string;
  readonly actions: readonly string[];
  /** The number of actions that are the agent's own, which come first. Rules added the others. Default: all. */
  readonly ownActions?: number;
  /** `Infinity`: no limit. */
  readonly maxDepth: number;
  /** Milliseconds; `Infinity`: no limit. */
  readonly maxTimeMs: number;
  /** The violations behind which the search continues. Default: none. */
  readonly violationPolicy?: ViolationPolicy | undefined;
  /** Returns `true` if a violation is no reason to stop. */
  readonly isKnown: (found: FoundViolation) => boolean;
  /** `true`: nodes are reached by snapshot if all stores allow it. `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** The number of first nodes that are expanded both ways, and N in "one in N" for later nodes. `oneIn` 0: no checks. */
  readonly crossCheck: { readonly first: number; readonly oneIn: number };
  /** `true`: the exploration ends as soon as an outcome shows that too little is known about the target's values; see {@link Explorer.lesson}. */
  readonly learns?: boolean | undefined;
  /**
   * Executes a walk on idle lanes. When everything is committed, some paths are watched for late writes in this way. `undefined`: no path is watched.
   */
  readonly calibrate?: ((walk: CalibrationWalk) => Promise<Calibration>) | undefined;
  /** Notes on endless chains that were reported before; they are not repeated. `undefined`: chains are not looked for. */
  readonly saidChains?: Set<string> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Hears of every committed step. `undefined`: nobody wants to know. */
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
  /** This exploration is one of several shards; breadth first only. */
  readonly shard?: Shard | undefined;
  /** Called every few hundred commits and ten times a second, so that the run log can write what was committed. */
  readonly onCommits?: (() => void) | undefined;
}
