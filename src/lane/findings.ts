import { CRASHED, type ErrorNews, type FindingNews } from "../engine/messages.ts";
import { Severity } from "../model/severity.ts";
import type { Outcome } from "./outcome.ts";
import type { UnansweredCheck } from "./stepper.ts";

/** The finding of a step that got no answer, and none again from a clean start. */
export function brokenFinding(action: string, outcome: Outcome): FindingNews {
  return outcome.lost === "timeout"
    ? { invariant: `${action}_timeout`, severity: Severity.HIGH, message: `${action} got no answer in time, and again from a clean start` }
    : {
        invariant: CRASHED,
        severity: Severity.CRITICAL,
        message: `The target stopped answering during ${action}, and again from a clean start`,
      };
}

/** The finding of a check whose request got no answer, and none again from a clean start. `action`: of the step that was checked; `undefined` in the initial state. */
export function unansweredFinding({ check, reason }: UnansweredCheck, action: string | undefined): FindingNews {
  const where = action === undefined ? "in the initial state" : `after ${action}`;
  const again = action === undefined ? "" : ", and again from a clean start";
  if (reason === "timeout") {
    const message = `A request of ${check || "nobody's"} got no answer in time ${where}${again}`;
    return { invariant: `${check || action}_timeout`, severity: Severity.HIGH, message };
  }
  const during = check === "" ? "" : ` during a request of ${check}`;
  return { invariant: CRASHED, severity: Severity.CRITICAL, message: `The target stopped answering${during} ${where}${again}` };
}

/** What checks said of a state. */
export interface Judged {
  readonly findings: readonly FindingNews[];
  readonly errors: readonly ErrorNews[];
}

/** Adds the finding of a check that got no answer to what the checks said. The check's own error would only say that again. */
export function withUnanswered({ findings, errors }: Judged, unanswered: UnansweredCheck, action: string | undefined): Judged {
  return {
    findings: [...findings.filter(({ invariant }) => invariant !== unanswered.check), unansweredFinding(unanswered, action)],
    errors: errors.filter(({ source }) => source !== unanswered.check),
  };
}
