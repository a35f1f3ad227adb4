export { coloursFor, type Colours } from "./console/text/colours.ts";
export { ConsoleReporter } from "./console/console.ts";
export { findingLines } from "./console/findings/findings-text.ts";
export { JsonReporter } from "./json/json.ts";
export { inertMarkdown } from "./github/inert-markdown.ts";
export { inertOutput } from "./github/inert-output.ts";
export { onGithub, reportToGithub } from "./github/report-to-github.ts";
export { REPORT_FORMAT_NAMES, REPORT_FORMATS } from "./formats/index.ts";
export type { ReportFormat } from "./formats/report-format.ts";
export { harText } from "./har/har-text.ts";
export { detectAgent } from "./agent/detect-agent.ts";
export { junitText } from "./junit/junit.ts";
export { htmlText } from "./html/html-text.ts";
export { findingParts } from "./html/finding-parts.ts";
export { stateNamer, type StateNamer } from "./html/text/state-namer.ts";
export { text } from "./html/text/safe-text.ts";
export { element } from "./junit/xml.ts";
export { jsonPieces, jsonText } from "./json/json-text.ts";
export { DepthCounter, type ByDepth } from "./console/summary/by-depth.ts";
export { graphEntry, MOST_LISTED } from "./document/graph-entry.ts";
export { Live } from "./console/progress/live.ts";
export { readableChanges } from "./console/text/readable-changes.ts";
export { printable, printableLines } from "./console/text/printable.ts";
export {
  redactEvent,
  redactExchange,
  redactFailure,
  redactResult,
  redactTarget,
  redactText,
  redactTried,
  type Visibility,
} from "./redaction/redact.ts";
export { redactJudged, redactPlace, redactReplay, redactWalked } from "./redaction/redact-replay.ts";
export { hideCredentials } from "./redaction/hide-in-text.ts";
export { redactor, type Redactor } from "./redaction/redactor.ts";
export type { Output, Reporter, ReporterOptions, WholeReporter } from "./reporter.ts";
export { REPORTER_NAMES, REPORTERS, Reporters } from "./reporters.ts";
export { userReporter } from "./user-reporter.ts";
export { resultJson } from "./json/result-json.ts";
export type { ExplorationEntry, GraphEntry, JourneyEntry, RuleStrength, RunDocument } from "./document/document-types.ts";
export type { SourcePlace } from "./document/source-place.ts";
export type { GraphData, ReportData } from "./document/report-data.ts";
export { journeyJson } from "./json/journey-json.ts";
export { explorationEntry, runDocument } from "./document/run-document.ts";
export type { ReportedExploration, ReportedFailure, ReportedJourney, ReportedKnown, RunReport } from "./document/run-report.ts";
export { judgedLines, placeLines, walkedLines } from "./console/findings/walked-text.ts";
export { isUnjudged, NOT_CHECKED, ruleStates } from "./console/summary/rules-text.ts";
export { summaryLines } from "./console/summary/summary.ts";
export { verdictOf } from "./console/summary/verdict.ts";
export { confirmingText, faultingText, progressLines, racingText } from "./console/progress/progress-text.ts";
export { plural } from "./console/text/numbers.ts";
export { raceName, raceText } from "./console/findings/race-text.ts";
export { violationText } from "./console/findings/violation-text.ts";
export { raceReplayLines } from "./console/replay/race-replay-lines.ts";
export { replayTable } from "./console/replay/replay-table.ts";
export { pathJourneyText, pathVitestText, raceVitestText, vitestText, type VitestInput } from "./vitest/vitest-text.ts";
export { comparedWith, type ComparedFinding, type Comparison } from "./document/compared-with.ts";
export { idsOf } from "./document/ids-of.ts";
export { absenceOf, isComplete, sawEveryCall, type Absence } from "./document/would-have-found.ts";
export { GraphReader, type GraphEdge } from "./document/graph-reader.ts";
export { statusOfResult, unverifiedIfCut } from "./document/status-of-result.ts";
export { openedPath } from "./document/opened-path.ts";
export { resultOfEntry } from "./document/result-of-entry.ts";
export { writePieces } from "./json/write-pieces.ts";
