import { EXECUTED, FAILED, SKIPPED, withCounters, type LaneDivergence, type LaneReport } from "../../messages/lane-messages.ts";
import type { Outcome } from "../step/outcome.ts";

export function kindOf({ kind }: Outcome): number {
  return kind === "skipped" ? SKIPPED : kind === "failed" ? FAILED : EXECUTED;
}

/** Describes the difference between two executions of an action that have different outcomes or statuses. */
export function answerChange(before: number, status: number, outcome: Outcome): string {
  const now = kindOf(outcome);
  if (before === EXECUTED && now === EXECUTED) return `the target answered ${status} the first time, but ${outcome.status} now`;
  return `${endText(before, status)} the first time, but ${endText(now, outcome.status)} now`;
}

function endText(kind: number, status: number): string {
  if (kind === EXECUTED) return `the target answered ${status}`;
  return kind === SKIPPED ? "the action was skipped" : "the action threw an error";
}

/**
 * Returns the divergence for a step whose second execution had a different outcome. `merge`: `true` if the second execution followed another path to
 * the same state.
 */
export function divergence(
  { merge = false, ...found }: Pick<LaneDivergence, "path" | "differences"> & { readonly merge?: boolean },
  { counters, restarts = false }: Pick<LaneReport, "counters" | "restarts">,
): LaneDivergence {
  if (merge) {
    return {
      ...found,
      kind: "merge",
      message:
        "Two paths lead to the same state, but after one path the target behaves differently than after the other path. The target probably keeps data that seqqa does not observe or compare",
      hint: withCounters(
        "Check that every store of the target is declared in seqqa.yaml. The lines above show which calls behave differently.",
        counters,
      ),
    };
  }
  return {
    ...found,
    kind: "cross_check",
    message:
      "After seqqa had restored the stores to a state, the target behaved differently than after the calls that lead to this state. The target probably keeps data in memory that is not in its stores",
    hint: withCounters(
      `Keep such data in a store${restarts ? ", because each restart of the target loses it" : ", or set `target.rollback: restart`"}. A file, or the age of a stored time, may also be the cause. Until you change this, seqqa reaches each state by executing its calls again, which is slower.`,
      counters,
    ),
  };
}
