import { plural } from "../console/text/numbers.ts";
import { cut, printable } from "../console/text/printable.ts";
import { raceName, verdictText } from "../console/findings/race-text.ts";
import { replayableIds } from "../console/findings/findings-text.ts";
import { doubtOf } from "../console/findings/violation-text.ts";
import type { ExplorationEntry, JourneyEntry, RunDocument } from "../document/document-types.ts";
import type { RunReport } from "../document/run-report.ts";

/** The largest number of findings, and of other problems, that are shown for each exploration. */
const SHOWN = 10;
const BODY = 300;

const VERDICTS: Readonly<Record<number, string>> = { 0: "PASSED", 1: "FAILED", 3: "UNVERIFIED", 130: "INTERRUPTED" };

type Commands = Pick<RunReport, "replayWith" | "reportWith" | "files">;

/**
 * Returns a run as a few lines: some lines for each finding and problem, one line for each exploration and journey, and one for the result. The
 * caller must escape control characters in the lines.
 */
export function agentLines(document: RunDocument, commands: Commands): readonly string[] {
  const { explorations, journeys, failures, exitStatus, run } = document;
  return [
    ...explorations.flatMap((entry) => explorationLines(entry, commands)),
    ...journeys.flatMap(journeyLines),
    ...failures.flatMap(({ file, code, message, hint }) => [
      `ERROR ${file} ${code}: ${message}`,
      ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ]),
    `${VERDICTS[exitStatus] ?? "ENDED"} exit status ${exitStatus}${exitStatus === 0 ? "" : everything(run, commands)}`,
  ];
}

/**
 * Returns a text that says where the whole result is: in the written JSON file, or else in the output of a command; empty if the run was not stored.
 */
function everything(run: string, { files = [], reportWith }: Commands): string {
  const file = files.find((one) => one.endsWith(".json"));
  if (file !== undefined) return `; everything: ${file}`;
  return reportWith === undefined ? "" : `; everything: ${reportWith} --run ${run} --format json --output -`;
}

function explorationLines(entry: ExplorationEntry, commands: Commands): readonly string[] {
  const { name, verdict, violations, races, errors, divergences, unverified, transitions } = entry;
  const replayable = new Set(replayableIds(entry));
  const again = (id: string): readonly string[] =>
    commands.replayWith === undefined || !replayable.has(id) ? [] : [`  again: ${commands.replayWith(printable(id))}`];
  const found = [
    ...violations.map((one) => [...violationLines(one), ...again(one.id)]),
    ...races.map((race) => [...raceLines(race), ...again(race.id)]),
  ];
  const problems = [
    ...errors.map(({ code, source, message, where, path }) => [
      `ERROR ${code} in ${source}: ${message}`,
      `  path: ${path.join(" -> ")}`,
      ...(where === undefined ? [] : [`  where: ${where}`]),
    ]),
    ...divergences.map(({ kind, message, path, hint }) => [
      `DIVERGENCE ${kind}: ${message}`,
      `  path: ${path.join(" -> ")}`,
      ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ]),
    ...unverified.map((why) => [`UNVERIFIED ${why}`]),
  ];
  return [
    ...shown(found, "findings"),
    ...shown(problems, "problems"),
    `exploration ${name}: ${verdict.text}; ${plural(transitions, "transition")}, ${plural(found.length, "finding")}, ${plural(problems.length, "problem")}`,
  ];
}

function violationLines(one: ExplorationEntry["violations"][number]): readonly string[] {
  const { severity, invariant, id, message, reproductionPath, request, response, where, evidence, known } = one;
  const doubt = doubtOf(one);
  const marks = [...(doubt === undefined ? [] : [doubt.text]), ...(known === true ? ["known"] : [])];
  const because = { actual: evidence?.actual, expected: evidence?.expected };
  return [
    `FINDING ${severity.toUpperCase()} ${invariant}${marks.length === 0 ? "" : ` (${marks.join("; ")})`} id ${id}`,
    `  ${message}`,
    `  path: ${reproductionPath.length === 0 ? "(the root state)" : reproductionPath.join(" -> ")}`,
    ...(request === undefined ? [] : [`  request: ${request.method} ${request.url}`]),
    ...(response === undefined ? [] : [`  response: ${response.status} ${cut(response.body, BODY)}`]),
    ...Object.entries(because).flatMap(([word, value]) => (value === undefined ? [] : [`  ${word}: ${cut(JSON.stringify(value), BODY)}`])),
    ...(where === undefined ? [] : [`  where: ${where}`]),
  ];
}

function raceLines(race: ExplorationEntry["races"][number]): readonly string[] {
  const { severity, id, message, prefix, where, known } = race;
  return [
    `FINDING ${severity.toUpperCase()} race, ${verdictText(race)}${known === true ? " (known)" : ""} id ${id}`,
    `  ${message}`,
    `  path: ${[...prefix, `(${raceName(race)})`].join(" -> ")}`,
    ...(where === undefined ? [] : [`  where: ${where}`]),
  ];
}

function journeyLines({ name, status, steps, errors, divergences }: JourneyEntry): readonly string[] {
  const last = steps.find((step) => step.status === "failed" || step.status === "timed_out");
  return [
    `journey ${name}: ${status.replace("_", " ")}${last === undefined ? `, ${steps.length} steps` : ` at ${last.name}`}`,
    ...(last?.error === undefined ? [] : [`  ${cut(last.error, BODY)}`]),
    ...(last?.where === undefined ? [] : [`  where: ${last.where}`]),
    ...[...errors, ...divergences].map(({ message }) => `  ${message}`),
  ];
}

function shown(blocks: readonly (readonly string[])[], word: string): readonly string[] {
  const more = blocks.length - SHOWN;
  return [...blocks.slice(0, SHOWN).flat(), ...(more > 0 ? [`${more} more ${word} are not shown`] : [])];
}
