import type { Quartiles } from "../support/quartiles.ts";
import type { BedSummary, Reached } from "./summary.ts";

const HEAD = ["", "first: steps", "ms", "all: steps", "ms", ""];

/** Returns a table of medians, with the quartiles in brackets. `-` means that the goal was not reached within the steps of the fixture. */
export function table(beds: readonly BedSummary[]): string {
  const rows = beds.flatMap(({ bed, reference, summary, samples }) => [
    [`${bed.name}: ${reference.findings} to find, ${reference.steps} steps ${reference.stopReason === "exhausted" ? "in all" : "at most"}`],
    ...summary.map(({ strategy, first, all }) => [
      `  ${strategy}`,
      cell(first.steps),
      cell(first.ms),
      cell(all.steps),
      cell(all.ms),
      note(first, all, samples.length / summary.length),
    ]),
  ]);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.filter((row) => row.length > 1).map((row) => row[column]!.length)),
  );
  return [HEAD, ...rows]
    .map((row) => row.map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!))))
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

const cell = ({ q1, median, q3 }: Quartiles): string => (q1 === q3 ? number(median) : `${number(median)} (${number(q1)} to ${number(q3)})`);

function number(value: number | null): string {
  if (value === null) return "-";
  return Number.isInteger(value) || value >= 100 ? String(Math.round(value)) : value.toPrecision(2);
}

function note(first: Reached, all: Reached, seeds: number): string {
  if (all.missed > 0) return `missed all with ${all.missed}, the first with ${first.missed} of ${seeds} seeds`;
  return first.sameForAllSeeds && all.sameForAllSeeds ? "steps alike for every seed" : "";
}
