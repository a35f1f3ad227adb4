import type { StopReason } from "../model/result.ts";
import { Severity } from "../model/severity.ts";
import type { FoundViolation } from "./finding-log.ts";
import { CRASHED, type LaneFailure, type UnitRequest } from "./messages.ts";

/** A step at which the target gave no answer, once. */
export interface Unsettled {
  readonly kind: "timeout" | "unreachable";
  readonly failure: LaneFailure;
  /** Action indices; the last one is the step's. */
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

/**
 * What was seen when the target gave no answer, and not tried to its end, since the time was up or the run was interrupted. Where a run ends otherwise, what
 * lanes did ahead of it does not belong to it.
 */
export function unsettledOf(
  { stopReason, tries }: Stopped,
  actions: readonly string[],
  signal: AbortSignal | undefined,
): readonly FoundViolation[] {
  if (stopReason === "max_time") return tries.unsettled(actions, "the time was up");
  return stopReason === "interrupted" && signal?.aborted === true ? tries.unsettled(actions, "the run was interrupted") : [];
}

interface Stopped {
  readonly stopReason: StopReason | undefined;
  readonly tries: { unsettled(actions: readonly string[], why: string): readonly FoundViolation[] };
}

/** What was seen of the step as a violation that nobody has confirmed. `why`: what kept it from being confirmed, as in "the time was up". */
export function unsettledViolation({ kind, failure, path, draws }: Unsettled, actions: readonly string[], why: string): FoundViolation {
  const lastAction = actions[path.at(-1)!]!;
  const { check = "", message, target } = failure;
  const isTimeout = kind === "timeout";
  const invariant = isTimeout ? `${check === "" ? lastAction : check}_timeout` : CRASHED;
  const what = isTimeout ? "A request timed out once" : "The target stopped answering once";
  const during = check === "" ? `during ${lastAction}` : `during a request of ${check} after ${lastAction}`;
  return {
    key: JSON.stringify([invariant, lastAction, 0]),
    finding: {
      invariant,
      severity: isTimeout ? Severity.HIGH : Severity.CRITICAL,
      message: `${what} ${during}, not confirmed: ${why}. ${message}`,
      ...(target !== undefined && { target }),
    },
    lastAction,
    status: 0,
    count: 1,
    path,
    draws,
    state: null,
    news: undefined,
    from: [],
  };
}
