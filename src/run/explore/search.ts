import { tmpdir } from "node:os";
import { Explorer } from "../../engine/search/explorer.ts";
import type { CounterColumn, LaneReport } from "../../messages/lane-messages.ts";
import { withoutGraph, type FoundViolation } from "../../engine/findings/finding-log.ts";
import type { TriedStep } from "../../engine/events.ts";
import type { Reduction, StopReason } from "../../model/results/result.ts";
import { duration, plural } from "../../reports/console/text/numbers.ts";
import { mapStack } from "../../loader/index.ts";
import { joined, knowledgeText, NOTHING_KNOWN, type Knowledge } from "../../state/index.ts";
import { DETAIL_LIMITS, ScratchFile, type ExplorationStart } from "../../run-log/index.ts";
import { calibrating } from "./at-root.ts";
import type { Exploration } from "./exploration.ts";
import { idleMsOf } from "./idle-watch.ts";
import { checkLanes } from "../prepare/check-lanes.ts";
import { whereOfStack } from "../prepare/declared-at.ts";
import { learnFrom, learnValues, type Experiments, type LearnedValues } from "./learn/learn-values.ts";
import { distinguishesContent } from "./learn/generation-order.ts";
import { refutedBy } from "../results/reductions.ts";
import { againNote, endlessNote, lessonNote, neededNote } from "./learn/lesson-note.ts";
import { hasUnconfirmed } from "./shrinking.ts";
import { runHeaderWith } from "../resume/resume.ts";
import type { JournalEvent } from "../../engine/commit/commit-journal.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";

/** Maximum number of times that the search starts again, because a divergence gave new knowledge about the target's values. */
const MOST_LESSONS = 8;

/** The last search. If the search was started again, the last search has the knowledge from all earlier searches. */
export interface Searched {
  readonly explorer: Explorer;
  readonly knowledge: Knowledge;
  /** Reductions that earlier searches showed to be wrong. */
  readonly refuted: readonly Reduction[];
  /** Violations that occurred in cross-checks or earlier searches. The last search need not have reached these violations. */
  readonly seen: readonly FoundViolation[];
  /** The report of the first lane at the beginning of the last search. */
  readonly report: Pick<LaneReport, "counters" | "leftOut" | "visibility">;
  /** A note that says that earlier searches used up the time, so that the last search ended early; `undefined` otherwise. */
  readonly restarted: string | undefined;
}

/** The counters that restores leave as they are, and the state of learning before the first of them was left. */
interface Leaving {
  readonly columns: readonly CounterColumn[];
  readonly before: Pick<LearnedValues, "knowledge" | "divergences"> & { readonly isOpen: boolean; readonly refuted: number };
}

/**
 * Searches from the root state. If a divergence shows that the knowledge about the target's values is incomplete, experiments extend the knowledge
 * and the search starts again.
 */
