import type { ExplorationResult } from "../../model/results/result.ts";
import { raceText, resultJson, violationText } from "../../reports/index.ts";
import type { ResumedExploration } from "../../run-log/index.ts";
import { isOfGraph } from "../state-graphs/graph-coverage.ts";

/**
 * Adds findings of the earlier sessions of a resumed exploration that this session did not find again: races, findings about faults, and violations
 * that belong to no state, such as a violation that was only seen in a cross-check. They were confirmed when they were found, and this session may have
 * had no time to look for them. All other violations are found again, because the stored steps are committed again.
 */
export function withEarlier(result: ExplorationResult, before: ResumedExploration | undefined): ExplorationResult {
  const found = new Set([...result.violations, ...result.races].map(({ id }) => id));
  const violations = (before?.found.violations ?? []).filter(
    ({ id, confirmed, state, invariant }) => confirmed && state === null && !isOfGraph(invariant) && !found.has(id),
  );
  const races = (before?.found.races ?? []).filter(({ id }) => !found.has(id));
  if (violations.length + races.length === 0) return result;
  const whole: Omit<ExplorationResult, "toJSON"> = {
    ...result,
    violations: [...result.violations, ...violations.map((one) => ({ ...one, toString: () => violationText(one) }))],
    races: [...result.races, ...races.map((one) => ({ ...one, toString: () => raceText(one) }))],
  };
  return { ...whole, toJSON: () => resultJson(whole) };
}
