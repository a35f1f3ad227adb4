import type { Minimality, NotReplayedReason } from "../../model/results/result.ts";
import type { LanePool } from "../lane-pool.ts";
import type { FindingLog, FoundViolation } from "./finding-log.ts";
import type { PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import { ReplayLane, StartTimes } from "../search/replay-lane.ts";
import { shrinkPath, type DrawnPath, type Shrunk } from "./shrink.ts";
import { TimeLimit } from "../search/time-limit.ts";

/** How often a lane may be lost on the way. */
const TRIES = 2;

/** A finding and what its path did when it was executed again from a clean start. */
export interface ConfirmedViolation {
  readonly found: FoundViolation;
  /** The path that is shown; the found one, or a shorter one that was confirmed. */
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
  /** `undefined` when it was not replayed. */
  readonly recording: Recording | undefined;
  readonly confirmed: boolean;
  /** Given where there is no recording. */
  readonly notReplayed?: NotReplayedReason | undefined;
  /** Why the last start of a target failed, for `no_target`: an error's message and hint. */
  readonly startFailed?: string | undefined;
  readonly minimality: Minimality | undefined;
}

/** How findings are made shorter. */
export interface Shrinking {
  /** Rules that may be broken before the last step of a path already, since the search continued behind violations: a shorter path must not break them before. */
  readonly mayBeBroken: ReadonlySet<string>;
  /** The shortest path to a finding over what is known already. */
  readonly shortest: (found: FoundViolation) => DrawnPath;
  /** Every path up to one step more than this was tried. */
  readonly completeToDepth: number;
  /** Milliseconds for one finding. */
  readonly eachMs: number;
  /** Milliseconds for all of them. */
  readonly allMs: number;
}

/** How far confirming is. */
export interface Confirmations {
  /** Findings that were replayed, or that there was no time for. */
  readonly replayed: number;
  readonly confirmed: number;
  /** Findings whose paths are still to be made shorter. */
  readonly toShorten: number;
}

export interface ConfirmOptions {
  readonly actions: readonly string[];
  readonly lanePool: LanePool;
  readonly signal: AbortSignal | undefined;
  readonly shrinking?: Shrinking | undefined;
  /** Default: none. */
  readonly limit?: TimeLimit | undefined;
  /** See {@link ReplayLane}; default: stores bring everything back. */
  readonly canGoBack?: boolean | undefined;
  readonly onProgress?: ((progress: Confirmations) => void) | undefined;
}

/**
 * Replays every violation from a clean start. The first replay of a lane has a target that was started for it. The next ones begin at the root to which the
 * stores are put back; where one of them does not show its finding, a target is started for it, and what happens there decides.
 *
 * One finding of each cause (rule and last action) comes before the others, which are replayed if time is left. With `shrinking`, paths that are confirmed are made
 * shorter afterwards, first over the graph, then by leaving steps out; what comes out is confirmed in turn, and where it is not, the longer path is kept.
 * Lanes work side by side; the answer keeps the order of the findings.
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
    const seat = new ReplayLane(lane, { ...options, limit, canGoBack, starts });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const one = await confirmFound(seat, found[next]!, shrinking);
      confirmed[next] = one;
      replayed++;
      if (one.confirmed && one.minimality === undefined && shrinking !== undefined) toShorten.push(next);
      seen();
    }
    for (let next = toShorten.shift(); next !== undefined; next = toShorten.shift()) {
      until ??= performance.now() + shrinking!.allMs;
      confirmed[next] = await shortened(seat, confirmed[next]!, shrinking!, until);
      seen();
    }
  };
  seen();
  await Promise.all(
    Array.from({ length: signal?.aborted === true ? 1 : Math.min(lanePool.lanes, waiting.length) }, (_, lane) => work(lane)),
  );
  return confirmed;
}

/** The places of findings: the first one of each rule and last action, then the others. */
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

/** The rule and the last action: findings that have both in common usually come from one defect. */
export function causeOf({ finding, lastAction }: FoundViolation): string {
  return JSON.stringify([finding.invariant, lastAction]);
}

function unconfirmed(found: FoundViolation, outcome: Recording | NotReplayedReason, startFailed?: string): ConfirmedViolation {
  const base = { found, path: found.path, draws: found.draws, confirmed: false, minimality: undefined };
  if (typeof outcome === "string")
    return { ...base, recording: undefined, notReplayed: outcome, ...(outcome === "no_target" && { startFailed }) };
  return { ...base, recording: outcome };
}

/** Executes a path from a clean start, and says whether the finding is seen at its end. */
export async function confirmPath(seat: ReplayLane, found: FoundViolation, { path, draws }: DrawnPath): Promise<ConfirmedViolation> {
  const confirms = (recording: Recording): boolean => isSeen(found, path, endOf(recording), seat.options.actions);
  // A target that hangs or ends is lost by it: only a fresh one shows that nothing which came before took part.
  const wasAnswered = found.status !== 0 || path.length === 0;
  let outcome = wasAnswered && seat.isAtRoot ? await replay(seat, { path, draws }, confirms) : undefined;
  if (outcome === undefined || typeof outcome === "string" || !confirms(outcome))
    outcome = await replayFresh(seat, { path, draws }, confirms);
  if (typeof outcome === "string" || !confirms(outcome)) return unconfirmed(found, outcome, seat.startFailed);
  return { found, path, draws, recording: outcome, confirmed: true, minimality: undefined };
}

/** Once more when the lane was lost otherwise than the finding says: that a target was ended meanwhile says nothing about a path. */
async function replayFresh(
  seat: ReplayLane,
  path: DrawnPath,
  confirms: (recording: Recording) => boolean,
): Promise<Recording | NotReplayedReason> {
  let outcome: Recording | NotReplayedReason | undefined;
  for (let tries = 1; tries <= TRIES && !seat.isInterrupted && seat.options.starts.fits; tries++) {
    try {
      await seat.start();
    } catch {
      // The next try may have one.
      outcome ??= "no_target";
      continue;
    }
    outcome = await replay(seat, path, confirms);
    if (typeof outcome !== "string" && (outcome.failure === undefined || confirms(outcome))) return outcome;
  }
  if (seat.isInterrupted) return "interrupted";
  return outcome ?? "max_time";
}

/** Replays on the target that the lane has. A path that an interruption or the end of the time cut short was not replayed. */
async function replay(
  seat: ReplayLane,
  path: DrawnPath,
  confirms: (recording: Recording) => boolean,
): Promise<Recording | NotReplayedReason> {
  if (seat.isInterrupted) return "interrupted";
  try {
    const { done, wasCut } = await seat.record(path);
    if (!wasCut && (done.failure === undefined || confirms(done))) return done;
    // An interruption may end targets, too.
    if (seat.isInterrupted) return "interrupted";
    return wasCut ? "max_time" : done;
  } catch {
    return seat.isInterrupted ? "interrupted" : "no_target";
  }
}

/** Along the shortest path over the graph, and where that does not show it, along the path on which it was found. */
async function confirmFound(seat: ReplayLane, found: FoundViolation, shrinking: Shrinking | undefined): Promise<ConfirmedViolation> {
  if (seat.isInterrupted) return unconfirmed(found, "interrupted");
  if (seat.options.limit.isOver) return unconfirmed(found, "max_time");
  const byGraph = shrinking?.shortest(found) ?? found;
  const best = await confirmPath(seat, found, byGraph);
  const isShortest = best.confirmed && byGraph.path.length - 1 <= (shrinking?.completeToDepth ?? -1);
  if (isShortest) return { ...best, minimality: "shortest" };
  // The graph is wrong about it, which the run says where it knows why.
  return !best.confirmed && byGraph.path.length < found.path.length ? confirmPath(seat, found, found) : best;
}

async function shortened(seat: ReplayLane, best: ConfirmedViolation, shrinking: Shrinking, until: number): Promise<ConfirmedViolation> {
  const shrunk = await shrink(seat, best, shrinking.mayBeBroken, Math.min(performance.now() + shrinking.eachMs, until));
  const minimality = shrunk.isMinimal ? "one_minimal" : "as_found";
  if (shrunk.path.length === best.path.length) return { ...best, minimality };
  const shorter = await confirmPath(seat, best.found, shrunk);
  return shorter.confirmed ? { ...shorter, minimality } : { ...best, minimality: "as_found" };
}

function shrink(seat: ReplayLane, best: ConfirmedViolation, mayBeBroken: ReadonlySet<string>, until: number): Promise<Shrunk> {
  const { actions, limit, starts } = seat.options;
  const { found } = best;
  return shrinkPath(best, async ({ path, draws }) => {
    if (seat.isInterrupted || limit.isOver || performance.now() >= until || (seat.isLost && !starts.fits)) return undefined;
    try {
      if (seat.isLost) await seat.start();
      const { done: end, wasCut } = await seat.probe({ path, draws });
      if (wasCut) return undefined;
      const seen = isSeen(found, path, end, actions);
      if (!seen || seat.isLost || !mayBeBroken.has(found.finding.invariant)) return seen;
      const before = await seat.probe({ path: path.slice(0, -1), draws: draws?.slice(0, -1) });
      if (before.wasCut) return undefined;
      return before.done.findings.every(({ invariant }) => invariant !== found.finding.invariant);
    } catch {
      // Without a lane nothing more can be known.
      return undefined;
    }
  });
}

function isSeen(found: FoundViolation, path: readonly number[], end: PathEnd, actions: readonly string[]): boolean {
  if (end.steps !== path.length || (path.length > 0 && actions[path.at(-1)!] !== found.lastAction)) return false;
  return (end.status ?? 0) === found.status && end.findings.some(({ invariant }) => invariant === found.finding.invariant);
}

function endOf({ steps, findings, failure }: Recording): PathEnd {
  return { steps: steps.length, status: steps.at(-1)?.status ?? null, findings, failure };
}
