import type { StopReason } from "../../model/results/result.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import { noAnswer, type LaneFailure, type UnitRequest } from "../../messages/lane-messages.ts";

/** A step that got no answer and was executed only once, so that the missing answer is not confirmed. */
export interface Unsettled {
  readonly kind: "timeout" | "unreachable";
  readonly failure: LaneFailure;
  /** Action indices from the root state, including the action of the step itself. */
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

/**
 * Returns the steps that got no answer and were not executed again, because the time was up, the run was interrupted, or no further lane could be
 * built. Returns an empty list if the run ended for another reason.
 */
export function unsettledOf(
  { stopReason, fatal, tries }: Stopped,
  actions: readonly string[],
  signal: AbortSignal | undefined,
): readonly FoundViolation[] {
  if (stopReason === "max_time") return tries.unsettled(actions, "max_time was reached");
  // If a call ends a target that seqqa did not start, there is no target for a second attempt.
  if (fatal !== undefined) return tries.unsettled(actions, "seqqa could not start the lane again");
  return stopReason === "interrupted" && signal?.aborted === true ? tries.unsettled(actions, "the run was interrupted") : [];
}

interface Stopped {
  readonly stopReason: StopReason | undefined;
  /** The error that ended the run early. `undefined` if there was none. */
  readonly fatal: unknown;
  readonly tries: { unsettled(actions: readonly string[], why: string): readonly FoundViolation[] };
}

/**
 * Returns a violation without confirmation for a step that got no answer. `why`: the reason why the step was not executed again, for example
 * "max_time was reached".
 */
export function unsettledViolation({ kind, failure, path, draws }: Unsettled, actions: readonly string[], why: string): FoundViolation {
  const lastAction = actions[path.at(-1)!]!;
  const { check = "", message, target } = failure;
  const isTimeout = kind === "timeout";
  const rated = noAnswer(isTimeout, check === "" ? lastAction : check);
  const what = isTimeout ? "A request timed out once" : "The target stopped answering once";
  const during = check === "" ? `during ${lastAction}` : `during a request of ${check} after ${lastAction}`;
  return {
    key: JSON.stringify([rated.invariant, lastAction, 0]),
    finding: {
      ...rated,
      message: `${what} ${during}. seqqa could not repeat the step to confirm the missing answer, because ${why}. ${message}`,
      ...(target !== undefined && { target }),
    },
    lastAction,
    status: 0,
    count: 1,
    path,
    draws,
    state: null,
    stepEvents: undefined,
    from: [],
  };
}
