import { printable, printableLines } from "../console/text/printable.ts";
import type { ExplorationEntry, JourneyEntry, RunDocument } from "../document/document-types.ts";
import { jsonText } from "../json/json-text.ts";
import { foundIn, locationOf, sarifResult } from "./sarif-result.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/**
 * Returns the findings of a run as SARIF 2.1.0, which GitHub code scanning and other viewers read. Known findings are marked as suppressed. Failed
 * journeys are results, too. The reasons why a run is unverified are notifications.
 */
export function sarifText(document: RunDocument): string {
  const findings = document.explorations.flatMap((entry) => foundIn(entry).map((found) => ({ found, file: entry.file })));
  const ended = document.journeys.filter(({ status, interrupted }) => status !== "passed" && interrupted !== true);
  const ids = [...new Set([...findings.map(({ found }) => found.ruleId), ...(ended.length > 0 ? ["journey"] : [])])];
  const messages = new Map(findings.map(({ found }) => [found.ruleId, found.message]));
  const rules = ids.map((id) => ({
    id: printable(id),
    shortDescription: { text: printable(messages.get(id) ?? "A journey did not pass.") },
  }));
  const results = [
    ...findings.map(({ found, file }) => sarifResult(found, file, ids.indexOf(found.ruleId))),
    ...ended.map((entry) => journeyResult(entry, ids.indexOf("journey"))),
  ];
  const run = {
    tool: { driver: { name: "seqqa", version: document.seqqa, informationUri: "https://www.npmjs.com/package/seqqa", rules } },
    invocations: [
      {
        executionSuccessful: document.exitStatus === 0 || document.exitStatus === 1,
        exitCode: document.exitStatus,
        startTimeUtc: document.startedAt,
        toolExecutionNotifications: notifications(document),
      },
    ],
    automationDetails: { id: `seqqa/${document.run}` },
    columnKind: "utf16CodeUnits",
    results,
  };
  return jsonText({ $schema: SCHEMA, version: "2.1.0", runs: [run] });
}

function journeyResult({ name, file, steps, status }: JourneyEntry, ruleIndex: number): object {
  const last = steps.find((step) => step.status === "failed" || step.status === "timed_out");
  const how = (last?.status ?? status).replace("_", " ");
  return {
    ruleId: "journey",
    ruleIndex,
    kind: "fail",
    level: "error",
    message: { text: printableLines([`journey ${name}: ${last?.name ?? ""} ${how}`, last?.error ?? ""].join("\n").trim()) },
    locations: [locationOf(last?.where, file)],
    partialFingerprints: { "seqqaJourney/v1": printable(`${name}/${last?.name ?? ""}`) },
    properties: { journey: name },
  };
}

function notifications({ failures, explorations, journeys }: RunDocument): readonly object[] {
  const of = (text: string, file: string, where?: string): object => ({
    level: "error",
    message: { text: printableLines(text) },
    locations: [locationOf(where, file)],
  });
  const problems = ({
    name,
    file,
    errors,
    divergences,
  }: Pick<ExplorationEntry | JourneyEntry, "name" | "file" | "errors" | "divergences">) => [
    ...errors.map((one) => of(`${name}: ${one.message} (${one.code})`, file, one.where)),
    ...divergences.map((one) => of(`${name}: ${one.message} (${one.kind})`, file)),
  ];
  return [
    ...failures.map((one) => of(`${one.message} (${one.code})`, one.file)),
    ...explorations.flatMap((entry) => [...problems(entry), ...entry.unverified.map((why) => of(`${entry.name}: ${why}`, entry.file))]),
    ...journeys.flatMap(problems),
  ];
}
