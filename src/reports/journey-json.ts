import type { JourneyEntry } from "./document-types.ts";
import type { ReportedJourney } from "./run-report.ts";
import { redactJourney } from "./redact-journey.ts";
import { redactError, redactor, type Visibility } from "./redact.ts";
import { exchangeJson } from "./result-json.ts";

/** A journey's result as plain data, its keys always in the same order: what is undefined is left out, when written. */
export function journeyJson({ name, file, result, notes, error, notPutBack }: ReportedJourney, visibility: Visibility): JourneyEntry {
  const hide = redactor(visibility.redact);
  const { status, steps, durationMs, interrupted } = redactJourney(result, visibility);
  return {
    name,
    file,
    status,
    steps: steps.map((step) => ({
      name: step.name,
      status: step.status,
      requests: step.requests.map(exchangeJson),
      context: step.context,
      ...(step.args !== undefined && { args: step.args }),
      error: step.error,
      where: step.where,
      durationMs: step.durationMs,
    })),
    durationMs,
    ...(interrupted && { interrupted }),
    notes,
    errors: error === undefined ? [] : [redactError(error, hide)],
    divergences: notPutBack === undefined ? [] : [{ ...notPutBack, differences: notPutBack.differences.map((line) => hide.body(line)) }],
  };
}
