import { completeToDepth } from "../../engine/search/completeness.ts";
import { DivergenceLog } from "../../engine/commit/divergence-log.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import type { FoundViolation } from "../../engine/findings/finding-log.ts";
import type { Merged } from "../../engine/shards/merge-shards.ts";
import { openStates } from "../../engine/search/open-states.ts";
import { BREADTH_FIRST } from "../../model/declare/search/strategy.ts";
import type {
  DismissedRace,
  Divergence,
  ExplorationResult,
  FaultCoverage,
  Race,
  RaceCoverage,
  Reduction,
  StopReason,
  VerdictException,
  Violation,
} from "../../model/results/result.ts";
import { joinedOperations, type OperationCoverage } from "../../model/results/coverage.ts";
import { wasAccepted } from "../../reports/console/summary/rules-text.ts";
import { raceText, resultJson, verdictOf, violationText, type ExplorationEntry } from "../../reports/index.ts";
import { CommittedGraph } from "../results/committed-graph.ts";
import { hasEndedEarly, idleActions } from "../results/idle-actions.ts";
import { withoutLate } from "../results/late-findings.ts";
import { joinedByCause } from "../results/one-cause.ts";
import { errorOf, violationOf, type FindingParts } from "../results/result-builder.ts";
import { isNotSent, isUnreached } from "../explore/unreached-rules.ts";
import { idleEdges } from "../state-graphs/graph-findings.ts";
import { isOfGraph } from "../state-graphs/graph-coverage.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";
import { unseenChanges, unseenWrites, withoutUnseen } from "../results/unseen-writes.ts";
import { behindFindings, diverged } from "../results/verdict-exceptions.ts";
import { inconclusiveNotes, isInconclusiveNote } from "../results/inconclusive-notes.ts";
import { inconclusiveRules, uncheckedSteps } from "../results/unchecked-steps.ts";
import { onlyRedirected, withoutSubject } from "../results/without-subject.ts";

type Coverage = ExplorationResult["coverage"]["actions"];

export interface MergedParts {
  readonly name: string;
  readonly actions: readonly string[];
  /** The stored explorations of the shards, by index of the shard. */
  readonly entries: readonly ExplorationEntry[];
}

/**
 * Returns the result for an exploration that was divided into shards. States and steps come from the merged graph. Findings, races and errors come
 * from the shards that confirmed these problems.
 */
