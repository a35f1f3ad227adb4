import type { Colours } from "../text/colours.ts";
import { coverageLines } from "./coverage-text.ts";
import { replayableIds } from "../findings/findings-text.ts";
import { grouped, plural } from "../text/numbers.ts";
import { heldText } from "./rules-text.ts";
import { SEVERITIES } from "../../../model/declare/severity.ts";
import { printable } from "../text/printable.ts";
import type { ReportedKnown, RunReport } from "../../document/run-report.ts";

/** Returns a line that says how many findings `--update-known` added to the list of known findings and removed from it. */
export function updateLines(known: ReportedKnown | undefined): readonly string[] {
  if (known?.updated === undefined) return [];
  const { added, removed } = known.updated;
  const ids = removed.length === 0 ? "" : ` (${removed.map(printable).join(", ")})`;
  return [`${printable(known.file)}: ${grouped(added.length)} added, ${grouped(removed.length)} removed${ids}`];
}

/** Returns lines that name the known findings in three groups: found again, no longer existing, and possibly missed by the run. */
export function knownLines(known: ReportedKnown | undefined): readonly string[] {
  if (known === undefined) return [];
  const file = printable(known.file);
  const ids = (list: readonly string[]): string => list.map(printable).join(", ");
  return [
    ...(known.found.length === 0 ? [] : [`known findings: ${ids(known.found)} (${file})`]),
    ...(known.stale.length === 0
      ? []
      : [
          `stale: ${ids(known.stale)} no longer ${known.stale.length === 1 ? "occurs" : "occur"}; remove ${known.stale.length === 1 ? "it" : "them"} from ${file}, or run with --update-known`,
        ]),
    ...(known.unseen.length === 0
      ? []
      : [`not seen: ${ids(known.unseen)} of ${file}, in a run that may have missed ${known.unseen.length === 1 ? "it" : "them"}`]),
    ...(known.unchecked === undefined
      ? []
      : [
          `no longer checked: ${ids(known.unchecked)} of ${file}, because a rule or an action no longer exists; if you removed or renamed it, remove ${known.unchecked.length === 1 ? "the entry" : "the entries"}`,
        ]),
  ];
}

/** The maximum number of further findings whose ids the line `replay` shows. */
const FURTHER = 3;
/** The number of characters of an id that identify a finding in a run. */
const SHORT = 8;

/** Returns the last lines of a run: PASSED, FAILED or UNVERIFIED with counts, the report file, and the command that replays the first finding. */
export function endLines(report: RunReport, colours: Colours): readonly string[] {
  const { files = [], replayWith, explorations } = report;
  const violations = explorations.flatMap(({ result }) => result.violations);
  const races = explorations.flatMap(({ result }) => result.races);
  const isNew = ({ known }: { readonly known?: boolean | undefined }): boolean => known !== true;
  const first = replayableIds({ violations, races })[0];
  const others = replayableIds({ violations: violations.filter(isNew), races: races.filter(isNew) }).filter((id) => id !== first);
  const known = [...knownLines(report.known), ...updateLines(report.known)];
  // A single error was already printed, and is the whole result.
  if (explorations.length + report.journeys.length === 0 && report.failures.length <= 1) return known;
  const shown = files.find((file) => file.endsWith(".html")) ?? files[0];
  return [
    ...known,
    "",
    `${wordOf(report.exitStatus, colours)}  ${countsOf(report).join("; ")}${report.exitStatus === 3 ? reasonsText(report) : ""}`,
    ...coverageLines(report),
    ...(shown === undefined ? [] : [`report  ${printable(shown)}`]),
    ...(first === undefined || replayWith === undefined ? [] : [`replay  ${printable(replayWith(first))}${alsoReplayable(others)}`]),
  ];
}

/** Returns a shell comment that names the ids of further findings, so that the line can still be copied as a command. */
function alsoReplayable(ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const left = ids.length > FURTHER ? ` and ${grouped(ids.length - FURTHER)} more` : "";
  return `   # or ${ids
    .slice(0, FURTHER)
    .map((id) => printable(id.slice(0, SHORT)))
    .join(", ")}${left}`;
}

function wordOf(exitStatus: number, colours: Colours): string {
  switch (exitStatus) {
    case 0:
      return colours.green("PASSED");
    case 1:
      return colours.red("FAILED");
    case 2:
      return colours.red("NOT RUN");
    case 3:
      return colours.yellow("UNVERIFIED");
    default:
      return colours.yellow("INTERRUPTED");
  }
}

/** Says in a few words why the result is unverified: `; unverified because of 1 late write and 2 divergences`. */
function reasonsText({ explorations, journeys }: RunReport): string {
  const results = explorations.map(({ result }) => result);
  const divergences = results.flatMap((result) => result.divergences);
  const passed = divergences.filter(({ kind }) => kind === "time_passed").length;
  const late = divergences.filter(({ kind }) => kind === "late_write").length;
  const counts: readonly (readonly [count: number, what: string])[] = [
    [results.flatMap(({ violations }) => violations.filter(({ confirmed }) => !confirmed)).length, "unconfirmed finding"],
    [late, "late write"],
    [divergences.length - late - passed, "divergence"],
    [passed, "passed time"],
    [results.flatMap(({ errors }) => errors).length, "error"],
    [results.flatMap(({ unverified }) => unverified).length, '"unverified" line'],
    [journeys.filter(({ error, notPutBack }) => error !== undefined || notPutBack !== undefined).length, "unjudged journey"],
  ];
  const parts = counts.flatMap(([count, what]) => (count === 0 ? [] : [plural(count, what)]));
  return parts.length === 0 ? "" : `; unverified because of ${new Intl.ListFormat("en").format(parts)}`;
}

function countsOf({ explorations, journeys, failures }: RunReport): readonly string[] {
  const results = explorations.map(({ result }) => result);
  const findings = results.flatMap(({ violations, races }) => [...violations, ...races]);
  const known = findings.filter((one) => one.known === true).length;
  const bySeverity = SEVERITIES.map((severity) => [severity, findings.filter((one) => one.severity === severity).length] as const);
  const severities = bySeverity.filter(([, count]) => count > 0).map(([severity, count]) => `${grouped(count)} ${severity}`);
  const listed = known === 0 ? "" : `, ${grouped(known)} known`;
  const statuses = (["passed", "failed", "timed_out"] as const).map(
    (status) => [status, journeys.filter(({ result }) => result.status === status).length] as const,
  );
  const ended = statuses.filter(([status, count]) => count > 0 || status === "passed");
  const parts = [
    results.length > 1 && plural(results.length, "exploration"),
    findings.length > 0 && `${plural(findings.length, "finding")} (${severities.join(", ")}${listed})`,
    results.length > 0 && heldText(results),
    journeys.length > 0 &&
      `${plural(journeys.length, "journey")}: ${ended.map(([status, count]) => `${grouped(count)} ${status.replace("_", " ")}`).join(", ")}`,
    failures.length > 0 && `${plural(failures.length, "failure")} without a result`,
  ];
  return parts.filter((part) => part !== false);
}
