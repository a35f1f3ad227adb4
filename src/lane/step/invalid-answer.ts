import { INVALID_ANSWER, type FindingEvent } from "../../messages/lane-messages.ts";
import { InvalidAnswer } from "../../model/http/invalid-answer.ts";
import { Severity } from "../../model/declare/severity.ts";

/**
 * Returns the finding for an answer that is not valid HTTP. Returns `undefined` for any other error. `check`: the name of the rule that sent the
 * request, if a rule did. The target is still running, so the step is not repeated.
 */
export function invalidAnswerFinding(error: unknown, check?: string): FindingEvent | undefined {
  if (!(error instanceof InvalidAnswer)) return undefined;
  const asked = check === undefined ? "" : `, a request of ${check},`;
  const message = `The answer to ${error.request}${asked} is not valid HTTP: ${error.why}`;
  return { invariant: INVALID_ANSWER, severity: Severity.HIGH, message };
}
