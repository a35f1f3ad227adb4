import { grouped, plural } from "./numbers.ts";
import { printable } from "./printable.ts";
import type { ReportedKnown, RunReport } from "../document/run-report.ts";

/** Returns the last line of a run with several explorations or journeys. */
export function totals({ explorations, journeys }: RunReport): readonly string[] {
  const parts: string[] = [];
  if (explorations.length > 1) {
    const found = explorations.reduce((sum, { result }) => sum + result.violations.length, 0);
    const races = explorations.reduce((sum, { result }) => sum + result.races.length, 0);
    const probed = races > 0 || explorations.some(({ result }) => result.raceCoverage !== undefined);
    parts.push(`${plural(explorations.length, "exploration")}, ${plural(found, "violation")}${probed ? `, ${plural(races, "race")}` : ""}`);
  }
  if (journeys.length > 1) {
    const counts = (["passed", "failed", "timed_out"] as const).map(
      (status) => [status, journeys.filter(({ result }) => result.status === status).length] as const,
    );
    const said = counts
      .filter(([status, count]) => count > 0 || status === "passed")
      .map(([status, count]) => `${grouped(count)} ${status.replace("_", " ")}`);
    parts.push(`${plural(journeys.length, "journey")}: ${said.join(", ")}`);
  }
  return explorations.length > 1 ? ["", ...parts] : parts;
}

/** Returns the changes that `--update-known` wrote. */
export function updateLines(known: ReportedKnown | undefined): readonly string[] {
  if (known?.updated === undefined) return [];
  const { added, removed } = known.updated;
  const ids = removed.length === 0 ? "" : ` (${removed.map(printable).join(", ")})`;
  return [`${printable(known.file)}: ${grouped(added.length)} added, ${grouped(removed.length)} removed${ids}`];
}

/** Returns the state of the list of known findings after the run. */
export function knownLines(known: ReportedKnown | undefined): readonly string[] {
  if (known === undefined) return [];
  const file = printable(known.file);
  const ids = (list: readonly string[]): string => list.map(printable).join(", ");
  return [
    ...(known.found.length === 0 ? [] : [`known findings: ${ids(known.found)} (${file})`]),
    ...(known.stale.length === 0
      ? []
      : [
          `stale: ${ids(known.stale)} no longer ${known.stale.length === 1 ? "occurs" : "occur"}; take ${known.stale.length === 1 ? "it" : "them"} out of ${file}, or run with --update-known`,
        ]),
    ...(known.unseen.length === 0
      ? []
      : [`not seen: ${ids(known.unseen)} of ${file}, in a run that may not have reached ${known.unseen.length === 1 ? "it" : "them"}`]),
  ];
}
