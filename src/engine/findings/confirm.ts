import type { Minimality, NotReplayedReason } from "../../model/results/result.ts";
import type { LanePool } from "../lane-pool.ts";
import type { FindingLog, FoundViolation } from "./finding-log.ts";
import type { FindingEvent, PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import { ReplayLane, StartTimes, type ReplayLaneOptions } from "../search/replay-lane.ts";
import { shrinkPath, type DrawnPath, type Shrunk } from "./shrink.ts";
import { TimeLimit } from "../search/time-limit.ts";

/** Largest number of attempts to replay a finding on a fresh target. A second attempt is needed because the lane may be lost during the first. */
const TRIES = 2;

export interface ConfirmedViolation {
  readonly found: FoundViolation;
  /** The path that reports show: the path on which the finding was found, or a shorter path that was confirmed. */
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
  /** The replay of `path` with its requests. `undefined` if the path was not replayed. */
  readonly recording: Recording | undefined;
  readonly confirmed: boolean;
  /** The reason why `recording` is `undefined`. */
  readonly notReplayed?: NotReplayedReason | undefined;
  /** Message and hint of the last failed start of a target. Only set if `notReplayed` is `no_target`. */
  readonly startFailed?: string | undefined;
  readonly minimality: Minimality | undefined;
}

export interface Shrinking {
  /**
   * Names of the rules that a path may break before its last step, because the search continues after violations. If a finding breaks such a rule,
   * its shortened path must break the rule only in the last step.
   */
  readonly mayBeBroken: ReadonlySet<string>;
  /** Returns the shortest path in the committed graph that ends with a given finding. */
  readonly shortest: (found: FoundViolation) => DrawnPath;
  /** The depth to which the exploration is complete. Every path with at most one step more was executed. */
  readonly completeToDepth: number;
  /** Largest time for shortening the path of one finding, in milliseconds. */
  readonly eachMs: number;
  /** Largest time for shortening the paths of all findings, in milliseconds. */
  readonly allMs: number;
}

export interface Confirmations {
  /** Number of finished findings. A finding is finished if it was replayed, or if there was no time left to replay it. */
  readonly replayed: number;
  readonly confirmed: number;
  /** Number of findings whose paths are not shortened yet. */
  readonly toShorten: number;
}

export interface ConfirmOptions extends Pick<ReplayLaneOptions, "areLate"> {
  readonly actions: readonly string[];
  readonly lanePool: LanePool;
  readonly signal: AbortSignal | undefined;
  readonly shrinking?: Shrinking | undefined;
  /** The time limit of the run. Default: no limit. */
  readonly limit?: TimeLimit | undefined;
  /** `true` if restoring the root state also restores everything that the target remembers; see {@link ReplayLane}. Default: `true`. */
  readonly canGoBack?: boolean | undefined;
  readonly onProgress?: ((progress: Confirmations) => void) | undefined;
}

/**
 * Replays every violation from a clean start, to confirm it. The first replay on a lane uses a new target. Later replays begin at the restored root
 * state. If such a later replay does not show its finding, a replay on a new target decides.
 *
 * For each rule and last action, one finding is replayed first. All other findings follow if time is left. With `shrinking`, confirmed paths are then
 * shortened: first by a shorter path in the graph, then by leaving out steps. A shorter path is only used if it is confirmed, too. Several lanes work
 * at the same time. The result keeps the order of the findings.
 */
export async function confirmViolations(
  log: Pick<FindingLog, "violations">,
  options: ConfirmOptions,
): Promise<readonly ConfirmedViolation[]> {
  const { lanePool, signal, shrinking, onProgress, limit = TimeLimit.NONE, canGoBack = true } = options;
  const found = [...log.violations.values()];
  const waiting = causesFirst(found);
  const confirmed: ConfirmedViolation[] = [];
  const toShorten: number[] = [];
  let replayed = 0;
  let until: number | undefined;
  const seen = (): void =>
    onProgress?.({ replayed, confirmed: confirmed.filter((one) => one?.confirmed).length, toShorten: toShorten.length });
  const starts = new StartTimes(limit);
  const work = async (lane: number): Promise<void> => {
    const replayLane = new ReplayLane(lane, { ...options, limit, canGoBack, starts });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const one = await confirmFound(replayLane, found[next]!, shrinking);
      confirmed[next] = one;
      replayed++;
      if (one.confirmed && one.minimality === undefined && shrinking !== undefined) toShorten.push(next);
      seen();
    }
    for (let next = toShorten.shift(); next !== undefined; next = toShorten.shift()) {
      until ??= performance.now() + shrinking!.allMs;
      confirmed[next] = await shortened(replayLane, confirmed[next]!, shrinking!, until);
      seen();
    }
  };
  seen();
  await Promise.all(
    Array.from({ length: signal?.aborted === true ? 1 : Math.min(lanePool.lanes, waiting.length) }, (_, lane) => work(lane)),
  );
  return confirmed;
}

