import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { StateGraphResult } from "../../model/results/result.ts";
import { StateGraphDefinition } from "../../model/declare/state-graph.ts";
import { World } from "../../model/declare/world.ts";
import type { ReplayOptions, ReplayResult } from "../../model/results/replay.ts";
import type { ExploreOptions } from "../prepare/options.ts";

/**
 * A model of the API, written down: the states that it should have (nodes), and the calls that lead from one to the next (edges). Exploring
 * it takes every path through the model; a state is a node together with what stores, context and clients say. Beside its
 * invariants it tells which nodes nothing reaches, which edges never apply, and which nodes' `check` denies the state that the API is really in.
 *
 * See `StateGraphOptions` for the fields. @throws SeqqaError `STATE_GRAPH_INVALID` for what cannot be a graph, as soon as it is said.
 */
export class StateGraph<C extends object = Values, A = ApiClient> extends StateGraphDefinition<C, A> {
  /**
   * Explores until the reachable states or a budget are used up, as `Agent.explore` does. Violations are in the result; they do not throw.
   *
   * @param client Explores with this client alone, on one lane; without it, with the graph's `world` or what the configuration says.
   * @throws SeqqaError `STATE_GRAPH_INVALID` for a graph without an initial node or without edges, and what `Agent.explore` throws.
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
   * Executes one path from a clean start, on one lane, and checks all rules in the state that it leads to: a finding as a test.
   *
   * @param path Names of edges, as in `reproductionPath` of a violation; empty: the root state is checked.
   * @throws SeqqaError `NO_SUCH_ACTION`, and when the replay could not begin: the target is not reachable, the configuration is not usable.
   */
  async replay(path: readonly string[], options: ReplayOptions = {}): Promise<ReplayResult> {
    const { replayAgent } = await import("../replay/replay-agent.ts");
    return replayAgent(this.compile() as never, path, options);
  }
}
