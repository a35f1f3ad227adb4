import type { Config } from "../../config/index.ts";
import type { ExplorationEvent, TriedStep } from "../../engine/events.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ExplorationKeeper } from "../../run-log/index.ts";
import type { Distribution } from "./distribution.ts";
import type { UserModule } from "./user-module.ts";

/** A request to explore, as it passes from the command line or from code to the engine. All settings are in `config`. */
export interface ExploreRequest {
  readonly config: Config;
  readonly name: string;
  /** Aborting it ends the exploration with stopReason `interrupted`. */
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Hears of every committed step. `undefined`: nobody wants to know. */
  readonly onStep?: ((step: TriedStep) => void) | undefined;
  /** Ids of findings that do not stop the run at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Stores what is committed, and knows what was stored before; `undefined`: nothing is kept of single steps and states. */
  readonly keep?: ExplorationKeeper | undefined;
  /** The shard, such as `2/4`, if several runs divide the states between them. */
  readonly shard?: string | undefined;
}

/** A request to explore a file. Its `name` is that of an agent which has none. */
export interface ExploreFileRequest extends ExploreRequest {
  /** The `*.explore.*` file. */
  readonly entry: string;
  readonly signal: AbortSignal;
  /** Explores only if the exploration's name contains this text. */
  readonly only?: string | undefined;
  /** Workers that expand the nodes. */
  readonly distribution?: Distribution | undefined;
}

/** A request to explore what was loaded. */
export interface ExploreInput extends ExploreRequest {
  readonly definition: AgentDefinition<never, never>;
  readonly module: UserModule | undefined;
  /** The directory for bundles. */
  readonly directory: string;
  /** Workers that expand the nodes, and the file that they load. */
  readonly distributed?: { readonly by: Distribution; readonly entry: string } | undefined;
}
