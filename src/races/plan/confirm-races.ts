import type { LanePool } from "../../engine/lane-pool.ts";
import type { Recording } from "../../messages/lane-messages.ts";
import type { RaceAnswer, RaceHit, RaceRequest } from "../../messages/race-messages.ts";
import { shrinkPath, type DrawnPath } from "../../engine/findings/shrink.ts";
import { severityRank } from "../../model/declare/severity.ts";
import { raceOn, unlessInterrupted, type SeenRace } from "./probe-races.ts";
import { verdictRank } from "../oracle/verdict-rank.ts";
import { haveOwnData, withOwnData } from "../own-data.ts";
import type { DismissedHit, RaceTally } from "./race-tally.ts";
import type { RacesEnd } from "./races-end.ts";

/** Time limit, in milliseconds, for shortening the path of one race. */
const SHRINKING = 10_000;
/**
 * Maximum number of states in which a detected race of two actions is tried before the race is dismissed. Several states are tried, because the
 * target may vary by itself in one state but not in another.
 */
const MOST_SEEN = 3;

/** A detected race that occurred again on a rebuilt lane. */
export interface ConfirmedRace {
  readonly request: RaceRequest;
  readonly hit: RaceHit;
  readonly answer: RaceAnswer;
  readonly recording: Recording;
  /** Number of states in which this pair of actions showed a race. */
  readonly count: number;
}

/**
 * Confirms one race for each pair of actions: the worst race, and of equally bad races the race with the shortest path.
 *
 * First the path is shortened. If an action was raced with several copies of itself, copies are left out or executed before the race, as long as the
 * race still occurs (as PropEr does with parallel commands). All trials are then repeated on a rebuilt lane. A race that does not recur is not
 * reported, and is counted as dismissed. When the time is up, the current measurement is completed, and the remaining races are counted as dismissed.
 */
export async function confirmRaces(
  seen: readonly SeenRace[],
  lanePool: LanePool,
  tally: RaceTally,
  end: RacesEnd,
): Promise<readonly ConfirmedRace[]> {
  const groups = groupsOf(seen);
  const confirmed: (ConfirmedRace | undefined)[] = [];
  let next = 0;
  const work = async (lane: number): Promise<void> => {
    while (next < groups.length && end.reason === undefined) {
      const at = next++;
      confirmed[at] = await confirm(groups[at]!, { lanePool, lane, tally, end }).catch((error: unknown) => {
        unlessInterrupted(end)(error);
        const [first] = groups[at]!;
        tally.dismiss("interrupted", first!.request, first!.answer.hit);
        return undefined;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanePool.lanes, groups.length) }, (_, lane) => work(lane)));
  for (const [first] of groups.slice(next)) tally.dismiss(end.reason!, first!.request, first!.answer.hit);
  tally.end();
  return confirmed.filter((one) => one !== undefined);
}

