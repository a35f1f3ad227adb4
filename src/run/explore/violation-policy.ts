import type { ViolationPolicy } from "../../engine/commit/broken-rules.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { RuleActions } from "../results/unchecked-steps.ts";
import { Rule } from "../../model/declare/rule.ts";

/** Returns the violations after which the search continues; `undefined` (the default) if it continues after none. */
export function violationPolicy({ actions, invariants }: AgentDefinition<never, never>, continues: boolean): ViolationPolicy | undefined {
  const nonBlocking = invariants.filter(({ blocking }) => !blocking).map(({ name }) => name);
  if (!continues && nonBlocking.length === 0) return undefined;
  const checkedAfter = ({ when }: (typeof invariants)[number]): number[] | null =>
    when === undefined ? null : actions.flatMap((action, index) => (isChecked(when, action) ? [index] : []));
  const ofStates = invariants.filter((one) => !(one instanceof Rule));
  return { continues, nonBlocking, invariants: Object.fromEntries(ofStates.map((one) => [one.name, checkedAfter(one)])) };
}

/** Returns the names of the actions after which each rule is checked. Rules that are checked after every action (without `when`) are left out. */
export function actionsOfRules({ actions, invariants }: Pick<AgentDefinition<never, never>, "actions" | "invariants">): RuleActions {
  return new Map(
    invariants.flatMap(({ name, when }) =>
      when === undefined ? [] : [[name, actions.filter((action) => isChecked(when, action)).map((action) => action.name)] as const],
    ),
  );
}

/** Returns `true` if the rule is checked after this action. Errors of the user's `when` function are ignored here, because the lanes report them. */
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
