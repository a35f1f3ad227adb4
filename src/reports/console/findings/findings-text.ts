import { severityRank, type Severity } from "../../../model/declare/severity.ts";
import type { ExplorationResult, Race, Violation } from "../../../model/results/result.ts";
import type { Colours } from "../text/colours.ts";
import { minimalityText } from "./minimality-text.ts";
import { grouped } from "../text/numbers.ts";
import { printable } from "../text/printable.ts";
import { raceText } from "./race-text.ts";
import { violationText } from "./violation-text.ts";

type Findings = Pick<ExplorationResult, "violations" | "races">;

interface Finding {
  readonly severity: Severity;
  /** The cause of the finding. Findings with the same cause are listed together. */
  readonly cause: string;
  readonly facts: readonly (string | undefined)[];
  readonly text: string;
}

/** Returns lines for the findings of an exploration, the most severe first. Findings with the same cause are listed together. */
export function findingLines(found: Findings, colours: Colours): readonly string[] {
  const all = bySeverity(found);
  return all.flatMap(({ severity, facts, text }, index) => {
    const [head = "", ...rest] = text.split("\n");
    const header = [`Finding ${index + 1} of ${all.length}`, ...facts.filter((fact) => fact !== undefined)].join(", ");
    return [colours.dim(header), colourOf(severity, colours)(head), ...rest, ""];
  });
}

/** Returns the ids of the findings that can be replayed, in the order in which the findings are printed. Known findings are last. */
export function replayableIds({ violations, races }: Findings): readonly string[] {
  const all = inOrder([
    ...violations
      .filter(({ reproductionPath, state }) => reproductionPath.length > 0 || state !== null)
      .map(({ id, severity, cause, invariant, known }) => ({ id, severity, cause: cause ?? invariant, known })),
    ...races.map((race) => ({ id: race.id, severity: race.severity, cause: causeOfRace(race), known: race.known })),
  ]);
  return [...all.filter(({ known }) => known !== true), ...all.filter(({ known }) => known === true)].map(({ id }) => id);
}

function bySeverity({ violations, races }: Findings): readonly Finding[] {
  return inOrder([...violations.map(ofViolation), ...races.map(ofRace)]);
}

function inOrder<T extends Pick<Finding, "severity" | "cause">>(all: readonly T[]): readonly T[] {
  const first = new Map<string, number>();
  for (const [index, { cause }] of all.entries()) if (!first.has(cause)) first.set(cause, index);
  return all.toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity) || first.get(a.cause)! - first.get(b.cause)!);
}

function ofViolation(violation: Violation): Finding {
  const { severity, cause, invariant, count, id } = violation;
  const seen = count > 1 ? `seen ${grouped(count)} times` : undefined;
  return {
    severity,
    cause: cause ?? invariant,
    facts: [seen, minimalityText(violation), `id ${printable(id)}`],
    text: violationText(violation),
  };
}

function ofRace(race: Race): Finding {
  const seen = race.count > 1 ? `seen in ${grouped(race.count)} kinds of states` : undefined;
  return { severity: race.severity, cause: causeOfRace(race), facts: ["a race", seen, `id ${printable(race.id)}`], text: raceText(race) };
}

function causeOfRace({ invariant, first, second }: Race): string {
  return invariant ?? `${first} || ${second}`;
}

function colourOf(severity: Severity, colours: Colours): (text: string) => string {
  return { critical: colours.red, high: colours.red, medium: colours.yellow, low: colours.cyan }[severity];
}
