import type { Committer } from "../../engine/commit/committer.ts";
import type { DivergenceLog } from "../../engine/commit/divergence-log.ts";
import { groupOf, partsOf, type FoundViolation } from "../../engine/findings/finding-log.ts";
import { writtenText } from "../../messages/lane-messages.ts";

interface Searched {
  readonly committer: {
    readonly findings: Pick<Committer["findings"], "violations">;
    readonly unjudged: Pick<Committer["unjudged"], "addLate">;
  };
  readonly divergences: Pick<DivergenceLog, "areLate">;
}

/**
 * Removes the violations that consist only of changes of fields that the target also wrote after answers. A timer of the target may have made such a
 * change, and may also make it during a replay, so a replay proves nothing. The steps of these violations count as inconclusive. Returns the rest of
 * `seen`, the violations that were not committed.
 */
export function withoutLate({ committer, divergences }: Searched, seen: readonly FoundViolation[]): readonly FoundViolation[] {
  const isLate = ({ finding: { fields } }: FoundViolation): boolean => fields !== undefined && divergences.areLate(fields);
  const rest = (found: FoundViolation): readonly FoundViolation[] => {
    const parts = partsOf(found);
    const left = parts.filter((part) => !isLate(part));
    return left.length === 0 ? [] : [left.length === parts.length ? found : groupOf(left)];
  };
  const { findings, unjudged } = committer;
  for (const [key, found] of findings.violations) {
    for (const part of partsOf(found).filter(isLate)) {
      const { invariant, message, fields = [] } = part.finding;
      const what = `${message}. The target also wrote ${writtenText(fields)} after it had answered, so the cause may be a timer or job of the target`;
      for (let step = 0; step < part.count; step++) unjudged.addLate({ invariant, what });
    }
    const [left] = rest(found);
    if (left === undefined) findings.violations.delete(key);
    else findings.violations.set(key, left);
  }
  return seen.flatMap(rest);
}
