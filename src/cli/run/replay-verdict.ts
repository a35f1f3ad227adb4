import type { ReplayResult } from "../../model/results/replay.ts";
import type { Violation } from "../../model/results/result.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";

export interface Verdict {
  readonly kind: "fails" | "gone" | "diverged" | "flaky";
  readonly exitStatus: ExitStatus;
  readonly sentence: string;
}

type Finding = Pick<Violation, "invariant" | "reproductionPath" | "steps" | "confirmed" | "notReplayed">;

/**
 * Returns the verdict of a replay. If the rule is broken again, the finding still fails, whatever the path. Otherwise the verdict depends on whether
 * the path was the same.
 */
export function verdictOf(finding: Finding, replayed: ReplayResult): Verdict {
  const { invariant, confirmed, notReplayed } = finding;
  const strayed = strayedAt(finding, replayed);
  if (replayed.violations.some((one) => one.invariant === invariant)) {
    const way = strayed === undefined ? "" : `, although ${strayed}`;
    return { kind: "fails", exitStatus: 1, sentence: `Still fails: ${invariant} is broken again${way}.` };
  }
  if (strayed !== undefined)
    return { kind: "diverged", exitStatus: 3, sentence: `Diverged: ${strayed}, so the path did not reach the state of the finding.` };
  const unjudged = replayed.errors.find(({ source }) => source === invariant);
  if (unjudged !== undefined) return { kind: "diverged", exitStatus: 3, sentence: `Not judged: ${unjudged.message}` };
  if (notReplayed === true) {
    const sentence = `Not seen again: ${invariant} was seen once, and the run did not replay it. That proves nothing.`;
    return { kind: "flaky", exitStatus: 3, sentence };
  }
  if (!confirmed) {
    return { kind: "flaky", exitStatus: 3, sentence: `Not seen again, as in the run itself: ${invariant} is flaky, which proves nothing.` };
  }
  return { kind: "gone", exitStatus: 0, sentence: `Gone: ${invariant} holds after the same path.` };
}

/** Returns where the path differed from the recorded one. A different answer to the last step is ignored, because a fix changes that answer. */
const strayedAt = ({ reproductionPath, steps }: Finding, replayed: ReplayResult): string | undefined =>
  strayedBefore(reproductionPath.length - 1, steps, replayed);

/**
 * Returns the first of the first `last` steps whose status differs from the recorded one, as text. Returns `undefined` if none differs and all steps
 * were completed.
 */
export function strayedBefore(last: number, recorded: Finding["steps"], { steps, completed }: ReplayResult): string | undefined {
  for (let step = 0; step < last && step < steps.length; step++) {
    const before = recorded[step];
    const { action, status } = steps[step]!;
    if (before !== undefined && before.status !== status)
      return `step ${step + 1} (${action}) was answered ${shown(status)} and not ${shown(before.status)}`;
  }
  if (completed) return undefined;
  const { action, status } = steps.at(-1)!;
  return `step ${steps.length} (${action}) ${status === null ? "did not apply, or got no answer" : "failed"}`;
}

const shown = (status: number | null): string => (status === null ? "not at all" : `with ${status}`);
