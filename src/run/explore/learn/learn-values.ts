import { isDeepStrictEqual } from "node:util";
import type { LanePool } from "../../../engine/lane-pool.ts";
import {
  lateWrite,
  type Calibration,
  type CalibrationWalk,
  type LaneDivergence,
  type LaneReport,
} from "../../../messages/lane-messages.ts";
import type { Divergence } from "../../../model/results/result.ts";
import {
  coarsestOf,
  counterIn,
  fieldOf,
  joined,
  knowledgeText,
  knowsNothing,
  NEXT_SECOND,
  NOTHING_KNOWN,
  tableOf,
  type DroppedField,
  type Knowledge,
} from "../../../state/index.ts";
import { placesToOrder, withoutOrder } from "./generation-order.ts";
import {
  causedByMemory,
  causedByCounters,
  cutByTime,
  differedOnce,
  causedByChance,
  causedByMemoryOrChance,
  differenceText,
} from "./execution-differences.ts";
import { valuesOfProcess } from "./values-of-process.ts";

/** Maximum number of rounds of experiments on one path. Each round may uncover differences that the previous round hid. */
const MOST_ROUNDS = 5;
/**
 * Number of new target processes whose results are compared. A random choice between two values gives the same result in all processes with a
 * probability of 1/16.
 */
const FRESH_PROCESSES = 4;
/** Number of executions with equal counters whose results are compared. */
const EXECUTIONS = 4;
/** How long to wait after calls before idle stores are watched, in milliseconds, so that late writes do not look like writes of a background job. */
const QUIET_MS = 1_000;
/** Maximum number of additional paths that repeat actions which failed on an earlier path, for example because a logout came before them. */
const MOST_LEGS = 4;

/** The result of experiments with a target. */
export interface LearnedValues {
  /** The reports of all lanes after they were rebuilt with the new knowledge. */
  readonly reports: readonly LaneReport[];
  readonly knowledge: Knowledge;
  /** Differences between executions that no generated value or time explains, such as late writes. */
  readonly divergences: readonly Divergence[];
}

/** The operations on lanes that experiments use. */
export type LearningLanes = Pick<LanePool, "calibrate" | "learn" | "rebuild"> & {
  /** Returns `true` if only necessary experiments may still start, because the time for experiments is used up. */
  readonly isOver?: () => boolean;
  /** Returns `true` if an experiment took too long, so that its requests were ended and it learned nothing. */
  readonly wasCut?: () => boolean;
};

/** The settings of experiments. */
export interface Experiments {
  /**
   * Places whose order of generation explained earlier divergences. The order at these places remains part of states, even if no order explains the
   * present divergence. Default: none.
   */
  readonly proven?: readonly string[] | undefined;
  /** How long idle stores are watched, in milliseconds (`target.idle_watch`). */
  readonly idleMs: number;
  /** Action indices of the path to repeat. Default: a path through all actions, followed by paths for actions that failed on the first path. */
  readonly path?: readonly number[] | undefined;
  /** `true` if rebuilding a lane starts a new process of the target. */
  readonly startsTargets: boolean;
}

/**
 * Watches idle stores for writes that the target or another client makes without a request. Returns `undefined` if nothing was written.
 * @param quietMs How long to wait before the stores are watched. Late writes of earlier calls, such as a mail that is still on its way, end in this
 * time.
 */
export async function learnBackground(
  lanePool: LearningLanes,
  { knowledge }: Pick<LearnedValues, "knowledge">,
  idleMs: number,
  quietMs = 0,
): Promise<LearnedValues | undefined> {
  if (idleMs === 0) return undefined;
  const { learned } = await lanePool.calibrate({ idleMs, quietMs });
  if (knowsNothing(learned)) return undefined;
  const more = joined(knowledge, learned);
  return { knowledge: more, reports: await lanePool.learn(more), divergences: [] };
}

/**
 * Learns which values of the target are generated and which are times. Repeats paths from the root state until two executions lead to equal states.
 */
export async function learnValues(
  lanePool: LearningLanes,
  before: Pick<LearnedValues, "reports" | "knowledge">,
  experiments: Experiments,
): Promise<LearnedValues> {
  let { missed, ...learned } = await learnOnWalk(lanePool, before, experiments, { path: experiments.path });
  // Try the missed actions on further paths. Every second path executes the other actions in reverse order, because an action may undo a condition of
  // a missed action in one of the two orders only.
  for (let leg = 0, inVain = 0; leg < MOST_LEGS && inVain < 2 && missed.length > 0 && learned.divergences.length === 0; leg++) {
    if (lanePool.isOver?.() === true) break;
    const next = await learnOnWalk(lanePool, learned, experiments, { wanted: missed, backwards: leg % 2 === 1 });
    inVain = next.missed.length < missed.length ? 0 : inVain + 1;
    ({ missed, ...learned } = next);
  }
  return learned;
}

