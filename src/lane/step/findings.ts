import { noAnswer, type ErrorEvent, type FindingEvent } from "../../messages/lane-messages.ts";
import type { Outcome } from "./outcome.ts";
import type { UnansweredCheck } from "./stepper.ts";

/** Returns the finding for a step that got no answer, neither in the first execution nor when the step was repeated from a clean start. */
export function brokenFinding(action: string, outcome: Outcome): FindingEvent {
  const isTimeout = outcome.lost === "timeout";
  const what = isTimeout ? `${action} got no answer in time` : `The target stopped answering during ${action}`;
  return { ...noAnswer(isTimeout, action), message: `${what}. The same happened again from a clean start` };
}

/**
 * Returns the finding for a check whose request got no answer. `action`: the action after which the check ran, or `undefined` in the root state.
 * `tries`: `once` if the request was not repeated from a clean start.
 */
export function unansweredFinding({ check, reason }: UnansweredCheck, action: string | undefined, tries?: "once"): FindingEvent {
  const where = action === undefined ? "in the root state" : `after ${action}`;
  const again = action === undefined || tries === "once" ? "" : ". The same happened again from a clean start";
  const isTimeout = reason === "timeout";
  const during = check === "" ? "" : ` during a request of ${check}`;
  const what = isTimeout ? `A request of ${check || "an unknown check"} got no answer in time` : `The target stopped answering${during}`;
  return { ...noAnswer(isTimeout, check || String(action)), message: `${what} ${where}${again}` };
}

export interface Judged {
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
}

/**
 * Adds the finding for a check that got no answer to the findings after a step. Removes the finding and the error that this check itself reported,
 * because they have the same cause.
 */
export function withUnanswered(
  { findings, errors }: Judged,
  unanswered: UnansweredCheck,
  action: string | undefined,
  tries?: "once",
): Judged {
  return {
    findings: [...findings.filter(({ invariant }) => invariant !== unanswered.check), unansweredFinding(unanswered, action, tries)],
    errors: errors.filter(({ source }) => source !== unanswered.check),
  };
}
