import type { RunDocument } from "../../reports/index.ts";
import { printable, raceName } from "../../reports/index.ts";
import { usage } from "./run-options.ts";

export type ExplorationEntry = RunDocument["explorations"][number];

export interface FoundViolation {
  readonly kind: "violation";
  readonly exploration: ExplorationEntry;
  readonly violation: ExplorationEntry["violations"][number];
}

export interface FoundRace {
  readonly kind: "race";
  readonly exploration: ExplorationEntry;
  readonly race: ExplorationEntry["races"][number];
}

export type FoundFinding = FoundViolation | FoundRace;

const NAMED = 8;

/**
 * Returns the finding whose id begins with the text that the user typed.
 * @param elsewhere Returns the id of another run that has the finding.
 * @throws SeqqaError with exit status 2 if there is no such finding, or more than one
 */
export function findFinding(
  wanted: string,
  run: string,
  { explorations }: Pick<RunDocument, "explorations">,
  elsewhere?: () => string | undefined,
): FoundFinding {
  const all = findingsOf(explorations);
  if (wanted.trim() === "") throw usage("The id of the finding is empty.", listOf(all, run));
  const found = matching(wanted, explorations);
  if (found.length === 1) return replayable(found[0]!, wanted);
  const other = found.length === 0 ? elsewhere?.() : undefined;
  if (other !== undefined) {
    throw usage(`Run ${run} has no finding ${JSON.stringify(wanted)}, but run ${other} has it.`, `Add --run ${other}.`);
  }
  if (found.length === 0) throw usage(`Run ${run} has no finding ${JSON.stringify(wanted)}.`, listOf(all, run));
  throw usage(
    `The id ${JSON.stringify(wanted)} is ambiguous, because the ids of ${found.length} findings of run ${run} begin with this text.`,
    listOf(found, run),
  );
}

/** Returns the finding with the given id. If there is none, returns all findings whose ids begin with the given text. */
export function matching(wanted: string, explorations: readonly ExplorationEntry[]): readonly FoundFinding[] {
  const all = findingsOf(explorations);
  const exact = all.filter((one) => idsOf(one).includes(wanted));
  return exact.length > 0 ? exact : all.filter((one) => idsOf(one).some((id) => id.startsWith(wanted)));
}

function findingsOf(explorations: readonly ExplorationEntry[]): readonly FoundFinding[] {
  return explorations.flatMap((exploration): readonly FoundFinding[] => [
    ...exploration.violations.map((violation) => ({ kind: "violation" as const, exploration, violation })),
    ...exploration.races.map((race) => ({ kind: "race" as const, exploration, race })),
  ]);
}

/**
 * Returns the given finding if `wanted` is its own id.
 * @throws SeqqaError with exit status 2 if `wanted` is the id of a finding that was reported together with the given one, because the path of such a
 * finding is not stored
 */
function replayable(found: FoundFinding, wanted: string): FoundFinding {
  if (idOf(found).startsWith(wanted)) return found;
  const own = printable(idOf(found));
  throw usage(
    `The path of finding ${JSON.stringify(wanted)} was not stored, because this finding has the same cause as finding ${own}.`,
    `Use the id ${own} instead.`,
  );
}

const idOf = (one: FoundFinding): string => (one.kind === "race" ? one.race.id : one.violation.id);
/** Returns the id of a finding and the ids of findings that were reported together with it, because they have the same cause. */
const idsOf = (one: FoundFinding): readonly string[] => [
  idOf(one),
  ...(one.kind === "race" ? [] : (one.violation.operations ?? []).map(({ id }) => id)),
];
const nameOf = (one: FoundFinding): string => (one.kind === "race" ? raceName(one.race) : one.violation.invariant);

function listOf(all: readonly FoundFinding[], run: string): string {
  if (all.length === 0) return `Run ${run} has no findings. Choose another run with --run <id>.`;
  const names = all.slice(0, NAMED).map((one) => `${printable(idOf(one))} (${printable(nameOf(one))})`);
  return `Give the id of ${all.length === 1 ? "this finding" : "one of these findings"}: ${names.join(", ")}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ""}.`;
}
