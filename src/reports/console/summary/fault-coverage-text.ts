import type { ExplorationFacts } from "../../../model/results/result.ts";
import { duration, grouped, plural } from "../text/numbers.ts";
import { counted } from "./race-coverage-text.ts";

/** Returns the coverage of injected faults as table rows of a label and a text; empty if no faults were injected. */
export function faultRows({ faultCoverage }: Pick<ExplorationFacts, "faultCoverage">): readonly (readonly [string, string])[] {
  if (faultCoverage === undefined) return [];
  const { calls, counted: looked, points, tried, skipped, skippedPoints, missing, unconfirmed, durationMs } = faultCoverage;
  const of = `${grouped(looked)} of ${plural(calls, "kind")} of calls`;
  const rows: readonly (readonly [string, string])[] = [
    ["faults", `${grouped(tried)} of ${plural(points, "fault point")} tried in ${duration(durationMs)}, in ${of}`],
    ["no faults in", counted(skipped)],
    ["not tried", counted(skippedPoints)],
    ["not possible", missingText(missing)],
    ["unconfirmed", unconfirmed === 0 ? "" : plural(unconfirmed, "hit")],
  ];
  return rows.filter(([, value]) => value !== "");
}

/** Returns the kinds of faults that a store does not support, with the reasons: `db cut (SQLite has no connections that could be cut)`. */
export function missingText(missing: Readonly<Record<string, string>>): string {
  return Object.entries(missing)
    .map(([cell, why]) => `${cell.replaceAll("_", " ")} (${why})`)
    .join(", ");
}