export function mergedResult(merged: Merged, parts: MergedParts): ExplorationResult {
  const { committer, open } = merged;
  const { entries, actions } = parts;
  const committed = new Set([...committer.findings.violations.values()].map((found) => findingId(parts.name, found)));
  const divergenceLog = new DivergenceLog(actions);
  for (const entry of entries) divergenceLog.restore(entry.divergences);
  withoutLate({ committer, divergences: divergenceLog }, []);
  const boundary = committer.boundary();
  const states = committer.visited.size;
  const sum = (of: (entry: ExplorationEntry) => number): number => entries.reduce((total, entry) => total + of(entry), 0);
  const notExpanded = openStates({ committer, order: { waiting: () => open } });
  const complete = completeToDepth(committer.edges, states, notExpanded, committer.deepest);
  const stopReason = stopReasonOf(open.size, boundary, entries);
  const divergences = divergencesOf(merged, entries);
  const ofShards = exceptionsOf(entries);
  const counts = ofShards.some(({ kind }) => kind === "invisible_state") ? withoutUnseen(committer.coverage()) : committer.coverage();
  const actionCoverage = withMarks(counts, entries[0]!.coverage.actions);
  const behind = behindFindings(committer, actionCoverage);
  const isExhaustive = stopReason === "exhausted" && notExpanded.size === 0 && behind.length === 0;
  const reductions = reductionsOf(entries.flatMap((entry) => entry.reductions));
  const assumed = reductionsOf(entries.flatMap((entry) => entry.reductions.filter(({ refuted }) => refuted === 0)));
  const searched = { stopReason, open: notExpanded.size, statesVisited: states, completeToDepth: complete };
  const verdict = verdictOf(
    searched,
    [...behind, ...ofShards, ...diverged(divergences), ...unseenChanges(actionCoverage, searched)],
    assumed,
  );
  const coverage = coverageOf(entries);
  const subjects = new Map(Object.entries(entries[0]!.ruleSubjects ?? {}));
  const ruleActions = new Map(Object.entries(entries[0]!.ruleActions ?? {}));
  const idle = withoutSubject({ subjects }, actionCoverage, onlyRedirected(committer, actions));
  const unjudged = unjudgedRules(merged, entries, idle.keys());
  const told = toldAs(parts.name, actions);
  const result: Omit<ExplorationResult, "toJSON"> = {
    statesVisited: states,
    transitions: committer.edges.size,
    steps: committer.steps,
    skipped: committer.skipped,
    replayed: sum(({ replayed }) => replayed),
    crossChecked: sum(({ crossChecked }) => crossChecked),
    speculative: sum(({ speculative }) => speculative),
    open: notExpanded.size,
    maxDepthReached: committer.deepest,
    completeToDepth: complete,
    violations: [
      ...joinedByCause([...committer.findings.violations.values()].map((found) => mergedViolation(found, merged, parts))),
      ...beyondSteps(committed, entries),
      ...faultsOf(entries),
    ],
    races: racesOf(entries),
    raceCoverage: coverage,
    faultCoverage: faultCoverageOf(entries),
    divergences,
    errors: [
      ...entries.flatMap(({ errors }) => errors.filter(({ source }) => source === "run")),
      ...[...committer.findings.errors.values()].map((found) => errorOf(found, told)),
    ],
    stopReason,
    verdict,
    reductions,
    unverified: [
      ...(entries[0]!.deadEdges === undefined
        ? idleActions(actionCoverage, { stopReason, steps: committer.steps, isExhaustive })
        : idleEdges(deadEdgesOf(entries, actionCoverage), actionCoverage, isExhaustive)),
      ...(entries[0]!.requireAllActions === false
        ? []
        : uncheckedSteps(committer, { actions, subjects, ruleActions, coverage: actionCoverage, stopReason, isExhaustive })),
      ...unseenWrites(actionCoverage, searched),
      ...new Set(entries.flatMap(({ unverified }) => unverified)),
    ],
    coverage: {
      actions: actionCoverage,
      pairs: states === 0 ? 0 : (committer.edges.size + committer.skipped) / (states * actions.length),
      operations: operationsOf(entries),
    },
    durationMs: Math.max(...entries.map(({ durationMs }) => durationMs)),
    strategy: BREADTH_FIRST,
    seed: entries[0]!.seed,
    ...(entries.some(({ nextSecond }) => nextSecond) && { nextSecond: true as const }),
    digest: committer.digest.value(),
    collisionProbability: Math.min((states * (states - 1)) / 2 ** 65, 1),
    collisions: committer.collisions,
    bounded: committer.bounded,
    notes: [...notesOf(merged, parts, unjudged), ...(hasEndedEarly(stopReason) ? [] : idle.values())],
    graph: new CommittedGraph(committer, actions),
    invariants: entries[0]!.invariants,
    ...(unjudged.length > 0 && { unjudgedRules: unjudged }),
  };
  return { ...result, toJSON: () => resultJson(result) };
}

/**
 * Returns the verdict's exceptions of all shards, each once. Exceptions about violating states and divergences are left out, because these exceptions
 * are computed again for the merged result.
 */
function exceptionsOf(entries: readonly ExplorationEntry[]): readonly VerdictException[] {
  const all = entries.flatMap(({ verdict }) =>
    verdict.exceptions.filter(({ kind }) => kind !== "violating_states" && kind !== "divergence"),
  );
  return [...new Map(all.map((one) => [one.text, one])).values()];
}

/** Adds up the reductions of all shards, separately for each reason. */
function reductionsOf(all: readonly Reduction[]): readonly Reduction[] {
  const byReason = new Map<string, Reduction>();
  for (const { reason, merges, audited, refuted } of all) {
    const sum = byReason.get(reason) ?? { reason, merges: 0, audited: 0, refuted: 0 };
    byReason.set(reason, { reason, merges: sum.merges + merges, audited: sum.audited + audited, refuted: sum.refuted + refuted });
  }
  return [...byReason.values()];
}

