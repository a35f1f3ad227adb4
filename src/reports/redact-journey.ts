import type { JourneyResult, StepResult } from "../model/journey-result.ts";
import { redactExchange, redactor, type Redactor, type Visibility } from "./redact.ts";

/** The result as a report may show it: named fields hidden in everything, requests and responses left out where that is wanted. */
export function redactJourney(result: JourneyResult, visibility: Visibility): JourneyResult {
  const hide = redactor(visibility.redact);
  return { ...result, steps: result.steps.map((step) => redactStep(step, visibility, hide)) };
}

function redactStep(step: StepResult, { includeRequestResponse }: Visibility, hide: Redactor): StepResult {
  return {
    name: step.name,
    status: step.status,
    requests: includeRequestResponse ? step.requests.map((one) => redactExchange(one, hide)) : [],
    context: { set: hide.value(step.context.set) as Readonly<Record<string, unknown>>, deleted: step.context.deleted },
    ...(step.args === undefined ? {} : { args: hide.value(step.args) }),
    ...(step.error === undefined ? {} : { error: hide.body(step.error) }),
    ...(step.where === undefined ? {} : { where: step.where }),
    durationMs: step.durationMs,
  };
}
