import type { Committer } from "../../engine/commit/committer.ts";
import type { DivergenceLog } from "../../engine/commit/divergence-log.ts";
import type { FoundViolation } from "../../engine/findings/finding-log.ts";
import { writtenText } from "../../messages/lane-messages.ts";

interface Searched {
  readonly committer: {
    readonly findings: Pick<Committer["findings"], "violations">;
    readonly unjudged: Pick<Committer["unjudged"], "add">;
  };
  readonly divergences: Pick<DivergenceLog, "areLate">;
}

/**
 * Removes the findings whose whole reason is a change of fields that the target also wrote after answers. A timer of the target may have made such a
 * change, and a replay may meet the timer again. The steps count as steps that the rule could not judge. Returns the rest of `seen`, the violations
 * that were not committed.
 */
export function withoutLate({ committer, divergences }: Searched, seen: readonly FoundViolation[]): readonly FoundViolation[] {
  const isLate = ({ fields }: FoundViolation): boolean => fields !== undefined && divergences.areLate(fields);
  const { findings, unjudged } = committer;
  for (const [key, found] of findings.violations) {
    if (!isLate(found)) continue;
    findings.violations.delete(key);
    const { invariant, message } = found.finding;
    const what = `${message}. The target also wrote ${writtenText(found.fields ?? [])} after it had answered, so the cause may be a timer or job of the target`;
    for (let step = 0; step < found.count; step++) unjudged.add({ invariant, what });
  }
  return seen.filter((found) => !isLate(found));
}