/** Returns the indices of the findings in the order of replays: one finding for each rule and last action, followed by all other findings. */
function causesFirst(found: readonly FoundViolation[]): number[] {
  const known = new Set<string>();
  const others: number[] = [];
  const firsts = found.flatMap((one, index) => {
    const cause = causeOf(one);
    if (!known.has(cause)) return known.add(cause) && [index];
    others.push(index);
    return [];
  });
  return [...firsts, ...others];
}

/** Returns a key of rule and last action. Findings with the same key usually come from one defect. */
export function causeOf({ finding, lastAction }: FoundViolation): string {
  return JSON.stringify([finding.invariant, lastAction]);
}

function unconfirmed(found: FoundViolation, outcome: Recording | NotReplayedReason, startFailed?: string): ConfirmedViolation {
  const base = { found, path: found.path, draws: found.draws, confirmed: false, minimality: undefined };
  if (typeof outcome === "string")
    return { ...base, recording: undefined, notReplayed: outcome, ...(outcome === "no_target" && { startFailed }) };
  return { ...base, recording: outcome };
}

/** Replays a path from a clean start. The finding is confirmed if it occurs after the last step. */
export async function confirmPath(replayLane: ReplayLane, found: FoundViolation, { path, draws }: DrawnPath): Promise<ConfirmedViolation> {
  const confirms = (recording: Recording): boolean =>
    recording.countsOn !== true && isSeen(found, path, endOf(recording), replayLane.options);
  // Earlier work on the target may be the cause of a missing answer, so only a fresh target can confirm such a finding.
  const wasAnswered = found.status !== 0 || path.length === 0;
  let outcome = wasAnswered && replayLane.isAtRoot ? await replay(replayLane, { path, draws }, confirms) : undefined;
  if (outcome === undefined || typeof outcome === "string" || !confirms(outcome))
    outcome = await replayFresh(replayLane, { path, draws }, confirms);
  if (typeof outcome === "string" || !confirms(outcome)) return unconfirmed(found, outcome, replayLane.startFailed);
  return { found, path, draws, recording: outcome, confirmed: true, minimality: undefined };
}

/**
 * Replays a path on a fresh target. Tries again if the lane is lost for a reason that the finding does not name, because such a loss says nothing
 * about the path.
 */
async function replayFresh(
  replayLane: ReplayLane,
  path: DrawnPath,
  confirms: (recording: Recording) => boolean,
): Promise<Recording | NotReplayedReason> {
  let outcome: Recording | NotReplayedReason | undefined;
  for (let tries = 1; tries <= TRIES && !replayLane.isInterrupted && replayLane.options.starts.fits; tries++) {
    try {
      await replayLane.start();
    } catch {
      outcome ??= "no_target";
      continue;
    }
    outcome = await replay(replayLane, path, confirms);
    if (typeof outcome !== "string" && (outcome.failure === undefined || confirms(outcome))) return outcome;
  }
  if (replayLane.isInterrupted) return "interrupted";
  return outcome ?? "max_time";
}

/**
 * Replays a path on the lane's current target. Returns a reason instead of a recording if the run was interrupted or the time was up during the
 * replay.
 */
