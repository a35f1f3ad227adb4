import type { Config } from "../../config/index.ts";
import type { ExplorationEvent } from "../../engine/events.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ExplorationKeeper } from "../../run-log/index.ts";
import type { Distribution } from "./distribution.ts";
import type { UserModule } from "./user-module.ts";

/** Everything that an exploration is given. */
export interface ExploreInput {
  readonly definition: AgentDefinition<never, never>;
  readonly module: UserModule | undefined;
  readonly name: string;
  readonly config: Config;
  /** For bundles. */
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Ids of findings that are no reason to stop at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Writes down what is committed, and knows what was before; `undefined`: nothing is kept of single steps and states. */
  readonly keep?: ExplorationKeeper | undefined;
  /** This is one of several runs that share the states out. */
  readonly shard?: Shard | undefined;
  /** Nodes are expanded by workers elsewhere, who know the file. */
  readonly distributed?: { readonly by: Distribution; readonly entry: string } | undefined;
}
