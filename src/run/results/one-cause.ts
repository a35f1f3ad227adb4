import type { Violation } from "../../model/results/result.ts";
import { violationText } from "../../reports/index.ts";

/**
 * Joins the findings of one rule that have the same cause. The joined finding has the shortest path and lists the actions of all joined findings.
 * Findings without a cause stay separate. Confirmed findings are not joined with unconfirmed findings.
 */
export function joinedByCause(violations: readonly Violation[]): readonly Violation[] {
  const groups = new Map<string, Violation[]>();
  for (const violation of violations) {
    const { id, invariant, cause, confirmed } = violation;
    const key = JSON.stringify(cause === undefined ? [id] : [invariant, cause, confirmed]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [violation]);
    else group.push(violation);
  }
  return [...groups.values()].map((group) => (group.length === 1 ? group[0]! : joined(group)));
}

function joined(group: readonly Violation[]): Violation {
  // Take the finding with the shortest path, and with the smallest id if several paths are equally short. The result then does not depend on the
  // order of findings.
  const [best] = group.toSorted(
    (one, other) => one.reproductionPath.length - other.reproductionPath.length || (one.id < other.id ? -1 : 1),
  ) as [Violation];
  const violation: Violation = {
    ...best,
    count: group.reduce((sum, { count }) => sum + count, 0),
    operations: group.map(({ reproductionPath, id, count }) => ({ action: reproductionPath.at(-1) ?? "", id, count })),
  };
  return { ...violation, toString: () => violationText(violation) };
}
