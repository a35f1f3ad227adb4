import type { Minimality } from "../model/result.ts";
import type { Expander } from "./expander.ts";
import type { FindingLog, FoundViolation } from "./finding-log.ts";
import type { PathEnd, Recording, UnitRequest } from "./messages.ts";
import { shrinkPath, type DrawnPath, type Shrunk } from "./shrink.ts";
import { TimeLimit } from "./time-limit.ts";
import { withinTime } from "./within-time.ts";

/** How often a lane may be lost on the way. */
const TRIES = 2;

/** A finding and what its path did when it was executed again from a clean start. */
export interface ConfirmedViolation {
  readonly found: FoundViolation;
  /** The path that is shown; the found one, or a shorter one that was confirmed. */
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
  /** `undefined` when it was not replayed: no lane could be had for it, or the run ended before. */
  readonly recording: Recording | undefined;
  readonly confirmed: boolean;
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

/**
 * Replays every violation from a clean start: on a lane that was built anew for it, so that nothing which the target remembers
 * from elsewhere takes part. With `shrinking`, paths that are confirmed are made shorter first over the graph, then by leaving steps out; what
 * comes out is confirmed in turn, and where it is not, the longer path is kept. Lanes work side by side; the answer keeps the order of the findings.
 */
export async function confirmViolations(
  log: Pick<FindingLog, "violations">,
  actions: readonly string[],
  expander: Expander,
  signal: AbortSignal | undefined,
  shrinking?: Shrinking,
  limit: TimeLimit = TimeLimit.NONE,
): Promise<readonly ConfirmedViolation[]> {
  const waiting = [...log.violations.values()].map((found, index) => ({ found, index }));
  const confirmed: ConfirmedViolation[] = waiting.map(({ found }) => unconfirmed(found));
  const until = performance.now() + (shrinking?.allMs ?? 0);
  const work = async (lane: number): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && signal?.aborted !== true; next = waiting.shift())
      confirmed[next.index] = await confirmShortest({ expander, lane, actions, signal, limit }, next.found, shrinking, until);
  };
  await Promise.all(Array.from({ length: Math.min(expander.lanes, waiting.length) }, (_, lane) => work(lane)));
  return confirmed;
}

function unconfirmed(found: FoundViolation, recording?: Recording): ConfirmedViolation {
  return { found, path: found.path, draws: found.draws, recording, confirmed: false, minimality: undefined };
}

/** Where findings are confirmed. */
export interface Seat {
  readonly expander: Expander;
  readonly lane: number;
  readonly actions: readonly string[];
  readonly signal: AbortSignal | undefined;
  /** Nothing is begun once it is over. */
  readonly limit: TimeLimit;
}

/** Executes a path from a clean start, and says whether the finding is seen at its end. */
export async function confirmPath(seat: Seat, found: FoundViolation, { path, draws }: DrawnPath): Promise<ConfirmedViolation> {
  const confirms = (recording: Recording): boolean => isSeen(found, path, endOf(recording), seat.actions);
  const recording = await replay(seat, { path, draws }, confirms);
  if (recording === undefined || !confirms(recording)) return unconfirmed(found, recording);
  return { found, path, draws, recording, confirmed: true, minimality: undefined };
}

/**
 * Once more when the lane was lost otherwise than the finding says: that a target was ended meanwhile says nothing about a path. What an interruption or the
 * end of the time cut short was not replayed.
 */
async function replay(seat: Seat, { path, draws }: DrawnPath, confirms: (recording: Recording) => boolean): Promise<Recording | undefined> {
  const { expander, lane, signal, limit } = seat;
  const isInterrupted = (): boolean => signal?.aborted === true;
  let recording: Recording | undefined;
  for (let tries = 1; tries <= TRIES && !isInterrupted() && !limit.isOver; tries++) {
    try {
      await expander.rebuild(lane);
      const { done, wasCut } = await withinTime(seat, () => expander.record(lane, path, draws));
      if (!wasCut && (done.failure === undefined || confirms(done))) return done;
      // Whoever interrupts a run may end its targets, too.
      recording = wasCut || isInterrupted() ? undefined : done;
    } catch {
      // A lane that cannot be had: the next try, or what there is.
    }
  }
  return recording;
}

async function confirmShortest(
  seat: Seat,
  found: FoundViolation,
  shrinking: Shrinking | undefined,
  until: number,
): Promise<ConfirmedViolation> {
  const byGraph = shrinking?.shortest(found) ?? found;
  let best = await confirmPath(seat, found, byGraph);
  const isShortest = best.confirmed && byGraph.path.length - 1 <= (shrinking?.completeToDepth ?? -1);
  if (isShortest) return { ...best, minimality: "shortest" };
  // The graph is wrong about it, which the run says where it knows why.
  if (!best.confirmed && byGraph.path.length < found.path.length) best = await confirmPath(seat, found, found);
  if (!best.confirmed || shrinking === undefined) return best;
  const shrunk = await shrink(seat, best, shrinking.mayBeBroken, Math.min(performance.now() + shrinking.eachMs, until));
  const minimality = shrunk.isMinimal ? "one_minimal" : "as_found";
  if (shrunk.path.length === best.path.length) return { ...best, minimality };
  const shorter = await confirmPath(seat, found, shrunk);
  return shorter.confirmed ? { ...shorter, minimality } : { ...best, minimality: "as_found" };
}

/** On the lane as the confirmation left it, unless that lost it. */
function shrink(seat: Seat, best: ConfirmedViolation, mayBeBroken: ReadonlySet<string>, until: number): Promise<Shrunk> {
  const { expander, lane, actions, signal, limit } = seat;
  const { found, recording } = best;
  let isLost = recording?.failure !== undefined;
  return shrinkPath(best, async ({ path, draws }) => {
    if (signal?.aborted === true || limit.isOver || performance.now() >= until) return undefined;
    try {
      if (isLost) await expander.rebuild(lane);
      const { done: end, wasCut } = await withinTime(seat, () => expander.probe(lane, path, draws));
      if (wasCut) return undefined;
      isLost = end.failure !== undefined;
      const seen = isSeen(found, path, end, actions);
      if (!seen || isLost || !mayBeBroken.has(found.finding.invariant)) return seen;
      const before = await withinTime(seat, () => expander.probe(lane, path.slice(0, -1), draws?.slice(0, -1)));
      if (before.wasCut) return undefined;
      isLost = before.done.failure !== undefined;
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
