import type { JourneyEntry } from "../document/document-types.ts";
import type { ReportedJourney } from "../document/run-report.ts";
import { redactJourney } from "../redaction/redact-journey.ts";
import { redactDivergence, redactError, redactText, type Visibility } from "../redaction/redact.ts";
import { redactor, type Redactor } from "../redaction/redactor.ts";
import { exchangeJson } from "./result-json.ts";

/** Returns a journey's result as plain data. The keys are always in the same order. Undefined members are left out when the data is written. */
export function journeyJson(
  { name, file, result, notes, error, notPutBack }: ReportedJourney,
  visibility: Visibility,
  hide: Redactor = redactor(visibility.redact),
): JourneyEntry {
  const { status, steps, durationMs, interrupted } = redactJourney(result, visibility, hide);
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
    notes: notes.map((note) => redactText(note, visibility, hide)),
    errors: error === undefined ? [] : [redactError(error, visibility, hide)],
    divergences: notPutBack === undefined ? [] : [redactDivergence(notPutBack, visibility, hide)],
  };
}
