import { AgentDefinition } from "./agent.ts";
import { StateGraphDefinition } from "./state-graph/state-graph.ts";

/** Returns the agent of a value that a module exports: an `Agent` itself, or a `StateGraph` compiled to an agent. `undefined` for other values. */
export function explorationOf(value: unknown): AgentDefinition<never, never> | undefined {
  if (value instanceof AgentDefinition) return value as AgentDefinition<never, never>;
  if (value instanceof StateGraphDefinition) return value.compile() as unknown as AgentDefinition<never, never>;
  return undefined;
}
