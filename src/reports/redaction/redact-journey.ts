import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import { withoutBodies } from "../../model/http/without-bodies.ts";
import { redactExchanges, redactText, type Visibility } from "./redact.ts";
import { redactor, type Redactor } from "./redactor.ts";

/**
 * Returns a redacted copy of a journey's result. The values of the configured fields are hidden everywhere. Requests and responses are left out if
 * the configuration says so.
 */
export function redactJourney(result: JourneyResult, visibility: Visibility, hide: Redactor = redactor(visibility.redact)): JourneyResult {
  const redacted = (): JourneyResult => ({ ...result, steps: result.steps.map((step) => redactJourneyStep(step, visibility, hide)) });
  // Redact twice: the first pass finds the secrets, the second pass hides all occurrences of them.
  redacted();
  return redacted();
}

/** Returns a redacted copy of a journey's step. Values that only a later step shows to be secrets stay visible. */
export function redactJourneyStep(step: StepResult, visibility: Visibility, hide: Redactor): StepResult {
  return {
    name: step.name,
    status: step.status,
    requests: redactExchanges(step.requests, visibility, hide),
    context: { set: hide.value(step.context.set) as Readonly<Record<string, unknown>>, deleted: step.context.deleted },
    ...(step.args === undefined ? {} : { args: hide.value(step.args) }),
    ...(step.error === undefined ? {} : { error: redactText(withoutOwnBodies(step.error, step, visibility), visibility, hide) }),
    ...(step.where === undefined ? {} : { where: step.where }),
    durationMs: step.durationMs,
  };
}

/** Removes response bodies from a step's error if reports must not show bodies. Errors of user code may quote a whole body. */
function withoutOwnBodies(text: string, { requests }: StepResult, { includeRequestResponse }: Visibility): string {
  if (includeRequestResponse) return text;
  return withoutBodies(
    text,
    requests.flatMap(({ request, response }) => [request.body ?? "", response?.body ?? ""]),
  );
}
