import type { ExplorationEntry, RunDocument } from "./document-types.ts";
import { journeyJson } from "../json/journey-json.ts";
import { redactFailure, redactResult, type Visibility } from "../redaction/redact.ts";
import { redactor, type Redactor } from "../redaction/redactor.ts";
import { resultJson } from "../json/result-json.ts";
import type { ReportedExploration, RunReport } from "./run-report.ts";

export function explorationEntry(
  { name, file, result }: ReportedExploration,
  visibility: Visibility,
  hide: Redactor = redactor(visibility.redact),
): ExplorationEntry {
  return { name, file, ...resultJson(redactResult(result, visibility, hide)) };
}

export function runDocument(report: RunReport, visibility: Visibility, hide: Redactor = redactor(visibility.redact)): RunDocument {
  const redacted = (): Pick<RunDocument, "explorations" | "journeys" | "failures"> => ({
    explorations: report.explorations.map((exploration) => explorationEntry(exploration, visibility, hide)),
    journeys: report.journeys.map((journey) => journeyJson(journey, visibility, hide)),
    failures: report.failures.map((failure) => redactFailure(failure, visibility, hide)),
  });
  // Redact everything twice: a value of the first exploration may be found to be a secret only in the last journey.
  if (report.explorations.length + report.journeys.length > 1) redacted();
  return {
    seqqa: report.version,
    format: 1,
    run: report.run,
    startedAt: report.startedAt.toISOString(),
    failOnSeverity: report.failOnSeverity,
    ...redacted(),
    knownFindings: report.known,
    coverage: report.coverage,
    source: report.source,
    folder: report.folder,
    commandFlags: report.commandFlags,
    exitStatus: report.exitStatus,
  };
}