export async function search(exploration: Exploration): Promise<Searched> {
  const { input, options, brought } = exploration;
  const { config, keep, onEvent, signal } = input;
  const { lanePool } = exploration.lanes;
  const { startedAt } = brought;
  const limit = { maxTimeMs: options.maxTimeMs, endsAt: startedAt + options.maxTimeMs };
  let { reports, knowledge, divergences } = brought;
  const refuted: Reduction[] = [];
  /**
   * For each action after which merged states turned out to differ: the ordered places, and the number of refuted reductions, when this first
   * happened. Places that became ordered later are removed again if their order does not explain the difference.
   */
  const firsts = new Map<number | undefined, { readonly proven: readonly string[]; readonly refuted: number }>();
  const seen: FoundViolation[] = [];
  /** Violations of earlier searches. The next search may miss such a violation, because it merges more states or uses up its steps earlier. */
  const earlier: FoundViolation[] = [];
  // In a shard, restores cannot leave counters as they are, because other shards see other states and could decide otherwise.
  const leavesCounters = !lanePool.capacity.isElastic && options.shard === undefined;
  /** The counters that restores leave as they are, and what was known before. `undefined` if there are none. */
  let leaving: Leaving | undefined;
  for (let lessons = 0, isOpen = !lanePool.capacity.isElastic; ; lessons++) {
    keep?.begin(startOf(exploration, reports[0]!, knowledge));
    const spill = new ScratchFile(keep?.folder ?? tmpdir());
    const recorded = lessons === 0 ? keep?.before?.recorded : undefined;
    const onCommits = keep === undefined ? undefined : (): void => keep.commits(explorer.committer, () => exploration.soFar(explorer));
    const lanes = calibrating(lanePool, input, { first: reports[0]!, ...limit });
    // With neither a target nor stores, only the actions themselves change the state. Nothing can be written after an action, so late writes need no
    // check.
    const calibrate = reports[0]!.uses.length > 0 ? lanes.calibrate : undefined;
    const onStep = onStepOf(exploration);
    const kept = {
      spill,
      onStep,
      details: keep?.limits ?? (onStep && DETAIL_LIMITS),
      journal: keep !== undefined,
      recorded,
      onCommits,
      calibrate,
    };
    const crossCheck = { ...options.crossCheck, auditsAll: distinguishesContent(knowledge) };
    const explorer: Explorer = new Explorer(
      {
        ...options,
        ...kept,
        crossCheck,
        learns: isOpen && lessons < MOST_LESSONS,
        leavesCounter: (counter) => leavesCounters && lessons < MOST_LESSONS && knowledge.needed?.includes(counter) !== true,
      },
      lanePool,
      startedAt,
    );
    explorer.restore(divergences);
    const begunAt = performance.now();
    await explorer.run(reports[0]!);
    seen.push(...explorer.seen);
    const restarted = restartsNote(explorer.stopReason, { restarts: lessons, usedMs: begunAt - startedAt, maxTimeMs: options.maxTimeMs });
    const searched = { explorer, knowledge, refuted, seen: [...seen, ...earlier], report: reports[0]!, restarted };
    const { lesson, endlessCounter } = explorer;
    const isEnded = explorer.stopReason === "max_time" || explorer.limit.isOver || signal?.aborted === true || explorer.fatal !== undefined;
    const isComplete = lesson === undefined && endlessCounter === undefined;
    if (isComplete && (isEnded || leaving === undefined)) return searched;
    if (!isComplete && (isEnded || explorer.stopReason === "first_violation")) {
      if (lesson !== undefined) explorer.divergences.add(lesson);
      endedByTime(explorer, signal);
      return searched;
    }
    const beginAgain = (note: string): void => {
      earlier.push(...[...explorer.committer.findings.violations.values()].filter(({ path }) => path.length > 0).map(withoutGraph));
      keep?.again();
      onEvent({ kind: "again" });
      onEvent({ kind: "note", message: note });
    };
    if (isComplete) {
      // A rule that only breaks with the numbers of other paths shows that results depend on the numbers.
      if (!(await hasUnconfirmed(explorer, options, lanePool))) return searched;
      const { columns, before } = leaving!;
      leaving = undefined;
      const needed = [...(knowledge.needed ?? []), ...columns.map(({ counter }) => counter)];
      knowledge = joined(before.knowledge, { ...NOTHING_KNOWN, needed });
      reports = await lanePool.learn(knowledge);
      ({ divergences, isOpen } = before);
      refuted.length = before.refuted;
      beginAgain(againNote(explorer, columns));
      continue;
    }
    if (lesson === undefined) {
      const left = await leaveCounter(exploration, limit, knowledge, endlessCounter!);
      if (left === undefined) {
        endedByTime(explorer, signal);
        return searched;
      }
      const isLeft = left.knowledge.unrestored?.includes(endlessCounter!.counter) === true;
      if (isLeft) {
        const { columns, before } = leaving ?? { columns: [], before: { knowledge, divergences, isOpen, refuted: refuted.length } };
        leaving = { columns: [...columns, endlessCounter!], before };
      }
      ({ reports, knowledge } = left);
      beginAgain(isLeft ? endlessNote(explorer, endlessCounter!) : neededNote(endlessCounter!));
      continue;
    }
    const cause = lesson.calls?.at(-1);
    const first = firsts.get(cause) ?? { proven: firsts.size === 0 ? [] : knowledge.ordered, refuted: refuted.length };
    if (lesson.kind === "merge") firsts.set(cause, first);
    const experiments = { ...experimentsOf(config), proven: first.proven };
    const learned = await learnFrom(lanes, { reports, knowledge }, lesson, experiments).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    });
    // The run was interrupted during the experiments, so the present search is the result.
    if (learned === undefined) {
      explorer.divergences.add(lesson);
      return searched;
    }
    refuted.push(...refutedBy(lesson, learned, { explorer, knowledge, leftOut: reports[0]!.leftOut }));
    // `ordered` became shorter, so no order of generation explained the difference. The reductions that were refuted because of this difference are
    // valid.
    if (learned.knowledge.ordered.length < knowledge.ordered.length) refuted.length = first.refuted;
    if (!learned.isExplained) explorer.divergences.add(lesson);
    // Late writes are detected after the last commit. The search is then complete and need not start again.
    if (!learned.isExplained && lesson.kind === "late_write" && explorer.stopReason !== "interrupted") return searched;
    divergences = [...(learned.isExplained ? divergences : explorer.divergences.all), ...learned.divergences];
    // Stop learning from divergences after the first one that experiments could not explain.
    isOpen &&= learned.isExplained && learned.divergences.length === 0;
    const note = lessonNote(explorer, learned, knowledge);
    ({ reports, knowledge } = learned);
    beginAgain(note);
  }
}