/**
 * Returns the names of the rules that do not count as held in the merged result:
 * - rules that were inconclusive in too many of the merged steps,
 * - rules that no shard could judge, or whose actions worked in no shard (`idle`), and
 * - rules whose calls a shard could not send at the same time, because a path led to another state.
 */
function unjudgedRules({ committer }: Merged, entries: readonly ExplorationEntry[], idle: Iterable<string>): readonly string[] {
  // A rule whose actions never worked in one shard, or whose calls were not sent there, may be judged in another shard.
  const [first, ...others] = entries.map(({ unjudgedRules: own = [] }) => own);
  const inAll = first!.filter((rule) => others.every((own) => own.includes(rule)));
  const unreached = entries.flatMap(({ unjudgedRules: own = [], unverified }) =>
    own.filter((rule) => unverified.some((text) => isUnreached(rule, text))),
  );
  return [...new Set([...inAll, ...unreached, ...idle, ...inconclusiveRules(committer)])];
}

/**
 * Adds the declarations of actions (such as `mayNeverApply`) to the counts of the merged graph. The coverage of any shard contains these
 * declarations.
 */
function withMarks(counts: Coverage, declared: Coverage): Coverage {
  return Object.fromEntries(
    Object.entries(counts).map(([name, own]) => {
      const { unseenWrites: _ofShard, ...marks } = declared[name] ?? own;
      return [name, { ...marks, ...own }];
    }),
  );
}

/**
 * Finds a violation in the results of the shards. Prefers confirmed violations to unconfirmed ones, and then the shortest path. If no shard has the
 * violation, returns it as unconfirmed. This happens if only the shards together have a path to the state without an earlier violation.
 */
function mergedViolation(found: FoundViolation, merged: Merged, { name, actions, entries }: MergedParts): Violation {
  const id = findingId(name, found);
  const [best] = entries
    .flatMap(({ violations }) => violations.filter((one) => one.id === id))
    .toSorted((a, b) => Number(b.confirmed) - Number(a.confirmed) || a.reproductionPath.length - b.reproductionPath.length);
  if (best === undefined) {
    const unconfirmed = { found, path: found.path, draws: found.draws, recording: undefined, confirmed: false, minimality: undefined };
    return violationOf(unconfirmed, { ...toldAs(name, actions), explorer: merged, declaredAt: () => undefined });
  }
  const own = { ...best, count: found.count, state: stateAt(best.reproductionPath, merged.committer, actions) };
  return { ...own, toString: () => violationText(own) };
}

/** Returns settings that leave the texts of merged steps unchanged, because the shards already replaced URLs and stacks. */
function toldAs(name: string, actions: readonly string[]): Omit<FindingParts, "explorer" | "declaredAt"> {
  return { name, actions, urls: new ShownUrls(undefined, []), mapStack: (stack) => stack, whereOf: () => undefined };
}

/**
 * Returns the findings of shards that belong to no committed step, such as a step that got no answer when the time was over, or a violation that
 * occurred only in a cross-check. They were confirmed, or there was no time to replay them. `known`: the ids of the findings of committed steps.
 * Findings about nodes and edges of a user's state graph are left out, because another shard may have reached the node or edge.
 */
function beyondSteps(known: ReadonlySet<string>, entries: readonly ExplorationEntry[]): readonly Violation[] {
  const best = new Map<string, Violation>();
  for (const one of entries.flatMap(({ violations }) => violations).toSorted((a, b) => Number(b.confirmed) - Number(a.confirmed))) {
    if (
      (!one.confirmed && one.notReplayed === undefined) ||
      one.fault !== undefined ||
      isOfGraph(one.invariant) ||
      known.has(one.id) ||
      best.has(one.id)
    )
      continue;
    best.set(one.id, { ...one, toString: () => violationText(one) });
  }
  return [...best.values()];
}

/** Returns the edges of a user's state graph that a shard reports as dead and that applied in no other shard. */
function deadEdgesOf(entries: readonly ExplorationEntry[], coverage: ExplorationEntry["coverage"]["actions"]): readonly string[] {
  const dead = new Set(entries.flatMap(({ deadEdges = [] }) => deadEdges));
  return [...dead].filter((edge) => !wasAccepted(coverage[edge]!));
}

