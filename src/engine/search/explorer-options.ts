import type { Strategy } from "../../model/declare/strategy.ts";
import type { ViolationPolicy } from "../commit/broken-rules.ts";
import type { DetailLimits } from "../commit/commit-details.ts";
import type { ExplorationEvent } from "../events.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import type { Calibration, CalibrationWalk } from "../../messages/lane-messages.ts";
import type { Recorded } from "../commit/recommit.ts";
import type { Shard } from "../shards/shard-partition.ts";
import type { Spill } from "../graph/spill.ts";

export interface ExplorerOptions {
  readonly name: string;
  readonly actions: readonly string[];
  /** How many of them are the agent's own, the first ones; rules brought the others. Default: all. */
  readonly ownActions?: number;
  readonly strategy: Strategy["kind"];
  readonly maxSteps: number;
  /** `Infinity`: none. */
  readonly maxDepth: number;
  /** Milliseconds; `Infinity`: none. */
  readonly maxTimeMs: number;
  readonly stopOnFirstViolation: boolean;
  /** Behind which violations the search goes on. Default: none. */
  readonly violationPolicy?: ViolationPolicy | undefined;
  /** Whether a violation is no reason to stop. */
  readonly isKnown: (found: FoundViolation) => boolean;
  readonly seed: number;
  /** States may be written directly where all stores allow it; `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** How many of the first nodes are expanded both ways, and one in how many later. 0: none. */
  readonly crossCheck: { readonly first: number; readonly oneIn: number };
  /** `true`: the exploration ends as soon as an outcome shows that too little is known of the target's values: see {@link Explorer.lesson}. */
  readonly learns?: boolean | undefined;
  /** Executes a walk on lanes that are at rest: when all is committed, some paths are watched for late writes. `undefined`: they are not. */
  readonly calibrate?: ((walk: CalibrationWalk) => Promise<Calibration>) | undefined;
  /** Notes on endless chains that were said before: they are not said once more. `undefined`: chains are not looked for. */
  readonly saidChains?: Set<string> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** What is kept of single edges and states; `undefined`: nothing. */
  readonly details?: DetailLimits | undefined;
  /** Every committed row is wanted by whoever writes it down. */
  readonly journal?: boolean | undefined;
  /** What was committed before the run was ended: it is committed again, and the exploration goes on from there. */
  readonly recorded?: Recorded | undefined;
  /** Takes what need not be in memory: edges, and captured states of nodes that wait in a queue. `undefined`: edges are in memory, and states beyond some are replayed to. */
  readonly spill?: Spill | undefined;
  /** This is one of several explorations that share the states out; breadth first alone. */
  readonly shard?: Shard | undefined;
  /** Called every few hundred commits and ten times a second, for whoever writes down what was committed. */
  readonly onCommits?: (() => void) | undefined;
}
