import type { Committer } from "../../engine/commit/committer.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { RaceAnswer, RaceEffort, RaceRequest } from "../../messages/race-messages.ts";
import { UNCERTAIN } from "../../engine/graph/node-table.ts";
import { areTwins, withOwnData } from "../own-data.ts";
import { planRaces, type PairsToPlan, type PlannedRace } from "./plan-races.ts";
import { RaceTally } from "./race-tally.ts";
import type { RacesEnd } from "./races-end.ts";

export interface ProbeOptions extends PairsToPlan {
  readonly effort: RaceEffort;
  readonly end: RacesEnd;
  readonly onProgress: (tally: RaceTally, planned: number) => void;
}

/** A pair of calls that showed a race when it was probed. */
export interface SeenRace {
  readonly planned: PlannedRace;
  readonly request: RaceRequest;
  readonly answer: RaceAnswer;
}

/** Maximum number of attempts for a pair of calls. Another attempt is made if the lane was lost. */
const TRIES = 2;

/**
 * Probes the planned pairs of calls on all lanes in parallel. Calls of one action that draw test data are probed twice: with equal data, and with own
 * data for each call. Neither the plan nor the order of the results depends on the lanes.
 */
export async function probeRaces(
  committer: Committer,
  lanePool: LanePool,
  options: ProbeOptions,
): Promise<{ readonly seen: readonly SeenRace[]; readonly tally: RaceTally }> {
  const plan = planRaces(committer, options);
  const tally = new RaceTally(plan);
  const seen: (readonly SeenRace[] | undefined)[] = [];
  let next = 0;
  let over: ReturnType<RacesEnd["ofProbing"]>;
  const work = async (lane: number): Promise<void> => {
    while (next < plan.races.length && (over ??= options.end.ofProbing(seen.length > 0)) === undefined) {
      const at = next++;
      const planned = plan.races[at]!;
      let request: RaceRequest | undefined = requestFor(committer, planned, options);
      while (request !== undefined) {
        const answer: RaceAnswer | undefined = await raceOn(lanePool, lane, request).catch(unlessInterrupted(options.end));
        if (answer === undefined) return tally.leave((over ??= "interrupted"), request);
        tally.add(answer, request);
        if (answer.hit !== undefined) seen[at] = [...(seen[at] ?? []), { planned, request, answer }];
        options.onProgress(tally, plan.races.length);
        // Equal data shows if two calls can register one name. Other data shows if two calls with different idempotency keys can pay one order.
        request = answer.drew && areTwins(request) ? withOwnData(request) : undefined;
        if (request !== undefined && (over ??= options.end.ofProbing(seen.length > 0)) !== undefined) return tally.leave(over, request);
      }
    }
  };
  await Promise.all(Array.from({ length: lanePool.lanes }, (_, lane) => work(lane)));
  // Add one for each planned pair that was not probed. The plan has already counted the other pairs of its class.
  for (const { node, sides } of plan.races.slice(next)) tally.leave(over!, { path: committer.nodes.path(node), sides });
  tally.end();
  return { seen: seen.flatMap((some) => some ?? []), tally };
}

/**
 * Returns an error handler that ignores errors of lanes after an interruption, so that earlier results are not lost. Before an interruption, it
 * throws the error again.
 */
export function unlessInterrupted(end: RacesEnd): (error: unknown) => undefined {
  return (error) => {
    if (end.reason !== "interrupted") throw error;
  };
}

function requestFor({ nodes, visited }: Committer, { node, sides }: PlannedRace, { effort }: ProbeOptions): RaceRequest {
  const path = nodes.path(node);
  const draws: UnitRequest["draws"] = nodes.draws(node);
  const at = nodes.has(node, UNCERTAIN) ? undefined : { lo: visited.lo(node), hi: visited.hi(node) };
  return { path, draws, at, sides, effort, mode: "search" };
}

/** Executes the calls of a race on a lane. If the lane is lost, rebuilds it and tries once more. */
export async function raceOn(lanePool: LanePool, lane: number, request: RaceRequest): Promise<RaceAnswer> {
  let answer = await lanePool.race(lane, request);
  for (let tries = 1; answer.failure !== undefined; tries++) {
    await lanePool.rebuild(lane, "use");
    if (tries === TRIES || answer.hit !== undefined) break;
    const again = await lanePool.race(lane, request);
    // Keep a trial that showed a race if neither attempt could judge it.
    answer = again.failure === undefined ? again : { ...again, dismissedHit: again.dismissedHit ?? answer.dismissedHit };
  }
  return answer;
}
