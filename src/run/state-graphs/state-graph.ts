import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { StateGraphResult } from "../../model/results/result.ts";
import { StateGraphDefinition } from "../../model/declare/state-graph.ts";
import { World } from "../../model/declare/world.ts";
import type { ReplayOptions, ReplayResult } from "../../model/results/replay.ts";
import type { ExploreOptions } from "../prepare/options.ts";

/**
 * A declared model of the API: its expected states (nodes), and the calls that lead from one to the next (edges). Exploring takes every path through
 * the model. A state is a node together with the state of stores, context and clients. Beside its invariants the result names nodes that nothing
 * reaches, edges that never apply, and nodes whose `check` denies the real state of the API.
 *
 * See `StateGraphOptions` for the fields. @throws SeqqaError `STATE_GRAPH_INVALID` as soon as something is declared that cannot be a graph.
 */
export class StateGraph<C extends object = Values, A = ApiClient> extends StateGraphDefinition<C, A> {
  /**
   * Explores until the reachable states or a budget are used up, as `Agent.explore` does. Violations are in the result; they do not throw.
   *
   * @param client Explores with this client alone, on one lane. Default: the graph's `world`, or the client of the configuration.
   * @throws SeqqaError `STATE_GRAPH_INVALID` for a graph without an initial node or without edges, and errors of `Agent.explore`.
   */
  async explore(client?: A, options: ExploreOptions = {}): Promise<StateGraphResult> {
    if (client !== undefined && this.world !== undefined) {
      throw new SeqqaError(
        "STATE_GRAPH_INVALID",
        `explore() of "${this.name}" was given a client, and the graph has a world with its own.`,
        {
          exitStatus: 2,
          hint: "Leave one of them out: the client, or `world` in the graph's options.",
        },
      );
    }
    const definition = client === undefined ? this.compile() : this.compile(new World<C, A>({ api: client }));
    const { exploreAgent } = await import("../explore/explore-agent.ts");
    return (await exploreAgent(definition as never, options)) as StateGraphResult;
  }

  /**
   * Executes one path from a clean start, on one lane, and checks all rules in the last state. Turns a finding into a test.
   *
   * @param path Names of edges, as in `reproductionPath` of a violation. Empty: the root state is checked.
   * @throws SeqqaError `NO_SUCH_ACTION`, and if the replay cannot start: the target is not reachable, or the configuration cannot be used.
   */
  async replay(path: readonly string[], options: ReplayOptions = {}): Promise<ReplayResult> {
    const { replayAgent } = await import("../replay/replay-agent.ts");
    return replayAgent(this.compile() as never, path, options);
  }
}
