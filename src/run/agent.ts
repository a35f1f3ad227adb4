import { AgentDefinition } from "../model/agent.ts";
import type { ApiClient } from "../model/client.ts";
import type { Values } from "../model/context.ts";
import type { ExplorationResult } from "../model/result.ts";
import type { ExploreOptions } from "./options.ts";

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
    const { exploreAgent } = await import("./explore-agent.ts");
    return exploreAgent(this as unknown as AgentDefinition<never, never>, options);
  }
}
