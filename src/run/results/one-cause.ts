import type { Violation } from "../../model/results/result.ts";
import { violationText } from "../../reports/index.ts";

/**
 * Joins the findings of one rule with one cause: the one with the shortest path stays, in the place of the first, and lists the actions of all.
 * Findings whose rule gave no cause stay as they are, and confirmed ones are not joined with others.
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
  // By length, then by id: the order in which lanes or strategies find them makes no difference.
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