/** Learns the generated values and times of one path, by executing the path until two executions lead to equal states. */
async function learnOnWalk(
  lanePool: LearningLanes,
  before: Pick<LearnedValues, "reports" | "knowledge">,
  { idleMs, startsTargets }: Experiments,
  walk: Pick<CalibrationWalk, "path" | "wanted" | "backwards">,
): Promise<LearnedValues & Pick<Calibration, "missed">> {
  let { reports, knowledge } = before;
  let isWatched = false;
  // `true` after the first difference. From then on, more than two executions are compared, because two executions often make the same random choice.
  let thorough = false;
  const allLate = new Map<string, Set<string>>();
  /** Differences between two executions of one path. Differences are reported even if later executions agree. */
  const lasting = new Map<string, DroppedField>();
  const answers = new Set<string>();
  let missed: readonly number[] = [];
  const learn = async (more: Knowledge): Promise<void> => {
    knowledge = joined(knowledge, more);
    reports = await lanePool.learn(knowledge);
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { learned, suspects, unlike, late, states, ...walked } = await lanePool.calibrate({ ...walk, thorough });
    ({ missed } = walked);
    if (lanePool.wasCut?.() === true) break;
    thorough ||= suspects.length + unlike.length > 0;
    for (const one of walked.lasting) lasting.set(one.field, one);
    for (const one of unlike) answers.add(one);
    if ((late.length + suspects.length > 0 || learned.generated.some(isLooseCounter)) && !isWatched) {
      isWatched = true;
      const found = await learnBackground(lanePool, { knowledge }, idleMs, QUIET_MS);
      if (found !== undefined) {
        ({ reports, knowledge } = found);
        continue;
      }
    }
    for (const { action, fields } of late) allLate.set(action, new Set([...(allLate.get(action) ?? []), ...fields]));
    if (!knowsNothing(learned)) await learn(learned);
    else if (suspects.length + unlike.length === 0) break;
    else {
      const all = [...unlike, ...suspects.map(differenceText)];
      const report = (divergence: Divergence) => ({ reports, knowledge, divergences: [divergence], missed });
      if (lanePool.isOver?.() === true) return report(differedOnce(all));
      if (await dependsOnSeconds(lanePool, knowledge, walk)) {
        await learn({ ...NOTHING_KNOWN, ordered: [NEXT_SECOND] });
        continue;
      }
      // Without a new process, effects of the target's memory and of randomness look the same, because the user's reset may not restore everything.
      if (!startsTargets && !reports[0]!.portable) return report(causedByMemoryOrChance(all, suspects));
      const { counters } = reports[0]!;
      if (counters?.startAgain === true && (await dependsOnCounters(lanePool, walk))) return report(causedByCounters(all, counters));
      const isAlike = await isAlikeWhenFresh(lanePool, walk, states);
      const isTimed = isAlike && suspects.length > 0 && unlike.length === 0 && (await dependsOnPauses(lanePool, walk, states));
      if (isAlike && !isTimed) return report(causedByMemory(all, reports[0]!));
      if (suspects.length === 0) return report(causedByChance(all));
      await learn({ ...NOTHING_KNOWN, dropped: suspects });
    }
  }
  if (lanePool.wasCut?.() === true) return { reports, knowledge, divergences: [cutByTime()], missed };
  const left = [...lasting.values()].filter((one) => !explains(knowledge, one));
  // A value that depends on the time between calls may be equal in some executions by chance.
  const isTimed =
    left.length > 0 && answers.size === 0 && (startsTargets || reports[0]!.portable) && (await dependsOnPauses(lanePool, walk));
  if (isTimed) await learn({ ...NOTHING_KNOWN, dropped: left });
  const unexplained = isTimed ? [] : [...answers, ...left.map(differenceText)];
  const writes = [...allLate].map(([action, fields]) => lateWrite({ action, fields: [...fields] }, [action]));
  const divergences = writes.length > 0 || unexplained.length === 0 ? writes : [differedOnce(unexplained)];
  return { reports, knowledge, divergences, missed };
}

/** Returns `true` if the field is already known to differ (generated, a time, dropped, or background work), so that its difference is explained. */
function explains({ generated, times, dropped, background }: Knowledge, { field }: DroppedField): boolean {
  const places = [...generated, ...times].map(({ place }) => fieldOf(place));
  return places.includes(field) || background.includes(field) || dropped.some((one) => one.field === field);
}

/**
 * Returns `true` for a generated integer that grows with each execution and is not a key of a table. An integer that the target increments in the
 * background cannot be distinguished from such a value.
 */
function isLooseCounter({ after, domain }: Knowledge["generated"][number]): boolean {
  return after === "" && domain !== undefined && tableOf(domain) === undefined;
}

/** Resolves to `true` if the target compares times in whole seconds, so that a path has another result if two of its steps share a second. */
async function dependsOnSeconds(
  lanePool: LearningLanes,
  { times, ordered }: Knowledge,
  walk: Pick<CalibrationWalk, "path" | "wanted" | "backwards">,
): Promise<boolean> {
  if (ordered.includes(NEXT_SECOND) || !times.some((time) => coarsestOf(time) >= 1_000)) return false;
  return (await lanePool.calibrate({ ...walk, seconds: true })).dependsOnSeconds === true;
}

