import type { Committer } from "../../engine/commit/committer.ts";
import { CLEAN } from "../../engine/graph/node-table.ts";
import type { ActionCoverage, Divergence, VerdictException } from "../../model/results/result.ts";
import { plural } from "../../reports/console/text/numbers.ts";

/**
 * Returns the verdict's exceptions for stored times, such as expiry dates, that were in the future and passed during the run. A state in which such a
 * time is in the future cannot be reached again after the time has passed, so it could not be explored completely.
 */
export function timesPassed(divergences: readonly Divergence[]): readonly VerdictException[] {
  const fields = [...new Set(divergences.flatMap(({ kind, differences }) => (kind === "time_passed" ? differences : [])))];
  return fields.map((field) => ({
    kind: "time_passed",
    count: 1,
    text: `states from before the time ${field}, which passed during the run`,
  }));
}

/**
 * Returns the verdict's exception for divergences. Most divergences show that outcomes also depend on something outside the observed state. States
 * that differ only in this may have been merged, or never reached.
 */
export function diverged(divergences: readonly Divergence[]): readonly VerdictException[] {
  const count = divergences.filter(({ kind }) => kind !== "time_passed").length;
  if (count === 0) return [];
  return [{ kind: "divergence", count, text: `states that ${plural(count, "divergence")} may hide` }];
}

/** Returns the number of states that were not explored, because every step that leads to them has a finding. */
export function violatingStates({ nodes }: Committer): number {
  let count = 0;
  for (let node = 0; node < nodes.size; node++) if (!nodes.has(node, CLEAN)) count++;
  return count;
}

/**
 * Returns the verdict's exception for states that were not explored, because the steps that lead to them have a finding: violating states, and the
 * states after calls without an answer (a crash or a timeout), which seqqa does not know.
 */
export function behindFindings(committer: Committer, coverage: Readonly<Record<string, ActionCoverage>>): readonly VerdictException[] {
  const states = violatingStates(committer);
  const calls = committer.unanswered;
  if (states + calls === 0) return [];
  const never = Object.values(coverage).filter(({ applied, brought }) => applied === 0 && brought !== true).length;
  const behind = [
    ...(states === 0 ? [] : [plural(states, "violating state")]),
    ...(calls === 0 ? [] : [`${plural(calls, "call")} without an answer`]),
  ];
  const where = committer.nodes.has(0, CLEAN)
    ? `states behind ${behind.join(" and ")}`
    : "states behind the root state, which breaks a rule";
  const mayApply = never === 0 ? "" : ` (${plural(never, "action")} never ran and may apply there)`;
  return [{ kind: "violating_states", count: states + calls, text: `${where}${mayApply}` }];
}
