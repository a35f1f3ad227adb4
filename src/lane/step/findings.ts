import { noAnswer, type ErrorEvent, type FindingEvent } from "../../messages/lane-messages.ts";
import type { Outcome } from "./outcome.ts";
import type { UnansweredCheck } from "./stepper.ts";

/** Returns the finding of a step that got no answer, neither at first nor from a clean start. */
export function brokenFinding(action: string, outcome: Outcome): FindingEvent {
  const isTimeout = outcome.lost === "timeout";
  const what = isTimeout ? `${action} got no answer in time` : `The target stopped answering during ${action}`;
  return { ...noAnswer(isTimeout, action), message: `${what}, and again from a clean start` };
}

/**
 * Returns the finding of a check whose request got no answer, neither at first nor from a clean start. `action`: the action of the checked step;
 * `undefined` in the initial state. `tries`: it was tried only once.
 */
export function unansweredFinding({ check, reason }: UnansweredCheck, action: string | undefined, tries?: "once"): FindingEvent {
  const where = action === undefined ? "in the initial state" : `after ${action}`;
  const again = action === undefined || tries === "once" ? "" : ", and again from a clean start";
  const isTimeout = reason === "timeout";
  const during = check === "" ? "" : ` during a request of ${check}`;
  const what = isTimeout ? `A request of ${check || "an unknown check"} got no answer in time` : `The target stopped answering${during}`;
  return { ...noAnswer(isTimeout, check || String(action)), message: `${what} ${where}${again}` };
}

/** The findings and errors of the checks of one state. */
export interface Judged {
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
}

/** Adds the finding of a check that got no answer to the results of the checks. The check's own error would only repeat it. */
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