/**
 * Executes the path several times with counters that begin as in the root state, and then several times with counters that were not set back.
 * Resolves to `true` if only the executions with equal counters reach equal states. The counters then cause the differences.
 */
async function dependsOnCounters(lanePool: LearningLanes, walk: CalibrationWalk): Promise<boolean> {
  const isAlike = async (cleanly: boolean): Promise<boolean> => {
    let first: readonly number[] | undefined;
    for (let execution = 0; execution < EXECUTIONS; execution++) {
      const { states } = await lanePool.calibrate({ ...walk, once: true, cleanly });
      first ??= states;
      if (!isDeepStrictEqual(states, first)) return false;
    }
    return true;
  };
  return (await isAlike(true)) && !(await isAlike(false));
}

/**
 * Executes the path in several new processes of the target. Resolves to `true` if each process reaches the given states. If executions in one process
 * differ nevertheless, the memory of the process is the cause.
 */
async function isAlikeWhenFresh(lanePool: LearningLanes, walk: CalibrationWalk, states: readonly number[]): Promise<boolean> {
  for (let process = 0; process < FRESH_PROCESSES; process++) {
    await lanePool.rebuild(0);
    const fresh = await lanePool.calibrate({ ...walk, once: true });
    if (fresh.states.length !== states.length || states.some((one, index) => one !== fresh.states[index])) return false;
  }
  return true;
}

/**
 * Executes the path in a new process of the target, with a pause before each step. Resolves to `true` if the reached states differ from those without
 * pauses, so that a value depends on the time between calls. `states`: the states that a new process reaches without pauses. Default: the path is
 * executed once more without pauses.
 */
async function dependsOnPauses(lanePool: LearningLanes, walk: CalibrationWalk, states?: readonly number[]): Promise<boolean> {
  const statesOf = async (paused: boolean): Promise<readonly number[]> => {
    await lanePool.rebuild(0);
    return (await lanePool.calibrate({ ...walk, once: true, paused })).states;
  };
  return !isDeepStrictEqual(await statesOf(true), states ?? (await statesOf(false)));
}

/**
 * Repeats the calls of a divergence to find an unknown generated value, or an order of generation that matters. Then rebuilds all lanes, because the
 * search starts again.
 */
export async function learnFrom(
  lanePool: LearningLanes,
  before: Pick<LearnedValues, "reports" | "knowledge">,
  { kind, calls, reduced, unlinked = false, seconds = false, rowOrders = [] }: LaneDivergence,
  experiments: Experiments,
): Promise<LearnedValues & { readonly isExplained: boolean }> {
  if (seconds) {
    const knowledge = joined(before.knowledge, { ...NOTHING_KNOWN, ordered: [NEXT_SECOND] });
    return { knowledge, reports: await lanePool.learn(knowledge, "fresh"), divergences: [], isExplained: true };
  }
  if (kind === "late_write") {
    const found = await learnBackground(lanePool, before, experiments.idleMs, QUIET_MS);
    if (found !== undefined) return { ...found, reports: await lanePool.learn(found.knowledge, "fresh"), isExplained: true };
    return { knowledge: before.knowledge, reports: await lanePool.learn(before.knowledge, "fresh"), divergences: [], isExplained: false };
  }
  const { divergences, ...learned } = await learnValues(lanePool, before, { ...experiments, path: calls });
  const isNew = divergences.length > 0 || knowledgeText(learned.knowledge) !== knowledgeText(before.knowledge);
  const found = isNew ? undefined : await learnBackground(lanePool, before, experiments.idleMs, QUIET_MS);
  if (found !== undefined) return { ...found, reports: await lanePool.learn(found.knowledge, "fresh"), isExplained: true };
  const ofProcess =
    isNew || !experiments.startsTargets || calls === undefined ? [] : await valuesOfProcess(lanePool, { path: calls }, before.knowledge);
  if (ofProcess.length > 0) {
    const knowledge = joined(before.knowledge, { ...NOTHING_KNOWN, dropped: ofProcess });
    return { knowledge, reports: await lanePool.learn(knowledge, "fresh"), divergences: [], isExplained: true };
  }
  const sharesSeconds = !isNew && calls !== undefined && (await dependsOnSeconds(lanePool, before.knowledge, { path: calls }));
  // If the merged states differed in which values belong together (`unlinked`), the order of generation cannot distinguish such states.
  const places = sharesSeconds
    ? [NEXT_SECOND]
    : unlinked
      ? []
      : placesToOrder(before.knowledge, [
          ...(before.reports[0]?.leftOut ?? []).map(({ entry }) => entry).filter((entry) => counterIn(entry) !== undefined),
          ...rowOrders,
        ]);
  const matters = sharesSeconds || (!isNew && reduced === true && places.length > 0);
  const knowledge = matters
    ? joined(learned.knowledge, { ...NOTHING_KNOWN, ordered: places })
    : !isNew && kind === "merge" && !unlinked && places.length === 0
      ? withoutOrder(learned.knowledge, experiments.proven)
      : learned.knowledge;
  return { knowledge, reports: await lanePool.learn(knowledge, "fresh"), divergences, isExplained: isNew || matters };
}
