import type { RunDocument } from "./document-types.ts";
import { journeyJson } from "./journey-json.ts";
import { redactResult, type Visibility } from "./redact.ts";
import { resultJson } from "./result-json.ts";
import type { ReportedExploration, RunReport } from "./run-report.ts";

/** An exploration as it stands in the document. */
export function explorationEntry({ name, file, result }: ReportedExploration, visibility: Visibility): ExplorationEntry {
  return { name, file, ...resultJson(redactResult(result, visibility)) };
}

/** The document of a run; see {@link RunDocument}. */
export function runDocument(report: RunReport, visibility: Visibility): RunDocument {
  return {
    seqqa: report.version,
    format: 1,
    run: report.run,
    startedAt: report.startedAt.toISOString(),
    failOnSeverity: report.failOnSeverity,
    explorations: report.explorations.map((exploration) => explorationEntry(exploration, visibility)),
    journeys: report.journeys.map((journey) => journeyJson(journey, visibility)),
    failures: report.failures.map(({ file, code, message, hint }) => ({ file, code, message, hint })),
    knownFindings: report.known,
    exitStatus: report.exitStatus,
  };
}
