import { AgentDefinition } from "../model/declare/agent.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { ExplorationResult } from "../model/results/result.ts";
import type { ReplayOptions, ReplayResult } from "../model/results/replay.ts";
import type { ExploreOptions } from "./prepare/options.ts";

/**
 * Describes an exploration: a world, the actions that a user can take in it, and the rules that must always hold.
 *
 * See `AgentOptions` for the fields.
 * @throws SeqqaError `AGENT_INVALID` for empty or duplicate actions, duplicate invariants, and budgets out of range.
 */
export class Agent<C extends object = Values, A = ApiClient> extends AgentDefinition<C, A> {
  /**
   * Explores until all reachable states are explored or a budget is used up. Violations are part of the result and do not throw.
   * @throws SeqqaError if the exploration cannot start: the target is not reachable, or the options contradict each other.
   */
  async explore(options: ExploreOptions = {}): Promise<ExplorationResult> {
    const { exploreAgent } = await import("./explore/explore-agent.ts");
    return exploreAgent(this as unknown as AgentDefinition<never, never>, options);
  }

  /**
   * Executes one path from a clean start on one lane, and checks all rules in the last state. Use it to turn a finding into a test.
   *
   * @param path Names of actions, as in `reproductionPath` of a violation. If empty, the root state is checked.
   * @throws SeqqaError `NO_SUCH_ACTION`, `NO_SUCH_RULE`, or if the replay cannot start: the target is not reachable, or the configuration is invalid.
   */
  async replay(path: readonly string[], options: ReplayOptions = {}): Promise<ReplayResult> {
    const { replayAgent } = await import("./replay/replay-agent.ts");
    return replayAgent(this as unknown as AgentDefinition<never, never>, path, options);
  }
}
