import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import { withoutBodies } from "../../model/http/without-bodies.ts";
import { redactExchanges, redactText, type Visibility } from "./redact.ts";
import { redactor, type Redactor } from "./redactor.ts";

/** The result as a report may show it: named fields hidden in everything, requests and responses left out where that is wanted. */
export function redactJourney(result: JourneyResult, visibility: Visibility, hide: Redactor = redactor(visibility.redact)): JourneyResult {
  const redacted = (): JourneyResult => ({ ...result, steps: result.steps.map((step) => redactJourneyStep(step, visibility, hide)) });
  // What is a secret is known when all of it was seen.
  redacted();
  return redacted();
}

function redactJourneyStep(step: StepResult, visibility: Visibility, hide: Redactor): StepResult {
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

/** A step's own code may have quoted the whole of a body. */
function withoutOwnBodies(text: string, { requests }: StepResult, { includeRequestResponse }: Visibility): string {
  if (includeRequestResponse) return text;
  return withoutBodies(
    text,
    requests.flatMap(({ request, response }) => [request.body ?? "", response?.body ?? ""]),
  );
}
