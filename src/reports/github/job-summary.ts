import type { ExplorationEntry, JourneyEntry, RunDocument } from "../document/document-types.ts";
import { duration, grouped, plural } from "../console/text/numbers.ts";
import { doubtOf } from "../console/findings/violation-text.ts";
import { raceName, rateText, statusText, verdictText } from "../console/findings/race-text.ts";
import { inertMarkdown as inert } from "./inert-markdown.ts";

const VERDICTS: Readonly<Record<number, string>> = {
  0: "no finding fails the run",
  1: "failed",
  3: "the result is unverified",
  130: "interrupted",
};

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns a run as Markdown of at most `room` bytes. If not all rows fit, the last sentence says how many were left out. */
export function jobSummary(document: RunDocument, room: number): string {
  const title = `## seqqa: ${VERDICTS[document.exitStatus] ?? "ended early"}\n\n`;
  const tables = [findings(document), explorations(document.explorations), journeys(document.journeys), problems(document)];
  const shown = tables.filter(({ rows }) => rows.length > 0);
  const parts = [title];
  let size = Buffer.byteLength(title);
  let left = 0;
  // Reserve 200 bytes for the sentence about rows that do not fit.
  const most = room - 200;
  const add = (more: string): boolean => {
    const bytes = Buffer.byteLength(more);
    if (size + bytes > most) return false;
    size += bytes;
    parts.push(more);
    return true;
  };
  for (const { title: name, head, rows } of shown) {
    const begin = `### ${name}\n\n${row(head)}${row(head.map(() => "---"))}`;
    const [first, ...rest] = rows.map(row);
    if (!add(begin + first!)) {
      left += rows.length;
      continue;
    }
    let full = false;
    for (const line of rest) {
      full ||= !add(line);
      if (full) left++;
    }
    parts.push("\n");
  }
  if (left > 0)
    parts.push(
      `${plural(left, "row")} left out, because GitHub limits this summary to 1 MiB. The reports of the run contain all rows.\n\n`,
    );
  const text = parts.join("");
  return Buffer.byteLength(text) <= room ? text : "";
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

function findings({ explorations: list, knownFindings }: RunDocument): Table {
  const rows = list.flatMap(({ name, violations, races }) => [
    ...violations.map((one) => {
      const doubt = doubtOf(one);
      const marks = [...(doubt === undefined ? [] : [doubt.word]), ...(one.known === true ? ["known"] : [])];
      return [
        one.severity.toUpperCase() + (marks.length === 0 ? "" : ` (${marks.join(", ")})`),
        `${inert(one.invariant)}<br>${inert(one.message)}`,
        one.reproductionPath.length === 0
          ? one.state === null
            ? "none"
            : "the root state"
          : inert(one.reproductionPath.join(" -> "), 2000),
        answer(one),
        grouped(one.count),
        inert(name),
        inert(one.where ?? ""),
        inert(one.id),
      ];
    }),
    ...races.map((race) => raceRow(name, race)),
  ]);
  const stale = (knownFindings?.stale ?? []).map((id) => ["no longer found", "", "", "", "", "", inert(knownFindings!.file), inert(id)]);
  return {
    title: "Findings",
    head: ["Severity", "Rule", "Path", "Answer", "Seen", "Exploration", "Where", "Id"],
    rows: [...rows, ...stale],
  };
}

function raceRow(name: string, race: ExplorationEntry["races"][number]): readonly string[] {
  return [
    race.severity.toUpperCase() + (race.known === true ? " (known)" : ""),
    `race, ${inert(verdictText(race))}<br>${inert(race.message)}`,
    inert([...race.prefix, `(${raceName(race)})`].join(" -> "), 2000),
    race.observed.calls
      .map(({ action, status, requests }) => {
        const request = requests.at(-1)?.request;
        return `${inert(request === undefined ? action : `${request.method} ${request.url}`)}<br>${statusText(status)}`;
      })
      .join("<br>"),
    inert(rateText(race)),
    inert(name),
    inert(race.where ?? ""),
    inert(race.id),
  ];
}

function answer({ request, response }: ExplorationEntry["violations"][number]): string {
  if (request === undefined) return response === undefined ? "" : String(response.status);
  return `${inert(`${request.method} ${request.url}`)}${response === undefined ? "" : `<br>${response.status} ${inert(response.body)}`}`;
}

function explorations(list: readonly ExplorationEntry[]): Table {
  return {
    title: "Explorations",
    head: ["Name", "Explored", "Steps", "Findings", "Errors", "Divergences", "Time", "Stopped"],
    rows: list.map((one) => [
      inert(one.name),
      inert(one.verdict.text),
      grouped(one.steps),
      grouped(one.violations.length + one.races.length),
      grouped(one.errors.length),
      grouped(one.divergences.length),
      duration(one.durationMs),
      one.stopReason.replaceAll("_", " "),
    ]),
  };
}

function journeys(list: readonly JourneyEntry[]): Table {
  return {
    title: "Journeys",
    head: ["Name", "Result", "Steps", "Step that ended the journey", "Why", "Time"],
    rows: list.map(({ name, status, interrupted, steps, durationMs }) => {
      const ended = steps.find((step) => step.status === "failed" || step.status === "timed_out");
      return [
        inert(name),
        interrupted === true ? "interrupted" : status.replace("_", " "),
        grouped(steps.length),
        inert(ended?.name ?? ""),
        inert(ended?.error ?? ""),
        duration(durationMs),
      ];
    }),
  };
}

/** Returns a table of the reasons why the run is unverified. */
function problems({ failures, explorations: list, journeys: ran }: RunDocument): Table {
  const of = ({ name, errors, divergences }: Pick<ExplorationEntry, "name" | "errors" | "divergences">): readonly (readonly string[])[] => [
    ...errors.map((one) => [inert(name), inert(one.code), inert(one.message), inert(one.path.join(" -> ")), inert(one.where ?? "")]),
    ...divergences.map((one) => [inert(name), one.kind.replaceAll("_", " "), inert(one.message), inert(one.path.join(" -> ")), ""]),
  ];
  return {
    title: "Why the result is unverified",
    head: ["In", "What", "Message", "Path", "Where"],
    rows: [
      ...failures.map((one) => [inert(one.file), inert(one.code), inert(one.message), "", ""]),
      ...list.flatMap((entry) => [...of(entry), ...entry.unverified.map((why) => [inert(entry.name), "unverified", inert(why), "", ""])]),
      ...ran.flatMap(of),
    ],
  };
}
