import type { ViolationPolicy } from "../../engine/commit/broken-rules.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { Rule } from "../../model/declare/rule.ts";

/** Returns the policy for exploring states that violate a rule; `undefined` (the default) if the search stops at every violation. */
export function violationPolicy({ actions, invariants }: AgentDefinition<never, never>, continues: boolean): ViolationPolicy | undefined {
  const nonBlocking = invariants.filter(({ blocking }) => !blocking).map(({ name }) => name);
  if (!continues && nonBlocking.length === 0) return undefined;
  const checkedAfter = ({ when }: (typeof invariants)[number]): number[] | null =>
    when === undefined ? null : actions.flatMap((action, index) => (isChecked(when, action) ? [index] : []));
  const ofStates = invariants.filter((one) => !(one instanceof Rule));
  return { continues, nonBlocking, invariants: Object.fromEntries(ofStates.map((one) => [one.name, checkedAfter(one)])) };
}

/** Returns `true` if the rule is checked after the action. Errors of `when` are ignored here, because the lanes report them. */
function isChecked(
  when: NonNullable<AgentDefinition["invariants"][number]["when"]>,
  action: AgentDefinition<never, never>["actions"][number],
): boolean {
  try {
    return when(action);
  } catch {
    return false;
  }
}
