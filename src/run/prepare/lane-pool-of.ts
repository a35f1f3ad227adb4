import type { Config } from "../../config/index.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import { buildLane } from "../../lane-pools/build-lane.ts";
import { InlineLanePool } from "../../lane-pools/inline/inline-lane-pool.ts";
import { ThreadLanePool } from "../../lane-pools/threads/thread-lane-pool.ts";
import type { LaneOptions } from "../../lane/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { TargetHost } from "../../targets/index.ts";
import type { UserModule } from "./user-module.ts";
import { httpSettings } from "./http-settings.ts";

export interface LanePoolParts {
  readonly config: Config;
  readonly definition: AgentDefinition<never, never>;
  /** Needed for more than one lane. */
  readonly module: UserModule | undefined;
  readonly host: TargetHost;
  readonly options: LaneOptions;
  /** The changes of `setup` on the run's first lane, if that lane is elsewhere; encoded for several lanes. */
  readonly shared?: unknown;
}

/** Returns the lanes of this process: one in this thread, or several in worker threads. */
export function lanePoolOf({ config, definition, module, host, options, shared }: LanePoolParts): LanePool {
  const http = httpSettings(config);
  if (config.parallel === 1) {
    return new InlineLanePool({
      definition,
      host,
      options,
      shared,
      build: (d, spec, o, made) => buildLane({ definition: d, options: o, http, processes: host }, spec, made),
    });
  }
  return new ThreadLanePool({
    lanes: config.parallel,
    // A second chunk waits in the lane, so that the lane need not wait for the main thread.
    depth: 2,
    host,
    bundle: module!.bundle,
    exportName: module!.exportName,
    options,
    http,
    setUp: definition.setup !== undefined,
    shared: shared as string | undefined,
    hangMs: Math.max(60_000, 2 * longestRequestMs(config)),
  });
}

/** Returns the longest time of a request with all its retries. */
function longestRequestMs({ timeout, retry }: Config): number {
  const attempts = retry?.maxAttempts ?? 1;
  return 1000 * (timeout * attempts + (retry?.maxDelay ?? 0) * (attempts - 1));
}

/** Refuses several lanes if they cannot be made. @throws SeqqaError `LANES_NEED_MODULE` and `LANES_NEED_FACTORY` with exit status 2 */
export function refuseLanesWithoutModule({ config, definition, module }: Pick<LanePoolParts, "config" | "definition" | "module">): void {
  if (config.parallel === 1) return;
  if (module === undefined) {
    throw new SeqqaError("LANES_NEED_MODULE", `parallel is ${config.parallel}, but functions cannot cross threads.`, {
      exitStatus: 2,
      hint: "Pass module: import.meta.url from the file that exports the agent, or run it with the command line.",
    });
  }
  if (definition.world !== undefined && typeof definition.world !== "function") {
    throw new SeqqaError(
      "LANES_NEED_FACTORY",
      definition.graph === undefined
        ? `parallel is ${config.parallel}, but the agent's world is one World, which only one lane can use.`
        : `parallel is ${config.parallel}, but explore() was given one client, or the graph one World, which only one lane can use.`,
      {
        exitStatus: 2,
        hint: "Write world: (lane) => new World({ ... }), so that every lane gets its own.",
      },
    );
  }
}
