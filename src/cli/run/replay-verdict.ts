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
 * Returns the verdict after the replay of a finding. The finding still fails if its rule is broken again. Otherwise the verdict depends on whether
 * the replay reached the state of the finding.
 */
export function verdictOf(finding: Finding, replayed: ReplayResult): Verdict {
  const { invariant, confirmed, notReplayed } = finding;
  const strayed = strayedAt(finding, replayed);
  if (replayed.violations.some((one) => one.invariant === invariant)) {
    const way = strayed === undefined ? "" : `, although ${strayed}`;
    return { kind: "fails", exitStatus: 1, sentence: `Still fails: ${invariant} is broken again${way}.` };
  }
  if (strayed !== undefined) {
    const advice = isNewlyRefused(finding, replayed) ? " If the API was fixed to refuse this step, run the exploration again." : "";
    return {
      kind: "diverged",
      exitStatus: 3,
      sentence: `Diverged: ${strayed}. The path therefore did not reach the state of the finding.${advice}`,
    };
  }
  const unjudged = replayed.errors.find(({ source }) => source === invariant);
  if (unjudged !== undefined)
    return {
      kind: "diverged",
      exitStatus: 3,
      sentence: `The replay does not show whether the finding still exists, because the rule gave no result: ${unjudged.message}`,
    };
  if (notReplayed === true) {
    const sentence = `Not seen again: ${invariant} holds now. The run saw it broken only once and did not replay it, so this does not prove a fix.`;
    return { kind: "flaky", exitStatus: 3, sentence };
  }
  if (!confirmed) {
    const sentence = `Not seen again: ${invariant} holds now. The replay during the run did not break it either, so this does not prove a fix.`;
    return { kind: "flaky", exitStatus: 3, sentence };
  }
  return { kind: "gone", exitStatus: 0, sentence: `Gone: ${invariant} holds after the same path.` };
}

/** Returns `true` if the first step whose status differs from the status in the run is now refused (4xx), but was accepted in the run. */
function isNewlyRefused({ steps: recorded }: Finding, { steps }: ReplayResult): boolean {
  const first = steps.findIndex(({ status }, step) => recorded[step]?.status !== status);
  const [before, now] = [recorded[first]?.status, steps[first]?.status];
  return before !== undefined && before !== null && before < 400 && (now ?? 0) >= 400 && (now ?? 0) < 500;
}

/** Describes how the replay differs from the recorded path. The last step is not compared, because a fix of the target changes its answer. */
const strayedAt = ({ reproductionPath, steps }: Finding, replayed: ReplayResult): string | undefined =>
  strayedBefore(reproductionPath.length - 1, steps, replayed);

/**
 * Describes the first difference in the first `last` steps of a replay: a status that differs from the recorded one, or a step that failed. Returns
 * `undefined` if there is no difference.
 */
export function strayedBefore(last: number, recorded: Finding["steps"], { steps, completed }: ReplayResult): string | undefined {
  for (let step = 0; step < last && step < steps.length; step++) {
    const before = recorded[step];
    const { action, status } = steps[step]!;
    if (before !== undefined && before.status !== status)
      return `step ${step + 1} (${action}) ${shown(status)}, but in the run it ${shown(before.status)}`;
  }
  if (completed) return undefined;
  const { action, status } = steps.at(-1)!;
  return `step ${steps.length} (${action}) ${status === null ? "did not apply, or got no answer" : `got the answer ${status} and then failed`}`;
}

const shown = (status: number | null): string => (status === null ? "got no answer" : `got the answer ${status}`);
