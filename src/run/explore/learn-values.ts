import { isDeepStrictEqual } from "node:util";
import type { LanePool } from "../../engine/lane-pool.ts";
import {
  lateWrite,
  type Calibration,
  type CalibrationWalk,
  type LaneDivergence,
  type LaneReport,
  type UnrestoredCounters,
} from "../../messages/lane-messages.ts";
import type { Explorer } from "../../engine/search/explorer.ts";
import type { Divergence, Reduction, VerdictException } from "../../model/results/result.ts";
import { plural } from "../../reports/console/text/numbers.ts";
import {
  contentOf,
  fieldOf,
  FULL_ORDER,
  isInToken,
  joined,
  knowledgeText,
  knowsNothing,
  NEXT_SECOND,
  NOTHING_KNOWN,
  ROOT_TIMES,
  tableOf,
  type DroppedField,
  type Knowledge,
} from "../../state/index.ts";

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
/** Maximum number of places (columns or JSON paths) that the text about one reduction names. */
const MOST_PLACES = 4;

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
};

export interface Experiments {
  /**
   * Places whose order of generation explained earlier divergences. The order at these places stays part of states, even if no order explains the
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
  // Try the missed actions on further paths. Every second path executes the other actions in reverse order, because one of the two orders may undo
  // something that a missed action needs.
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
  // `true` after the first difference. From then on, more executions are compared, because two executions often make the same random choice.
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
      if (await dependsOnSeconds(lanePool, knowledge, walk)) {
        await learn({ ...NOTHING_KNOWN, ordered: [NEXT_SECOND] });
        continue;
      }
      const all = [...unlike, ...suspects.map(differenceText)];
      const report = (divergence: Divergence) => ({ reports, knowledge, divergences: [divergence], missed });
      // Without a new process, effects of the target's memory and of randomness look the same, because the user's reset may not restore everything.
      if (!startsTargets && !reports[0]!.portable) return report(memoryOrChance(all, suspects));
      const { counters } = reports[0]!;
      if (counters?.startAgain === true && (await dependsOnCounters(lanePool, walk))) return report(counted(all, counters));
      if (await isAlikeWhenFresh(lanePool, walk, states)) return report(memory(all));
      if (suspects.length === 0) return report(chance(all));
      await learn({ ...NOTHING_KNOWN, dropped: suspects });
    }
  }
  const fields = [...lasting.values()].filter((one) => !explains(knowledge, one)).map(differenceText);
  const unexplained = [...answers, ...fields];
  const writes = [...allLate].map(([action, fields]) => lateWrite({ action, fields: [...fields] }, [action]));
  const divergences = writes.length > 0 || unexplained.length === 0 ? writes : [once(unexplained)];
  return { reports, knowledge, divergences, missed };
}

/** Returns `true` if the field is already known to differ (generated, a time, dropped, or background work), so that its difference is explained. */
function explains({ generated, times, dropped, background }: Knowledge, { field }: DroppedField): boolean {
  const places = [...generated, ...times].map(({ place }) => fieldOf(place));
  return places.includes(field) || background.includes(field) || dropped.some((one) => one.field === field);
}

/**
 * Returns `true` for a number that grows with each execution and is not a key of a table. A number that the target increments in the background looks
 * the same.
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
  if (ordered.includes(NEXT_SECOND) || !times.some(({ resolutionMs }) => resolutionMs >= 1_000)) return false;
  return (await lanePool.calibrate({ ...walk, seconds: true })).dependsOnSeconds === true;
}

/**
 * Executes the path several times, each time with counters that begin as in the root state, and then without this. Resolves to `true` if only the
 * executions with equal counters reach equal states. The counters then cause the differences.
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
 * Executes the path in several new processes of the target. Resolves to `true` if each process reaches the given states. Differences within one
 * process are then caused by the memory of the process.
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
 * Repeats the calls of a divergence to find an unknown generated value, or an order of generation that matters. Then rebuilds all lanes, because the
 * search starts again.
 */
export async function learnFrom(
  lanePool: LearningLanes,
  before: Pick<LearnedValues, "reports" | "knowledge">,
  { kind, calls, reduced, unlinked = false, seconds = false }: LaneDivergence,
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
  const sharesSeconds = !isNew && calls !== undefined && (await dependsOnSeconds(lanePool, before.knowledge, { path: calls }));
  // If the merged states differed in which values belong together (`unlinked`), the order of generation cannot distinguish such states.
  const places = sharesSeconds ? [NEXT_SECOND] : unlinked ? [] : placesToOrder(before.knowledge);
  const matters = sharesSeconds || (!isNew && reduced === true && places.length > 0);
  const knowledge = matters
    ? joined(learned.knowledge, { ...NOTHING_KNOWN, ordered: places })
    : !isNew && kind === "merge" && !unlinked && places.length === 0
      ? withoutOrder(learned.knowledge, experiments.proven)
      : learned.knowledge;
  return { knowledge, reports: await lanePool.learn(knowledge, "fresh"), divergences, isExplained: isNew || matters };
}

/**
 * Returns the places where states will be distinguished by the order in which values were generated. Places of generated ids are tried first. Places
 * of times follow only if the ids did not help, because two times in whole seconds may be equal by chance. Then ids and times are ordered together. If
 * nothing helped, ids are distinguished by the states in which they were generated, which leads to the most states.
 */
function placesToOrder(knowledge: Knowledge): readonly string[] {
  const { times, ordered } = knowledge;
  const ofTimes = [...times.map(({ place }) => place), ROOT_TIMES];
  const orders = times.length === 0 ? [[...ofTimes, FULL_ORDER]] : [ofTimes, [FULL_ORDER]];
  const steps = [domainsOf(knowledge), ...orders, contentsOf(knowledge)];
  return steps.map((places) => places.filter((place) => !ordered.includes(place))).find(({ length }) => length > 0) ?? [];
}

/**
 * Returns the knowledge without the places whose order of generation is part of states, except the places in `proven`. If merged states differ
 * although all places are ordered, the order is not the cause. Distinguishing states by this order would make the search longer, or endless.
 */
function withoutOrder(knowledge: Knowledge, proven: readonly string[] = []): Knowledge {
  return { ...knowledge, ordered: knowledge.ordered.filter((place) => place === NEXT_SECOND || proven.includes(place)) };
}

/** Returns `true` if states are distinguished by the states in which their values were generated. */
export function distinguishesContent(knowledge: Knowledge): boolean {
  return contentsOf(knowledge).some((one) => knowledge.ordered.includes(one));
}

function domainsOf({ generated }: Knowledge): readonly string[] {
  return generated.map(({ place, domain }) => domain ?? place);
}

/** Returns the entries {@link contentOf} for all generated values, and for the times in signed tokens. */
function contentsOf(knowledge: Knowledge): readonly string[] {
  const inTokens = knowledge.times.map(({ place }) => place).filter(isInToken);
  return [...domainsOf(knowledge), ...inTokens].map(contentOf);
}

/**
 * Returns the reductions that a divergence refuted, because it showed that the order of generation matters. Each reduction counts one refuted merge:
 * the number of other merges and audits before the divergence depends on the number of lanes.
 */
export function refutedBy(
  { reduced }: LaneDivergence,
  { knowledge }: LearnedValues,
  before: { readonly explorer: Explorer; readonly knowledge: Knowledge },
): readonly Reduction[] {
  if (reduced !== true || !knowledge.ordered.some((one) => one !== NEXT_SECOND && !before.knowledge.ordered.includes(one))) return [];
  return reductionsOf(before.explorer, before.knowledge).map(({ reason }) => ({ reason, merges: 1, audited: 1, refuted: 1 }));
}

/** Returns a note that says that the search starts again, and why. `before`: the knowledge with which the search had begun. */
export function lessonNote(
  { committer }: Pick<Explorer, "committer">,
  { isExplained, divergences, knowledge }: Omit<LearnedValues, "reports"> & { readonly isExplained: boolean },
  before: Knowledge,
): string {
  const after = `after ${plural(committer.steps, "step")}`;
  if (!isExplained || divergences.length > 0) {
    const note = `seqqa restarted the search ${after}, because equal states had different outcomes. From now on, seqqa repeats the calls of a path to reach a state, and does not copy states between lanes.`;
    const dropped = orderedFields(before, knowledge);
    return dropped.length === 0
      ? note
      : `${note} The order in which these values were generated does not explain the difference, so states no longer differ by it: ${shownFields(dropped)}.`;
  }
  return `seqqa restarted the search ${after}, because states that it considered equal had different outcomes. ${lessonOf(knowledge, before)}`;
}

const SETUP_TIMES = "times of the root state";

/** Returns the values that differ by themselves according to `knowledge`, but not according to `before`, as text; empty if there are none. */
export function learnedSince(knowledge: Knowledge, before: Knowledge): string {
  const known = fieldsOf(before);
  return shownFields(fieldsOf(knowledge).filter((field) => !known.includes(field)));
}

/** Returns a sentence that names the difference between `knowledge` and the earlier knowledge `before`. */
function lessonOf(knowledge: Knowledge, before: Knowledge): string {
  const added = learnedSince(knowledge, before);
  if (added !== "") return `seqqa now knows that these values differ when calls are repeated: ${added}.`;
  if (knowledge.ordered.includes(NEXT_SECOND) && !before.ordered.includes(NEXT_SECOND))
    return "The target compares times in whole seconds: calls have another result within one second. seqqa now waits for the next second between such calls.";
  const fields = orderedFields(knowledge, before);
  const refined = refinedFields(knowledge, before);
  if (fields.length === 0) return `seqqa now knows more about values that differ when calls are repeated: ${shownFields(refined)}.`;
  return `States now also differ by the order in which these values were generated: ${shownFields(fields)}.`;
}

/**
 * Returns the fields whose order of generation distinguishes states according to the first knowledge, but not (or less strictly) according to
 * `other`.
 */
function orderedFields({ generated, times, ordered }: Knowledge, other: Knowledge): readonly string[] {
  const isOrdered = (key: string): boolean =>
    [key, contentOf(key), FULL_ORDER].some((one) => ordered.includes(one) && !other.ordered.includes(one));
  const some = [...generated.filter(({ place, domain }) => isOrdered(domain ?? place)), ...times.filter(({ place }) => isOrdered(place))];
  const fields = some.map(({ place }) => fieldOf(place));
  if (ordered.includes(ROOT_TIMES) && !other.ordered.includes(ROOT_TIMES)) fields.push(SETUP_TIMES);
  return fields;
}

/** Returns the fields about whose values `knowledge` says something else than `before`, and the actions whose requests turned out to differ. */
function refinedFields(knowledge: Knowledge, before: Knowledge): readonly string[] {
  const known = [...before.generated, ...before.times];
  const refined = [...knowledge.generated, ...knowledge.times].filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  const actions = knowledge.noisyActions.filter((action) => !before.noisyActions.includes(action));
  return [...refined.map(({ place }) => fieldOf(place)), ...actions.map((action) => `requests of ${action}`)];
}

/** Returns the fields whose values differ by themselves. */
function fieldsOf({ generated, times, dropped, background }: Knowledge): readonly string[] {
  return [...[...generated, ...times].map(({ place }) => fieldOf(place)), ...dropped.map(({ field }) => field), ...background];
}

function shownFields(fields: readonly string[]): string {
  const all = [...new Set(fields)];
  return all.length > MOST_PLACES ? `${all.slice(0, MOST_PLACES).join(", ")} and others` : all.join(", ");
}

function memory(differences: readonly string[]): Divergence {
  return executionsDiffer(
    "The same calls lead to different states when they are repeated in one process of the target, because it keeps data in memory that is not in its stores",
    differences,
    "Keep this data in a store, or set `target.rollback: restart`.",
  );
}

/** Returns a divergence about differences that occur because no checkpoint restores the counters. */
function counted(differences: readonly string[], { tables, hint }: UnrestoredCounters): Divergence {
  const message = `The same calls lead to different states when they are repeated, because the target uses numbers of AUTO_INCREMENT counters that restores do not set back (${tables})`;
  return executionsDiffer(message, differences, hint);
}

/**
 * Returns a divergence about a difference between two executions that later executions did not show again, and that no generated value or time
 * explains.
 */
function once(differences: readonly string[]): Divergence {
  return executionsDiffer(
    "The same calls gave a different result in one of several executions",
    differences,
    "Look for a cause outside the stores: random values, memory of the target's process, or another service.",
  );
}

/** Returns a divergence about answers that differ between new processes of the target, although the states are equal. */
function chance(differences: readonly string[]): Divergence {
  return executionsDiffer(
    "The same calls get different answers when they are repeated, even in a new process of the target",
    differences,
    "Look for a cause outside the target's stores: random values, the time, or another service.",
  );
}

/** Returns a divergence about a target that seqqa cannot restart. For such a target, it is unknown if memory or randomness causes the differences. */
function memoryOrChance(differences: readonly string[], suspects: readonly DroppedField[]): Divergence {
  const line = `ignore: [${suspects.map(({ field }) => JSON.stringify(field)).join(", ")}] of the World`;
  return executionsDiffer(
    "The same calls lead to different states when they are repeated. Either the target keeps data that reset does not restore, or it makes random choices",
    differences,
    `Let reset restore all data of the target.${suspects.length === 0 ? "" : ` Leave random values out of the states with ${line}.`}`,
  );
}

function executionsDiffer(message: string, differences: readonly string[], hint: string): Divergence {
  return { kind: "cross_check", path: [], message, differences, hint };
}

const differenceText = ({ field, values: [first, second] }: DroppedField): string =>
  `${field}: ${first} the first time, ${second} the second time`;

/**
 * Returns the reductions of the exploration: merges of states that differ only in the order in which values were generated, or in which values of one
 * step belong together.
 */
export function reductionsOf(
  { committer, audited, divergences }: Explorer,
  { generated, times, ordered }: Knowledge,
): readonly Reduction[] {
  if (committer.reductions === 0) return [];
  const unordered = [
    ...generated.filter(({ place, domain }) => !ordered.includes(domain ?? place)),
    ...times.filter(({ place }) => !ordered.includes(place)),
  ];
  // If the order of generation is part of all states, merged states differ only in the content of the states in which their values were generated.
  const what = unordered.length > 0 || !ordered.includes(FULL_ORDER) ? "order" : "content";
  const forgotten = unordered.length > 0 ? unordered : what === "order" ? [...generated, ...times] : generated;
  const hasLinks = committer.unlinkedReductions > 0;
  const onlyLinks = committer.unlinkedReductions === committer.reductions;
  const fields = [...(onlyLinks ? [] : forgotten), ...(hasLinks ? generated : [])].map(({ place }) => fieldOf(place));
  const shown = shownFields(fields.length > 0 ? fields : [SETUP_TIMES]);
  const kinds = [...(onlyLinks ? [] : [what]), ...(hasLinks ? ["connection"] : [])].join(" and ");
  const refuted = divergences.all.filter(({ kind }) => kind === "merge").length;
  return [{ reason: `the ${kinds} of ${shown}`, merges: committer.reductions, audited, refuted }];
}

/**
 * Returns the verdict's exceptions for reductions that no cross-check confirmed. `left`: the number of cross-checks that were selected, but for which
 * there was no time.
 */
export function unaudited(reductions: readonly Reduction[], left = 0): readonly VerdictException[] {
  return reductions.flatMap(({ reason, merges, audited }) => {
    const count = audited > 0 ? left : merges;
    return count === 0
      ? []
      : [
          {
            kind: "unaudited_reduction",
            count,
            text: `${plural(count, "pair")} of states that count as equal without a test (they differ only in ${reason})`,
          },
        ];
  });
}

/** Returns the verdict's exceptions for fields that were left out of states. */
export function droppedFields({ dropped, background }: Knowledge): readonly VerdictException[] {
  const differ = dropped.map(({ field }) => field);
  return [
    ...leftOut("dropped_field", differ, differ.length === 1 ? "differs between executions" : "differ between executions"),
    ...leftOut("background", background, background.length === 1 ? "changes without a request" : "change without a request"),
  ];
}

function leftOut(kind: VerdictException["kind"], fields: readonly string[], why: string): readonly VerdictException[] {
  return fields.length === 0 ? [] : [{ kind, count: fields.length, text: `${fields.join(", ")} (${why})` }];
}

/** Returns sentences about fields that were left out of states and make the result unverified, each with a remedy. */
export function unverifiedFields({ dropped }: Knowledge): readonly string[] {
  return dropped.map(({ field, values: [first, second] }) => {
    const line = `ignore: [${JSON.stringify(field)}] ${/^(?:context|clients|systems)\./.test(field) ? "of the World" : "in seqqa.yaml, under systems"}`;
    return `${field} differs between executions of one path (${first}, then ${second}), so seqqa left it out of the states. To confirm this, write ${line}.`;
  });
}