/** Groups the races by pair of actions, in the order in which the pairs were first seen. */
function groupsOf(seen: readonly SeenRace[]): readonly (readonly SeenRace[])[] {
  const groups = new Map<string, SeenRace[]>();
  for (const one of seen) {
    const pair = one.planned.sides.slice(0, 2).join();
    const group = groups.get(pair);
    if (group === undefined) groups.set(pair, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

interface ConfirmingLane {
  readonly lanePool: LanePool;
  readonly lane: number;
  readonly tally: RaceTally;
  readonly end: RacesEnd;
}

async function confirm(group: readonly SeenRace[], confirming: ConfirmingLane): Promise<ConfirmedRace | undefined> {
  const worstFirst = group.toSorted((a, b) => rank(a) - rank(b) || a.request.path.length - b.request.path.length);
  const tries = worstFirst.slice(0, MOST_SEEN);
  let left = tries.length;
  let untried: ({ readonly seen: SeenRace } & Untried) | undefined;
  for (const one of tries) {
    const confirmed = await confirmOne(one, confirming);
    if (confirmed === "left") break;
    if (confirmed !== undefined && "reason" in confirmed) untried ??= { seen: one, ...confirmed };
    else if (confirmed !== undefined) return { ...confirmed, count: new Set(group.map(({ planned }) => planned.node)).size };
    left--;
  }
  const { request, answer } = (left === 0 ? untried?.seen : undefined) ?? tries[0]!;
  if (left > 0) confirming.tally.dismiss(confirming.end.reason!, request, answer.hit);
  else if (untried === undefined) confirming.tally.dismiss("unconfirmed", request, answer.hit);
  else confirming.tally.dismiss(untried.reason, request, answer.hit, { difference: untried.difference, rate: untried.rate });
  return undefined;
}

/**
 * Confirms a race on a rebuilt lane. Returns `undefined` if trials refute the race. Returns `left` if the time ran out, or the run was interrupted,
 * before the result was certain. Returns a reason if it is unknown if the race recurs.
 */
async function confirmOne(
  seen: SeenRace,
  { lanePool, lane, tally, end }: ConfirmingLane,
): Promise<Omit<ConfirmedRace, "count"> | "left" | Untried | undefined> {
  const found = asFound(seen);
  const rate = { hits: seen.answer.hits, trials: seen.answer.trials };
  const counted = async (request: RaceRequest): Promise<RaceAnswer> => {
    const answer = await raceOn(lanePool, lane, request);
    rate.hits += answer.hits;
    rate.trials += answer.trials;
    return answer;
  };
  const shorter = await shrink(found, counted, end);
  const measured = async (request: RaceRequest): Promise<RaceAnswer> => {
    const answer = await counted({ ...request, mode: "measure" });
    tally.addTrials(answer);
    return answer;
  };
  const attempt = async (tried: RaceRequest): Promise<Omit<ConfirmedRace, "count"> | Untried | undefined> => {
    let request = tried;
    await lanePool.rebuild(lane);
    let answer = await measured(request);
    const last = untried(answer, seen.answer.hit!, { ...rate });
    if (last?.reason === "not_there") {
      // The path now leads to a different state. Try the calls in this state, because the orders of the calls are executed there, too. If no race
      // occurs there, this shows nothing about the state in which the race was seen.
      request = { ...request, at: undefined };
      answer = await measured(request);
    }
    if (answer.hit === undefined) return last;
    return { request, hit: answer.hit, answer, recording: await lanePool.record(lane, request.path, request.draws) };
  };
  let last: Untried | undefined;
  for (const request of shorter.path.length === found.path.length && shorter.sides === found.sides ? [found] : [shorter, found]) {
    if (end.reason !== undefined) return "left";
    const result = await attempt({ ...request, isSeen: request === found && found.wanted?.verdict === "invariant" });
    if (result !== undefined && "hit" in result) return result;
    last = result;
  }
  if (last?.reason === "not_repeated" && end.reason === undefined) {
    // The calls may have a lesser effect, such as a lost update, more often than they break the rule.
    const result = await attempt({ ...found, wanted: undefined });
    if (result !== undefined && "hit" in result) return result;
  }
  // After an interruption, the measurement is incomplete, so it is unknown if the race recurs.
  return end.reason === "interrupted" ? "left" : last;
}

/** The reason why it is unknown if a race recurs. */
interface Untried extends Pick<DismissedHit, "difference" | "rate"> {
  readonly reason: "not_there" | "order_fails" | "one_connection" | "control_overlaps" | "lane_lost" | "no_trial" | "not_repeated";
}

/**
 * Returns the reason why an answer without a race does not refute the race; `undefined` if it does. A broken rule is not refuted by trials in which
 * the rule holds, because no order of the calls breaks the rule, so the race exists, but is rare. Other races may be values that vary by themselves.
 */
function untried(
  { dismissed, failure, trials, difference }: RaceAnswer,
  { verdict }: Pick<RaceHit, "verdict">,
  rate: NonNullable<DismissedHit["rate"]>,
): Untried | undefined {
  if (dismissed === "not_there" || dismissed === "order_fails" || dismissed === "one_connection") return { reason: dismissed, difference };
  if (dismissed === "control_overlaps") return { reason: dismissed };
  if (dismissed !== undefined) return undefined;
  if (failure !== undefined) return { reason: "lane_lost" };
  if (trials === 0) return { reason: "no_trial" };
  return verdict === "invariant" ? { reason: "not_repeated", rate } : undefined;
}

/** Returns a request that repeats a race with the delivery that showed it. */
function asFound({ request, answer }: SeenRace): RaceRequest {
  const { verdict, invariant, delivery, schedule } = answer.hit!;
  return { ...request, before: answer.before, effort: { ...request.effort, delivery }, schedule, wanted: { verdict, invariant } };
}

async function shrink(found: RaceRequest, race: (request: RaceRequest) => Promise<RaceAnswer>, end: RacesEnd): Promise<RaceRequest> {
  // Reserve half of the time for confirming the race, because a confirmed long path is better than an unconfirmed short path.
  const until = performance.now() + Math.min(SHRINKING, end.leftMs / 2);
  const shows = async (request: RaceRequest): Promise<boolean | undefined> => {
    if (end.reason !== undefined || performance.now() > until) return undefined;
    return (await race({ ...request, at: undefined })).hit !== undefined;
  };
  let request = await fewerCopies(found, shows);
  if (request.path.length > 0) {
    // Add the raced call as the last step, because shortening a path never leaves out its last step.
    const whole = { path: [...request.path, request.sides[0]!], draws: request.draws };
    const without = ({ path, draws }: DrawnPath): RaceRequest => {
      const shortened = { ...request, path: path.slice(0, -1), draws, at: undefined };
      return haveOwnData(found) ? withOwnData(shortened) : shortened;
    };
    const shrunk = await shrinkPath(whole, (candidate) => shows(without(candidate)));
    if (shrunk.path.length < whole.path.length) request = without(shrunk);
  }
  return request;
}

/** Reduces the number of simultaneous calls. A call is left out, or executed before the simultaneous calls, if the race still occurs. */
async function fewerCopies(found: RaceRequest, shows: (request: RaceRequest) => Promise<boolean | undefined>): Promise<RaceRequest> {
  let request = found;
  while (request.sides.length > 2) {
    const sides = request.sides.slice(1);
    const isOwn = haveOwnData(request);
    const left = { ...request, sides, at: undefined, draws: isOwn ? request.draws!.slice(0, -1) : request.draws };
    // With own data, `draws` also contains the path of the moved call.
    const moved = { ...left, path: [...request.path, request.sides[0]!], draws: request.draws };
    const isDrawn = request.draws === undefined || isOwn;
    if ((await shows(left)) === true) request = left;
    else if (isDrawn && (await shows(moved)) === true) request = moved;
    else break;
  }
  return request;
}

function rank({ answer }: SeenRace): number {
  return severityRank(answer.hit!.severity) * 10 + verdictRank(answer.hit!.verdict);
}
