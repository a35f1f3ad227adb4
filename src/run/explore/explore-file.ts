import type { Config } from "../../config/index.ts";
import type { ExplorationEvent } from "../../engine/events.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExplorationKeeper } from "../../run-log/index.ts";
import type { Distribution } from "../prepare/distribution.ts";
import { explore } from "./explore.ts";
import { loadExploration } from "../prepare/load-exploration.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { shardOf } from "../shards/shard.ts";

export interface ExploreFileInput {
  /** The `*.explore.*` file. */
  readonly entry: string;
  readonly config: Config;
  /** The name for an agent that has none. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Explores only if the exploration's name contains this text. */
  readonly only?: string | undefined;
  /** Ids of findings that do not stop the run at the first violation. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Stores what the exploration commits; `undefined`: nothing is stored. */
  readonly keep?: ExplorationKeeper | undefined;
  /** The shard of the run, such as `2/4`. */
  readonly shard?: string | undefined;
  /** Workers that expand the nodes. */
  readonly distribution?: Distribution | undefined;
}

/** Loads one exploration file and runs it. `undefined`: its name does not contain `only`. */
export async function exploreFile(input: ExploreFileInput): Promise<ExplorationResult | undefined> {
  return withRunDirectory(async (directory) => {
    const { module, definition } = await loadExploration(input.entry, directory);
    const name = definition.name ?? input.name;
    if (input.only !== undefined && !name.includes(input.only)) return undefined;
    return explore({
      definition,
      module,
      name,
      config: input.config,
      directory,
      signal: input.signal,
      onEvent: input.onEvent,
      known: input.known,
      keep: input.keep,
      shard: input.shard === undefined ? undefined : shardOf(input.shard),
      distributed: input.distribution === undefined ? undefined : { by: input.distribution, entry: input.entry },
    });
  });
}
