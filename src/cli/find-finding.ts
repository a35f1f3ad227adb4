import type { RunDocument } from "../reports/index.ts";
import { printable } from "../reports/index.ts";
import { usage } from "./run-options.ts";

export type ExplorationEntry = RunDocument["explorations"][number];

export interface FoundFinding {
  readonly exploration: ExplorationEntry;
  readonly violation: ExplorationEntry["violations"][number];
}

/** How many are named. */
const NAMED = 8;

/** The finding whose id begins so. @throws SeqqaError with exit status 2 when there is none, or more than one */
export function findFinding(wanted: string, run: string, { explorations }: Pick<RunDocument, "explorations">): FoundFinding {
  const all = explorations.flatMap((exploration) => exploration.violations.map((violation) => ({ exploration, violation })));
  if (wanted.trim() === "") throw usage("The finding is empty.", listOf(all, run));
  const exact = all.filter(({ violation }) => violation.id === wanted);
  const found = exact.length > 0 ? exact : all.filter(({ violation }) => violation.id.startsWith(wanted));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw usage(`There is no finding ${JSON.stringify(wanted)} in run ${run}.`, listOf(all, run));
  throw usage(`${found.length} findings of run ${run} begin with ${JSON.stringify(wanted)}.`, listOf(found, run));
}

function listOf(all: readonly FoundFinding[], run: string): string {
  if (all.length === 0) return `Run ${run} has no findings; --run names another one.`;
  const names = all.slice(0, NAMED).map(({ violation }) => `${printable(violation.id)} (${printable(violation.invariant)})`);
  return `There ${all.length === 1 ? "is" : "are"}: ${names.join(", ")}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ""}.`;
}
