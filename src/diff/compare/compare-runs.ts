import {
  GraphReader,
  isComplete,
  sawEveryCall,
  type ExplorationEntry,
  type JourneyEntry,
  type RunDocument,
  type GraphEntry,
} from "../../reports/index.ts";
import type { Change, DiffPart, RunDiff } from "../run-diff.ts";
import { compareActions, type Side } from "./compare-actions.ts";
import { compareRules } from "./compare-rules.ts";

export interface NamedRun {
  readonly name: string;
  readonly document: RunDocument;
}

/**
 * Compares the behaviour of the API in two runs: rules, actions, answers, numbers of states, and journeys. Times, ids, texts of messages, and lanes
 * are not compared. Returns `undefined` if the two runs have no exploration and no journey in common.
 * @throws TypeError if the lists of a graph are invalid
 */
export function compareRuns(before: NamedRun, after: NamedRun): RunDiff | undefined {
  const explorations = pairs(before.document.explorations, after.document.explorations);
  const journeys = pairs(before.document.journeys, after.document.journeys);
  if (![...explorations, ...journeys].some(([old, now]) => old !== undefined && now !== undefined)) return undefined;
  const parts = [
    ...explorations.map(([old, now]): DiffPart => {
      const { name, file } = (now ?? old)!;
      const failed = now === undefined ? after.document.failures.find((one) => one.file === file) : undefined;
      return { kind: "exploration", name, changes: explorationChanges(old, now, failed?.message) };
    }),
    ...journeys.map(([old, now]): DiffPart => ({ kind: "journey", name: (now ?? old)!.name, changes: journeyChanges(old, now) })),
  ];
  const notes = [...new Set([before, after].flatMap(incomplete))];
  return { before: before.name, after: after.name, parts: parts.filter(({ changes }) => changes.length > 0), notes };
}

/**
 * Pairs the entries of two lists that have the same name. The result is in the order of the second list, followed by the entries that only the first
 * list has. Entries of one list with equal names are paired in their order.
 */
function pairs<T extends { readonly name: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly (readonly [before: T | undefined, after: T | undefined])[] {
  const left = [...before];
  const found = after.map((now) => {
    const at = left.findIndex(({ name }) => name === now.name);
    return [at === -1 ? undefined : left.splice(at, 1)[0], now] as const;
  });
  return [...found, ...left.map((old) => [old, undefined] as const)];
}

function explorationChanges(old: ExplorationEntry | undefined, now: ExplorationEntry | undefined, failure?: string): readonly Change[] {
  if (old === undefined) return [{ about: "exploration", kind: "added", subject: now!.name, text: "exploration added" }];
  if (now === undefined) {
    const text = failure === undefined ? "exploration removed" : `can no longer be explored: ${failure}`;
    return [{ about: "exploration", kind: "removed", subject: old.name, text }];
  }
  const [before, after] = [sideOf(old), sideOf(now)];
  return [...compareRules(before, after), ...compareActions(before, after), ...sizeChanges(old, now)];
}

function sideOf(entry: ExplorationEntry): Side {
  refuseBrokenGraph(entry.graph);
  return { entry, graph: entry.graph.leftOut === undefined ? new GraphReader(entry) : undefined };
}

/** Compares the numbers of states and transitions if both explorations are complete. Otherwise the numbers depend on when the runs stopped. */
function sizeChanges(old: ExplorationEntry, now: ExplorationEntry): readonly Change[] {
  if (!isComplete(old) || !isComplete(now)) return [];
  const change = (subject: string, before: number, after: number): readonly Change[] =>
    before === after ? [] : [{ about: "states", kind: "changed", subject, text: `${after} instead of ${before}` }];
  return [...change("states", old.statesVisited, now.statesVisited), ...change("transitions", old.transitions, now.transitions)];
}

function journeyChanges(old: JourneyEntry | undefined, now: JourneyEntry | undefined): readonly Change[] {
  if (old === undefined) return [{ about: "journey", kind: "added", subject: now!.name, text: `journey added, ${endOf(now!)}` }];
  if (now === undefined) return [{ about: "journey", kind: "removed", subject: old.name, text: "journey removed" }];
  const [before, after] = [endOf(old), endOf(now)];
  if (before === after) return [];
  const kind = now.status === "passed" ? "better" : old.status === "passed" ? "worse" : "changed";
  return [{ about: "journey", kind, subject: now.name, text: `${after} (before: ${before})` }];
}

function endOf({ status, steps }: JourneyEntry): string {
  const last = steps.find((step) => step.status === "failed" || step.status === "timed_out");
  return last === undefined ? status.replace("_", " ") : `${status.replace("_", " ")} at ${last.name}`;
}

function incomplete({ name, document }: NamedRun): readonly string[] {
  return document.explorations.flatMap((entry) => {
    if (entry.graph.leftOut !== undefined)
      return [`${entry.name} of ${name} has too many steps, so seqqa compares actions and rules, but not single states.`];
    return sawEveryCall(entry)
      ? []
      : [`${entry.name} of ${name} was not explored completely, so seqqa does not compare states and answers that it did not reach.`];
  });
}

/** Checks that the lists of a document form a graph, because anybody can write such a file. @throws TypeError that names the wrong list */
function refuseBrokenGraph({ actions, nodes, leftOut, ...lists }: GraphEntry): void {
  const { parents, parentActions, depths, edgeFrom, edgeAction, edgeTo, edgeStatus } = lists;
  if (leftOut !== undefined) return;
  const between = (list: readonly number[], low: number, high: number): boolean => list.every((one) => one >= low && one < high);
  const checks: Readonly<Record<string, boolean>> = {
    depths: depths.length === nodes,
    // The depth of a parent must be less than the depth of its children. Otherwise following the parents of a node might never end.
    parents: parents.length === nodes && parents.slice(1).every((parent, node) => depths[parent]! < depths[node + 1]!),
    parentActions: parentActions.length === nodes && between(parentActions.slice(1), 0, actions.length),
    edgeFrom: between(edgeFrom, 0, nodes),
    edgeAction: edgeAction.length === edgeFrom.length && between(edgeAction, 0, actions.length),
    edgeTo: edgeTo.length === edgeFrom.length && between(edgeTo, -1, nodes),
    edgeStatus: edgeStatus.length === edgeFrom.length,
  };
  const wrong = Object.entries(checks).find(([, fits]) => !fits);
  if (wrong !== undefined) throw new TypeError(`the list ${wrong[0]} of the graph does not fit the other lists`);
}