/** Returns the node at the end of a path in the merged graph; `null` if the graph does not contain the whole path. */
function stateAt(path: readonly string[], { edges, nodes }: Merged["committer"], actions: readonly string[]): number | null {
  const wanted = path.map((name) => actions.indexOf(name));
  let node = nodes.size > 0 ? 0 : -1;
  let done = 0;
  // Go through the edges in the order of commits. The first edge to a state comes before the edges from it, so one pass is usually enough.
  for (let before = -1; done > before && done < wanted.length;) {
    before = done;
    edges.each((from, action, to) => {
      if (from !== node || action !== wanted[done]) return;
      node = to;
      done++;
    });
  }
  return done === wanted.length && node >= 0 ? node : null;
}

/** Joins the operations that the shards called; `undefined` if a shard did not count operations. */
function operationsOf(entries: readonly ExplorationEntry[]): readonly OperationCoverage[] | undefined {
  const all = entries.flatMap(({ coverage }) => (coverage.operations === undefined ? [] : [coverage.operations]));
  return all.length < entries.length ? undefined : joinedOperations(all);
}

/** Returns the findings about faults of all shards. If several shards have the same finding, the finding with the shortest path is returned. */
function faultsOf(entries: readonly ExplorationEntry[]): readonly Violation[] {
  const best = new Map<string, ExplorationEntry["violations"][number]>();
  for (const one of entries.flatMap(({ violations }) => violations.filter(({ fault }) => fault !== undefined))) {
    const known = best.get(one.id);
    if (known === undefined || one.reproductionPath.length < known.reproductionPath.length) best.set(one.id, one);
  }
  return [...best.values()].map((one) => ({ ...one, toString: () => violationText(one) }));
}

/** Adds up the counts of fault points of all shards; `undefined` if no shard made faults. */
function faultCoverageOf(entries: readonly ExplorationEntry[]): FaultCoverage | undefined {
  const all = entries.flatMap(({ faultCoverage }) => faultCoverage ?? []);
  if (all.length === 0) return undefined;
  return all.reduce((total, one) => ({
    calls: total.calls + one.calls,
    counted: total.counted + one.counted,
    points: total.points + one.points,
    tried: total.tried + one.tried,
    skipped: added(total.skipped, one.skipped),
    skippedPoints: added(total.skippedPoints, one.skippedPoints),
    missing: { ...total.missing, ...one.missing },
    unconfirmed: total.unconfirmed + one.unconfirmed,
    durationMs: total.durationMs + one.durationMs,
  }));
}