/** Corrects the reason of a search that interrupted itself to learn, and had no time to learn. The user did not interrupt the run. */
export function endedByTime(explorer: Pick<Explorer, "stopReason" | "fatal">, signal: AbortSignal | undefined): void {
  if (explorer.stopReason === "interrupted" && signal?.aborted !== true && explorer.fatal === undefined) explorer.stopReason = "max_time";
}

/**
 * Makes the restores of a store leave a counter as it is, and learns which values are now generated. If executions of one path then differ, results
 * depend on the numbers themselves (for example, the user with the id 1 is an administrator), so the counter is restored again. Resolves to
 * `undefined` if the run was interrupted, or if its time was over.
 */
async function leaveCounter(
  { input, lanes: { lanePool } }: Exploration,
  limit: { readonly maxTimeMs: number; readonly endsAt: number },
  known: Knowledge,
  { counter }: CounterColumn,
): Promise<Pick<LearnedValues, "reports" | "knowledge"> | undefined> {
  try {
    const knowledge = joined(known, { ...NOTHING_KNOWN, unrestored: [counter] });
    const reports = await lanePool.learn(knowledge);
    checkLanes(reports, input.config);
    const lanes = calibrating(lanePool, input, { first: reports[0]!, ...limit });
    const learned = await learnValues(lanes, { reports, knowledge }, experimentsOf(input.config));
    if (lanes.wasCut?.() === true) {
      // The counter was restored in the search that is now the result.
      await lanePool.learn(known, "fresh");
      return undefined;
    }
    if (learned.divergences.length === 0) return learned;
    const needed = joined(known, { ...NOTHING_KNOWN, needed: [counter] });
    return { reports: await lanePool.learn(needed), knowledge: needed };
  } catch (error) {
    if (input.signal?.aborted === true) return undefined;
    throw error;
  }
}

function experimentsOf(config: Exploration["input"]["config"]): Pick<Experiments, "idleMs" | "startsTargets"> {
  return { idleMs: idleMsOf(config), startsTargets: config.target !== undefined };
}

/** Returns a note if the time ran out and earlier searches had used at least half of it. `usedMs`: the time until the last search began. */
export function restartsNote(
  stopReason: StopReason | undefined,
  {
    restarts,
    usedMs,
    maxTimeMs = Infinity,
  }: { readonly restarts: number; readonly usedMs: number; readonly maxTimeMs: number | undefined },
): string | undefined {
  if (stopReason !== "max_time" || restarts === 0 || usedMs * 2 < maxTimeMs) return undefined;
  return `seqqa restarted the search ${plural(restarts, "time")} to learn values, which used ${duration(Math.min(usedMs, maxTimeMs))} of the ${duration(maxTimeMs)} of max_time. The last search therefore ended early. To complete it, raise max_time.`;
}

/** Returns a listener for steps that replaces the lanes' URLs by the URL that the user configured. */
function onStepOf({ input: { onStep }, shown }: Exploration): ((step: TriedStep) => void) | undefined {
  return onStep && ((step) => onStep({ ...step, exchanges: step.exchanges.map((one) => shown().exchange(one)) }));
}

function startOf(
  { input: { name, module, keep }, settings: { maxDepth }, shard, options, lanes, shown }: Exploration,
  root: LaneReport,
  knowledge: Knowledge,
): ExplorationStart {
  const { clockMs } = lanes.home.options;
  return {
    name,
    strategy: options.strategy,
    actions: options.actions,
    shown: (exchange) => shown().exchange(exchange),
    told: (stepEvents) => reportedEvents(stepEvents, shown(), { mapStack, whereOf: whereOfStack }),
    beginning: runHeaderWith(
      module?.hash ?? "",
      { root, knowledge: knowledgeText(knowledge), clockMs, maxDepth, shard, violationPolicy: options.violationPolicy },
      keep?.before?.beginning,
    ),
  };
}

/**
 * Replaces the lanes' URLs in step events, and resolves stacks to the user's source lines. Stacks must be resolved during the run, because the bundle
 * is deleted afterwards.
 */
function reportedEvents(
  { findings, errors, unjudged }: JournalEvent,
  urls: ShownUrls,
  { mapStack, whereOf }: { readonly mapStack: (stack: string) => string; readonly whereOf: (stack: string) => string | undefined },
): JournalEvent {
  return {
    findings,
    ...(unjudged !== undefined && { unjudged }),
    errors: errors.map((error) => ({
      ...error,
      message: urls.text(error.message),
      where: error.where ?? (error.stack === undefined ? undefined : whereOf(error.stack)),
      stack: error.stack === undefined ? undefined : mapStack(error.stack),
    })),
  };
}
