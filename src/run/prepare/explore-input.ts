import type { Config } from "../../config/index.ts";
import type { ExplorationEvent } from "../../engine/events.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ExplorationKeeper } from "../../run-log/index.ts";
import type { Distribution } from "./distribution.ts";
import type { UserModule } from "./user-module.ts";

/** The input of an exploration. */
export interface ExploreInput {
  readonly definition: AgentDefinition<never, never>;
  readonly module: UserModule | undefined;
  readonly name: string;
  readonly config: Config;
  /** The directory for bundles. */
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Ids of findings that do not stop the run at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Stores what is committed, and knows what was stored before; `undefined`: nothing is kept of single steps and states. */
  readonly keep?: ExplorationKeeper | undefined;
  /** The shard, if the exploration is divided between several runs. */
  readonly shard?: Shard | undefined;
  /** Workers that expand the nodes, and the file that they load. */
  readonly distributed?: { readonly by: Distribution; readonly entry: string } | undefined;
}
