import type { Severity } from "../../model/declare/severity.ts";
import type { ExplorationEntry } from "./document-types.ts";
import { idsOf } from "./ids-of.ts";
import { GraphReader } from "./graph-reader.ts";
import { absenceOf, type Absence } from "./would-have-found.ts";

/** A finding of an earlier run, reduced to what a comparison shows. */
export interface ComparedFinding {
  readonly id: string;
  /** The name of the broken rule; for a race, the names of its calls. */
  readonly name: string;
  readonly severity: Severity;
  readonly isRace: boolean;
  /** All ids of the finding: one for each action that shows it. */
  readonly ids: readonly string[];
  /** The names of the actions that lead to the finding; for a race, to the state in which its calls were sent. */
  readonly path: readonly string[];
}

/** The comparison of an exploration's findings with those of the previous run of the same exploration. */
export interface Comparison {
  /** The id of the previous run. */
  readonly run: string;
  /** The start time of the previous run, in ISO 8601, UTC. */
  readonly startedAt: string;
  /** The ids of findings that are new in this run. */
  readonly added: readonly string[];
  /** The ids of findings that both runs found. */
  readonly still: readonly string[];
  /** The findings of the previous run that were fixed: this run would have found them if they still existed. */
  readonly fixed: readonly ComparedFinding[];
  /** The findings of the previous run that this run did not find, but that may still exist. */
  readonly unseen: readonly ComparedFinding[];
  /** The findings of the previous run whose rule or call no longer exists. */
  readonly unchecked: readonly ComparedFinding[];
}

export function comparedWith(
  entry: ExplorationEntry,
  before: { readonly run: string; readonly startedAt: string; readonly findings: readonly ComparedFinding[] },
): Comparison {
  const known = new Set(before.findings.flatMap(({ ids }) => ids));
  const now = [
    ...entry.violations.map((one) => ({ id: one.id, ids: idsOf(one) })),
    ...entry.races.map(({ id }) => ({ id, ids: [id] as readonly string[] })),
  ];
  const present = new Set(now.flatMap(({ ids }) => ids));
  const isKnown = ({ ids }: { readonly ids: readonly string[] }): boolean => ids.some((id) => known.has(id));
  const gone = before.findings.filter(({ ids }) => !ids.some((id) => present.has(id)));
  let graph: GraphReader | undefined;
  const hasPath = (path: readonly string[]): boolean =>
    entry.graph.leftOut === undefined && (graph ??= new GraphReader(entry)).hasPath(path);
  const absences = new Map(gone.map((one): [ComparedFinding, Absence] => [one, absenceOf(entry, { ...one, rule: one.name }, hasPath)]));
  const those = (absence: Absence): readonly ComparedFinding[] => gone.filter((one) => absences.get(one) === absence);
  return {
    run: before.run,
    startedAt: before.startedAt,
    added: now.filter((one) => !isKnown(one)).map(({ id }) => id),
    still: now.filter(isKnown).map(({ id }) => id),
    fixed: those("gone"),
    unseen: those("unseen"),
    unchecked: those("unchecked"),
  };
}
