import { whereOf } from "../../loader/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";

/**
 * Returns a function that finds the source line where a rule is declared: the line of the invariant with the name of the rule, otherwise the line of
 * the action with the given index. Results are cached, because resolving a stack is slow.
 */
export function declaredAt({
  invariants,
  actions,
}: AgentDefinition<never, never>): (rule: string, action: number | undefined) => string | undefined {
  const read = new Map<object, string | undefined>();
  return (rule, action) => {
    const declared = invariants.find(({ name }) => name === rule) ?? actions[action ?? -1];
    if (declared?.declared === undefined) return undefined;
    if (!read.has(declared)) read.set(declared, whereOfStack(declared.declared));
    return read.get(declared);
  };
}

/** Returns the first source line of a stack that is in the user's own code. */
export const whereOfStack = (stack: string): string | undefined => whereOf(Object.assign(new Error(), { stack }));
