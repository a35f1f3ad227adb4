import type { ApiClient } from "../../model/http/client.ts";
import type { Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { StateGraphResult } from "../../model/results/result.ts";
import { StateGraphDefinition } from "../../model/declare/state-graph/state-graph.ts";
import { World } from "../../model/declare/world.ts";
import type { ReplayOptions, ReplayResult } from "../../model/results/replay.ts";
import type { ExploreOptions } from "../prepare/options.ts";

/**
 * A declared model of the API: its expected states (nodes), and the calls that lead from one to the next (edges). Exploring takes every path through
 * the model. A state is a node together with the state of stores, context and clients. In addition to broken invariants, the result names nodes that
 * are never reached, edges that never apply, and nodes whose `check` contradicts the API's real state.
 *
 * See `StateGraphOptions` for the fields.
 * @throws SeqqaError `STATE_GRAPH_INVALID` as soon as a declaration makes the graph invalid.
 */
export class StateGraph<C extends object = Values, A = ApiClient> extends StateGraphDefinition<C, A> {
  /**
   * Explores until all reachable states are explored or a budget is used up, like `Agent.explore`. Violations are part of the result and do not
   * throw.
   *
   * @param client Explores with only this client, on one lane. Default: the graph's `world`, or the client of the configuration.
   * @throws SeqqaError `STATE_GRAPH_INVALID` for a graph without an initial node or without edges, and errors of `Agent.explore`.
   */
  async explore(client?: A, options: ExploreOptions = {}): Promise<StateGraphResult> {
    if (client !== undefined && this.world !== undefined) {
      throw new SeqqaError(
        "STATE_GRAPH_INVALID",
        `explore() of the state graph "${this.name}" got a client, but the graph already has a world with a client.`,
        {
          exitStatus: 2,
          hint: "Call explore() without the client, or remove `world` from the options of the StateGraph.",
        },
      );
    }
    const definition = client === undefined ? this.compile() : this.compile(new World<C, A>({ api: client }));
    const { exploreAgent } = await import("../explore/explore-agent.ts");
    return (await exploreAgent(definition as never, options)) as StateGraphResult;
  }

  /**
   * Executes one path from a clean start on one lane, and checks all rules in the last state. Use it to turn a finding into a test.
   *
   * @param path Names of edges, as in `reproductionPath` of a violation. If empty, the root state is checked.
   * @throws SeqqaError `NO_SUCH_ACTION`, `NO_SUCH_RULE`, or if the replay cannot start: the target is not reachable, or the configuration is invalid.
   */
  async replay(path: readonly string[], options: ReplayOptions = {}): Promise<ReplayResult> {
    const { replayAgent } = await import("../replay/replay-agent.ts");
    return replayAgent(this.compile() as never, path, options);
  }
}