function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const sums = { ...a };
  for (const [name, count] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** Returns the races of all shards. If several shards have the same race, the race that occurred in the most trials is returned. */
function racesOf(entries: readonly ExplorationEntry[]): readonly Race[] {
  const best = new Map<string, Race>();
  for (const race of entries.flatMap(({ races }) => races)) if (race.hits > (best.get(race.id)?.hits ?? -1)) best.set(race.id, race);
  return [...best.values()].map((race) => ({ ...race, toString: () => raceText(race) }));
}

/** Adds up the counts of probed pairs of all shards; `undefined` if no shard probed for races. */
function coverageOf(entries: readonly ExplorationEntry[]): RaceCoverage | undefined {
  const all = entries.flatMap(({ raceCoverage }) => raceCoverage ?? []);
  if (all.length === 0) return undefined;
  const sum = (of: (one: RaceCoverage) => number): number => all.reduce((total, one) => total + of(one), 0);
  const counts = (of: (one: RaceCoverage) => Readonly<Record<string, number>>): Record<string, number> => {
    const total: Record<string, number> = {};
    for (const [name, count] of all.flatMap((one) => Object.entries(of(one)))) total[name] = (total[name] ?? 0) + count;
    return total;
  };
  const dismissed = new Map<string, DismissedRace>();
  for (const one of all.flatMap(({ dismissedRaces }) => dismissedRaces ?? [])) {
    const key = JSON.stringify([one.first, one.second, one.verdict, one.invariant, one.reason]);
    const known = dismissed.get(key);
    dismissed.set(key, known === undefined ? one : { ...known, count: known.count + one.count });
  }
  return {
    pairs: sum(({ pairs }) => pairs),
    // All shards have the same rules and settings.
    ...(all[0]!.asked !== undefined && { asked: all[0]!.asked }),
    probed: sum(({ probed }) => probed),
    trials: sum(({ trials }) => trials),
    misses: sum(({ misses }) => misses),
    skipped: counts(({ skipped }) => skipped),
    dismissed: counts(({ dismissed }) => dismissed),
    ...(dismissed.size > 0 && { dismissedRaces: [...dismissed.values()] }),
    deliveries: counts(({ deliveries }) => deliveries),
    durationMs: sum(({ durationMs }) => durationMs),
  };
}

function divergencesOf({ differing }: Merged, entries: readonly ExplorationEntry[]): readonly Divergence[] {
  const all = new Map(entries.flatMap(({ divergences }) => divergences).map((one) => [`${one.kind}\n${one.message}`, one]));
  const found = [...all.values()];
  if (differing.common === 0) return found;
  const message = `The shards cannot be merged, because they recorded different results for ${differing.common} steps, although all shards executed the same paths.`;
  return [
    {
      kind: "merge",
      path: [],
      message,
      differences: [],
      hint: "Make the answers of the target reproducible. If values always differ, list them under `ignore`. Then run all shards again.",
    },
    ...found,
  ];
}

/** Reasons why an exploration stopped before it was complete, the most important one first. */
const REASONS: readonly StopReason[] = ["interrupted", "first_violation", "max_time", "max_steps"];

function stopReasonOf(open: number, boundary: number, entries: readonly ExplorationEntry[]): StopReason {
  if (open === 0) return boundary > 0 ? "max_depth" : "exhausted";
  return REASONS.find((reason) => entries.some(({ stopReason }) => stopReason === reason)) ?? "interrupted";
}

/** Returns advice for completing a shard that stopped early for this reason. */
function helps(stopReason: StopReason): string {
  // Do not advise to resume: the resumed shard keeps the flag, and would stop at the same violation again.
  if (stopReason === "first_violation") return "run this shard again without --bail (stop_on_first_violation)";
  return `resume this shard ${stopReason === "max_steps" ? "with --resume and a higher --max-steps" : "with --resume"}`;
}

const grouped = (value: number): string => value.toLocaleString("en-US");

function notesOf(
  { rows, committer, open, differing }: Merged,
  { entries, actions }: Pick<MergedParts, "entries" | "actions">,
  unjudged: readonly string[],
): readonly string[] {
  const judged = entries.flatMap(({ unjudgedRules: own = [] }) => own.filter((rule) => !unjudged.includes(rule)));
  const isUntrue = (note: string): boolean => isInconclusiveNote(note) || judged.some((rule) => isNotSent(rule, note));
  const notes = new Set(entries.flatMap(({ notes: own }) => own.filter((note) => !note.startsWith("This is shard ") && !isUntrue(note))));
  const unfinished = entries.flatMap(({ stopReason }, index) =>
    open.size === 0 || stopReason === "exhausted" || stopReason === "max_depth"
      ? []
      : [
          `Shard ${index + 1}/${entries.length} stopped early (${stopReason}), so some of its states are not explored. To explore them, ${helps(stopReason)}, and merge again.`,
        ],
  );
  const { steps } = committer;
  const times = steps === 0 ? 1 : rows.executed / steps;
  const overlap =
    `Merged from ${entries.length} shards, which executed ${grouped(rows.executed)} steps for the ${grouped(steps)} steps of the merged result (${times.toFixed(2)} times as many): ` +
    `${grouped(rows.shared.size)} of ${grouped(committer.visited.size)} states were reached by more than one shard.`;
  const differ =
    differing.behind === 0
      ? []
      : [
          `For ${grouped(differing.behind)} outcomes, shards that reached the state by different paths recorded different results, for example because test data depends on the path. The merged result takes each outcome from the shard to which the path of the outcome belongs.`,
        ];
  return [...notes, ...unfinished, ...inconclusiveNotes(committer, actions), overlap, ...differ];
}
