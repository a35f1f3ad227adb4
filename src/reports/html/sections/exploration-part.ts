import { collisionText, isWorthTelling } from "../../console/summary/collisions.ts";
import type { ExplorationEntry } from "../../document/document-types.ts";
import { duration, grouped, plural, stepRate } from "../../console/text/numbers.ts";
import type { GraphData } from "../../document/report-data.ts";
import { coveragePart, faultCoveragePart } from "./coverage-part.ts";
import { depthTable, type DepthTable } from "./depth-table.ts";
import type { ComparedFinding, Comparison } from "../../document/compared-with.ts";
import type { SourcePlace } from "../../document/source-place.ts";
import { findingPart, severityPart } from "../findings/finding-part.ts";
import { findingView } from "../findings/finding-view.ts";
import type { Limits } from "../limits.ts";
import { divergencePart, errorPart } from "./problem-parts.ts";
import { raceCoveragePart } from "./race-coverage-part.ts";
import { setupPart } from "../findings/setup-part.ts";
import { operationsPart, strengthPart } from "./measured-part.ts";
import { racePart } from "../races/race-part.ts";
import { stateNamer } from "../text/state-namer.ts";
import { shortText, text } from "../text/safe-text.ts";
import { within } from "../text/within.ts";

/**
 * The largest number of rows in the table of depths. If an exploration is deeper, each row covers several depths, because a depth-first search can
 * reach a depth of a million.
 */
const MOST_ROWS = 200;

export interface ExplorationContext {
  readonly graph: GraphData | undefined;
  readonly index: number;
  readonly source?: SourcePlace | undefined;
  /** The command-line flags with which commands find the run; see `commandFlags` of the document. */
  readonly flags?: string | undefined;
  readonly comparison?: Comparison | undefined;
}

/** Returns an exploration as HTML: its numbers, findings, graph and coverage, and the reasons why its result is unverified. */
export function explorationPart(
  entry: ExplorationEntry,
  { graph, index, source, flags, comparison }: ExplorationContext,
  limits: Limits,
): string {
  const view = findingView(entry, `setup-${index}`, { limits, source, flags, comparison, stateName: stateNamer(graph) });
  const { violations, races, notes } = entry;
  const found = violations.length + races.length;
  const table = depthTable(graph);
  const left = found - limits.findings;
  return [
    `<h2>${text(entry.name)}</h2>`,
    `<p><strong>${text(entry.verdict.text)}</strong> <span class="quiet">${text(entry.file)}</span></p>`,
    numbersPart(entry),
    `<section class="findings"><h3>Findings <span class="quiet">${found}</span></h3>`,
    comparisonPart(comparison, limits),
    found === 0 ? "<p>None.</p>" : "",
    within(
      [
        ...violations.map((one, place) => findingPart(one, view, place < limits.findings)),
        ...races.map((race, place) => racePart(race, view, violations.length + place < limits.findings)),
      ],
      limits.list,
      "finding",
    ),
    left > 0
      ? `<p class="note">The steps of ${plural(left, "finding")} are left out to limit the size of this file; they are in the run log.</p>`
      : "",
    "</section>",
    setupPart(entry.setup, `setup-${index}`, limits),
    ...(graph === undefined || graph.nodes.id.length === 0
      ? []
      : [
          `<section class="graph" data-graph="${index}"><h3>State graph <span class="quiet">${plural(graph.totalNodes, "state")}, ${plural(graph.totalEdges, "transition")}</span></h3>`,
          '<p class="static">The script of this page draws the graph, but the script did not run here. Open the file in a browser.</p></section>',
        ]),
    within([coveragePart(entry, table)], limits.list, "table"),
    operationsPart(entry.coverage.operations, limits),
    strengthPart(entry.strength, limits),
    raceCoveragePart(entry),
    faultCoveragePart(entry),
    table === undefined ? "" : depthsPart(table),
    problemsPart(entry, limits),
    problems("Notes", notes, (note) => `<p class="note">${shortText(note, limits.message)}</p>`, limits.problems),
  ].join("\n");
}

