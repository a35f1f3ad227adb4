import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import { withoutBodies } from "../../model/http/without-bodies.ts";
import { redactExchanges, redactText, type Visibility } from "./redact.ts";
import { redactor, type Redactor } from "./redactor.ts";

/**
 * Returns a journey's result as a report may show it. Named fields are hidden everywhere. Requests and responses are left out if that is configured.
 */
export function redactJourney(result: JourneyResult, visibility: Visibility, hide: Redactor = redactor(visibility.redact)): JourneyResult {
  const redacted = (): JourneyResult => ({ ...result, steps: result.steps.map((step) => redactJourneyStep(step, visibility, hide)) });
  // The first pass collects the secrets. The second pass hides all of them.
  redacted();
  return redacted();
}

/** Returns a step as a report may show it. Values that become known as secrets later are not hidden in the step. */
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

/** Removes bodies from a step's error if reports must not show them. Errors of user code may quote a whole body. */
function withoutOwnBodies(text: string, { requests }: StepResult, { includeRequestResponse }: Visibility): string {
  if (includeRequestResponse) return text;
  return withoutBodies(
    text,
    requests.flatMap(({ request, response }) => [request.body ?? "", response?.body ?? ""]),
  );
}