async function replay(
  replayLane: ReplayLane,
  path: DrawnPath,
  confirms: (recording: Recording) => boolean,
): Promise<Recording | NotReplayedReason> {
  if (replayLane.isInterrupted) return "interrupted";
  try {
    const { done, wasCut } = await replayLane.record(path);
    if (!wasCut && (done.failure === undefined || confirms(done))) return done;
    // The interruption may also have ended the target, so the result is not reliable.
    if (replayLane.isInterrupted) return "interrupted";
    return wasCut ? "max_time" : done;
  } catch {
    return replayLane.isInterrupted ? "interrupted" : "no_target";
  }
}

/**
 * Confirms a finding along its shortest path in the graph. If the finding does not occur on that path, replays the path on which the finding was
 * found.
 */
async function confirmFound(replayLane: ReplayLane, found: FoundViolation, shrinking: Shrinking | undefined): Promise<ConfirmedViolation> {
  if (replayLane.isInterrupted) return unconfirmed(found, "interrupted");
  if (replayLane.options.limit.isOver) return unconfirmed(found, "max_time");
  const byGraph = shrinking?.shortest(found) ?? found;
  const best = await confirmPath(replayLane, found, byGraph);
  const isShortest = best.confirmed && byGraph.path.length - 1 <= (shrinking?.completeToDepth ?? -1);
  if (isShortest) return { ...best, minimality: "shortest" };
  // If the shorter path in the graph does not show the finding, an edge of the graph is wrong. In this case, replay the original path.
  return !best.confirmed && byGraph.path.length < found.path.length ? confirmPath(replayLane, found, found) : best;
}

async function shortened(
  replayLane: ReplayLane,
  best: ConfirmedViolation,
  shrinking: Shrinking,
  until: number,
): Promise<ConfirmedViolation> {
  const shrunk = await shrink(replayLane, best, shrinking.mayBeBroken, Math.min(performance.now() + shrinking.eachMs, until));
  const minimality = shrunk.isMinimal ? "one_minimal" : "as_found";
  if (shrunk.path.length === best.path.length) return { ...best, minimality };
  const shorter = await confirmPath(replayLane, best.found, shrunk);
  return shorter.confirmed ? { ...shorter, minimality } : { ...best, minimality: "as_found" };
}

function shrink(replayLane: ReplayLane, best: ConfirmedViolation, mayBeBroken: ReadonlySet<string>, until: number): Promise<Shrunk> {
  const { limit, starts } = replayLane.options;
  const { found } = best;
  return shrinkPath(best, async ({ path, draws }) => {
    if (replayLane.isInterrupted || limit.isOver || performance.now() >= until || (replayLane.isLost && !starts.fits)) return undefined;
    try {
      if (replayLane.isLost) await replayLane.start();
      const { done: end, wasCut } = await replayLane.probe({ path, draws });
      if (wasCut) return undefined;
      const seen = isSeen(found, path, end, replayLane.options);
      if (!seen || replayLane.isLost || !mayBeBroken.has(found.finding.invariant)) return seen;
      const before = await replayLane.probe({ path: path.slice(0, -1), draws: draws?.slice(0, -1) });
      if (before.wasCut) return undefined;
      return before.done.findings.every(({ invariant }) => invariant !== found.finding.invariant);
    } catch {
      // The lane cannot be used, so no shorter path can be tried.
      return undefined;
    }
  });
}

/**
 * Returns `true` if the finding occurs at the end of a path. A finding does not count if it consists only of changes of fields that the target also
 * wrote after answers, for example by a timer.
 */
function isSeen(
  found: FoundViolation,
  path: readonly number[],
  end: PathEnd,
  { actions, areLate }: Pick<ReplayLaneOptions, "actions" | "areLate">,
): boolean {
  if (end.steps !== path.length || (path.length > 0 && actions[path.at(-1)!] !== found.lastAction)) return false;
  const isShown = ({ invariant, fields = [] }: FindingEvent): boolean =>
    invariant === found.finding.invariant && areLate?.(fields) !== true;
  return (end.status ?? 0) === found.status && end.findings.some(isShown);
}

function endOf({ steps, findings, failure }: Recording): PathEnd {
  return { steps: steps.length, status: steps.at(-1)?.status ?? null, findings, failure };
}