/** Returns the divergences and errors of an exploration, and the reasons why its result is unverified, as HTML; empty if there are none. */
export function problemsPart({ divergences, errors, unverified }: ExplorationEntry, limits: Limits): string {
  return [
    problems("Divergences", divergences, (one) => divergencePart(one, limits), limits.problems),
    problems("Errors", errors, (one) => errorPart(one, limits), limits.problems),
    problems("Unverified", unverified, (why) => `<p class="note">${shortText(why, limits.message)}</p>`, limits.problems),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function problems<T>(title: string, all: readonly T[], part: (one: T) => string, most: number): string {
  if (all.length === 0) return "";
  const left = all.length - most;
  const rest =
    left > 0
      ? `<p class="note">${grouped(left)} more entries are left out to limit the size of this file; they are in the run log.</p>`
      : "";
  return `<section><h3>${title} <span class="quiet">${grouped(all.length)}</span></h3>${all.slice(0, most).map(part).join("\n")}${rest}</section>`;
}

function numbersPart(entry: ExplorationEntry): string {
  const rate = stepRate(entry);
  const { unreachedNodes = [], deadEdges = [], deniedChecks = [] } = entry;
  const rows: readonly (readonly [string, string])[] = [
    ...(entry.strategy === undefined ? [] : [["Strategy", entry.strategy.replaceAll("_", " ")] as const]),
    ["Seed", String(entry.seed)],
    ["Stopped", entry.stopReason.replaceAll("_", " ")],
    ["States", grouped(entry.statesVisited)],
    ["Transitions", grouped(entry.transitions)],
    ["Steps", grouped(entry.steps)],
    ["Skipped", grouped(entry.skipped)],
    ["Replayed", grouped(entry.replayed)],
    ["Cross-checked", grouped(entry.crossChecked)],
    ["Open", grouped(entry.open)],
    ["Deepest", grouped(entry.maxDepthReached)],
    ["Complete to depth", grouped(entry.completeToDepth)],
    ...(entry.bounded > 0 ? [["Bounded", plural(entry.bounded, "state")] as const] : []),
    ...(isWorthTelling(entry) ? [["Collisions", collisionText(entry)] as const] : []),
    ["Time", duration(entry.durationMs) + (rate === undefined ? "" : ` (${rate})`)],
    ["Digest", entry.digest],
    ...(
      [
        ["Unreached nodes", unreachedNodes],
        ["Dead edges", deadEdges],
        ["Denied checks", deniedChecks],
      ] as const
    )
      .filter(([, names]) => names.length > 0)
      .map(([name, names]) => [name, names.join(", ")] as const),
  ];
  return `<dl class="numbers">${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${text(value)}</dd></div>`).join("")}</dl>`;
}

function depthsPart({ states, whole }: DepthTable): string {
  const each = Math.ceil(states.length / MOST_ROWS);
  const counts = Array.from({ length: Math.ceil(states.length / each) }, (_, row) => sum(states.slice(row * each, (row + 1) * each)));
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const rows = counts.map((count, row) => {
    const width = Math.max(count === 0 ? 0 : 0.5, (count / most) * 100).toFixed(1);
    const depths = each === 1 ? row : `${row * each}–${Math.min((row + 1) * each, states.length) - 1}`;
    return `<tr><th scope="row">${depths}</th><td class="number">${grouped(count)}</td><td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="10"></rect></svg></td></tr>`;
  });
  const part = whole ? "" : `<p class="note">Of the ${grouped(sum(states))} states that this file has.</p>`;
  return `<section class="depths"><h3>States by depth</h3>${part}<table><thead><tr><th scope="col">Depth</th><th scope="col">States</th><td></td></tr></thead><tbody>${rows.join("")}</tbody></table></section>`;
}

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

export function comparisonPart(comparison: Comparison | undefined, limits: Limits): string {
  if (comparison === undefined) return "";
  const { run, startedAt, added, still, fixed, unseen, unchecked } = comparison;
  const counts = [
    `${added.length} new`,
    `${still.length} still there`,
    `${fixed.length} fixed`,
    ...(unseen.length > 0 ? [`${unseen.length} not seen again, but this run may have missed ${unseen.length === 1 ? "it" : "them"}`] : []),
    ...(unchecked.length > 0 ? [`${unchecked.length} no longer checked, because a rule or an action no longer exists`] : []),
  ];
  return [
    `<div class="comparison"><p><strong>Since the previous run</strong> <span class="quiet">${text(run)}, ${text(startedAt)}</span>: ${counts.join(", ")}.</p>`,
    gonePart("fixed", fixed, limits),
    gonePart("not seen", unseen, limits),
    gonePart("no longer checked", unchecked, limits),
    "</div>",
  ].join("");
}

function gonePart(word: string, gone: readonly ComparedFinding[], limits: Limits): string {
  if (gone.length === 0) return "";
  const items = gone.map(
    (one) => `<li>${severityPart(one)} <del>${shortText(one.name, 400)}</del> <span class="quiet">id ${text(one.id)}</span></li>`,
  );
  return `<details${gone.length <= 5 ? " open" : ""}><summary>${plural(gone.length, "finding")} ${word}</summary><ul class="gone">${within(items, limits.list / 4, "finding", "li")}</ul></details>`;
}
