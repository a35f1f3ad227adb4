import type { Config } from "../../config/index.ts";
import type { ExplorationEvent, TriedStep } from "../../engine/events.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ExplorationKeeper } from "../../run-log/index.ts";
import type { CountedDescription } from "../coverage/read-operations.ts";
import type { Distribution } from "./distribution.ts";
import type { LoadedExploration } from "./load-exploration.ts";
import type { UserModule } from "./user-module.ts";

/** A request to explore, from the command line or from code. All settings are in `config`. */
export interface ExploreRequest {
  readonly config: Config;
  readonly name: string;
  /** Aborting the signal ends the exploration with the stopReason `interrupted`. */
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Called for each step when it is committed. */
  readonly onStep?: ((step: TriedStep) => void) | undefined;
  /** Ids of known findings, which do not stop a run at the first violation, and do not make it unverified if they are rare races. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Stores commits in the run log, and provides the stored commits if the run is resumed. `undefined` if the run has no run log. */
  readonly keep?: ExplorationKeeper | undefined;
  /** The shard, e.g. `2/4`, if several runs divide the exploration between them. */
  readonly shard?: string | undefined;
  /** The operations of the OpenAPI description, if they are counted. */
  readonly operations?: CountedDescription | undefined;
  /** The folder to which targets write the coverage of their code. `undefined` if coverage is not measured. */
  readonly coverageFolder?: string | undefined;
}

/** A loaded exploration file with the directory of its bundle, or the error because of which it cannot be explored. */
export type LoadedFile = (LoadedExploration & { readonly directory: string }) | { readonly error: unknown };

/** Loaded exploration files, by path. */
export type LoadedFiles = ReadonlyMap<string, LoadedFile>;

/** A request to explore a file. The file's name is used if the agent has no name. */
export interface ExploreFileRequest extends ExploreRequest {
  /** The path of the `*.explore.*` file. */
  readonly entry: string;
  readonly signal: AbortSignal;
  /** The file is explored only if the name of its exploration contains this text. Default: every file is explored. */
  readonly only?: string | undefined;
  /** The loaded file. Default: the file is loaded now. */
  readonly loaded?: LoadedFile | undefined;
  /** The workers of a distributed run; `undefined` if the run uses only this process. */
  readonly distribution?: Distribution | undefined;
}

/** A request to explore a loaded definition. */
export interface ExploreInput extends ExploreRequest {
  readonly definition: AgentDefinition<never, never>;
  readonly module: UserModule | undefined;
  /** The directory for bundled user code. */
  readonly directory: string;
  /** The workers of a distributed run, and the file that they load. */
  readonly distributed?: { readonly by: Distribution; readonly entry: string } | undefined;
}
