import { AgentDefinition } from "../model/declare/agent.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { ExplorationResult } from "../model/results/result.ts";
import type { ReplayOptions, ReplayResult } from "../model/results/replay.ts";
import type { ExploreOptions } from "./prepare/options.ts";

/**
 * What is to be explored: a world, the actions that a user can take in it, and the rules that must always hold.
 *
 * See `AgentOptions` for the fields. @throws SeqqaError `AGENT_INVALID` for empty or duplicate actions, duplicate invariants, and
 * budgets out of range.
 */
export class Agent<C extends object = Values, A = ApiClient> extends AgentDefinition<C, A> {
  /**
   * Explores until the reachable states or a budget are used up. Violations are in the result; they do not throw.
   * @throws SeqqaError when the exploration could not begin: the target is not reachable, the options do not fit together.
   */
  async explore(options: ExploreOptions = {}): Promise<ExplorationResult> {
    const { exploreAgent } = await import("./explore/explore-agent.ts");
    return exploreAgent(this as unknown as AgentDefinition<never, never>, options);
  }

  /**
   * Executes one path from a clean start, on one lane, and checks all rules in the state that it leads to: a finding as a test.
   *
   * @param path Names of actions, as in `reproductionPath` of a violation; empty: the root state is checked.
   * @throws SeqqaError `NO_SUCH_ACTION`, and when the replay could not begin: the target is not reachable, the configuration is not usable.
   */
  async replay(path: readonly string[], options: ReplayOptions = {}): Promise<ReplayResult> {
    const { replayAgent } = await import("./replay/replay-agent.ts");
    return replayAgent(this as unknown as AgentDefinition<never, never>, path, options);
  }
}
