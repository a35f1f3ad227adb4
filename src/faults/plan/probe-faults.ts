import type { Committer } from "../../engine/commit/committer.ts";
import { UNCERTAIN } from "../../engine/graph/node-table.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { FaultAnswer, FaultHit, FaultRequest } from "../../messages/fault-messages.ts";
import type { FaultKind } from "../../model/results/result.ts";
import { unlessInterrupted, type RacesEnd } from "../../races/index.ts";
import { FaultTally } from "./fault-tally.ts";
import { planFaults, type PlannedFault } from "./plan-faults.ts";

export interface FaultOptions {
  /** Number of the agent's own actions. Actions that rules added come after them, and no fault is made in them. */
  readonly ownActions: number;
  readonly kinds: readonly FaultKind[];
  readonly bestEffort: readonly string[];
  /** Returns `true` if the search found that an action breaks a rule. A second call after a lost answer is a step like any other. */
  readonly isFound: (invariant: string, action: number) => boolean;
  readonly end: RacesEnd;
  readonly onProgress: (tally: FaultTally, planned: number) => void;
}

/** A call in which faults were hits. */
export interface SeenFault {
  readonly request: FaultRequest;
  readonly hits: readonly FaultHit[];
}

/** Limit of answers for one call: each lost lane ends one. */
const MOST_ANSWERS = 50;

/**
 * Makes the writes of one call of each kind fail, on all lanes at the same time. Results are in the order of the plan. The target is killed last, for
 * all calls: a restart takes longer than any other fault.
 */
export async function probeFaults(
  committer: Committer,
  lanePool: LanePool,
  options: FaultOptions,
): Promise<{ readonly seen: readonly SeenFault[]; readonly tally: FaultTally }> {
  const plan = planFaults(committer, options.ownActions);
  const tally = new FaultTally(plan);
  const seen: SeenFault[] = [];
  /** Writes at which the target could be killed, by call. */
  const killable: number[] = [];
  let over: ReturnType<RacesEnd["ofProbing"]>;
  const rounds = [false, true].filter((restarts) => options.kinds.some((kind) => (kind === "kill") === restarts));
  for (const [round, restarts] of rounds.entries()) {
    const found: (SeenFault | undefined)[] = [];
    let next = 0;
    const isOver = (): boolean => (over ??= options.end.ofProbing(seen.length + found.length > 0)) !== undefined;
    const skip = (at: number): void => (round === 0 ? tally.skip(over!, 1) : tally.leave(over!, killable[at] ?? 0));
    const work = async (lane: number): Promise<void> => {
      while (next < plan.faults.length && !isOver()) {
        const at = next++;
        if (round > 0 && !(killable[at]! > 0)) continue;
        const request = { ...requestFor(committer, plan.faults[at]!, options), restarts };
        let answers = await faultsOn(lanePool, lane, request).catch(unlessInterrupted(options.end));
        if (restarts && answers?.every(({ points }) => points === 0) === true) {
          // The lane's target was killed before, and may have forgotten what this call needs.
          await lanePool.rebuild(lane, "use");
          answers = await faultsOn(lanePool, lane, request).catch(unlessInterrupted(options.end));
        }
        if (answers === undefined) {
          over ??= "interrupted";
          return skip(at);
        }
        tally.add(answers, round === 0 ? undefined : killable[at]);
        killable[at] ??= Math.max(0, ...answers.map((answer) => answer.killable));
        const hits = answers.flatMap((answer) => answer.hits).filter((hit) => !isKnown(hit, request.action, options));
        if (hits.length > 0) found[at] = { request, hits };
        options.onProgress(tally, plan.faults.length);
      }
    };
    await Promise.all(Array.from({ length: lanePool.lanes }, (_, lane) => work(lane)));
    for (let at = next; at < plan.faults.length; at++) skip(at);
    seen.push(...found.filter((one) => one !== undefined));
  }
  tally.end();
  return { seen, tally };
}

/** Returns `true` for a rule that breaks when an answer is lost, if the action breaks it without a fault, too. */
function isKnown({ point, invariant }: FaultHit, action: number, { isFound }: FaultOptions): boolean {
  return point.kind === "lost_answer" && invariant !== undefined && isFound(invariant, action);
}

/** Tries all faults of a call on a lane. A lost lane is rebuilt, and the next point is tried there, unless the target
 * did not recover. */
export async function faultsOn(lanePool: LanePool, lane: number, request: FaultRequest): Promise<readonly FaultAnswer[]> {
  const answers: FaultAnswer[] = [];
  for (let from: number | undefined = request.from; from !== undefined && answers.length < MOST_ANSWERS;) {
    const answer: FaultAnswer = await lanePool.fault(lane, { ...request, from });
    answers.push(answer);
    if (answer.failure === undefined) break;
    await lanePool.rebuild(lane, "use");
    // A lane that is lost before any point is tried is lost there each time. A target that does not recover mostly costs a time-out for each point.
    const ends: boolean = answer.next === from || answer.hits.some(({ verdict }) => verdict === "no_recovery");
    from = ends ? undefined : answer.next;
  }
  return answers;
}

function requestFor({ nodes, visited }: Committer, { node, action }: PlannedFault, { kinds, bestEffort }: FaultOptions): FaultRequest {
  const at = nodes.has(node, UNCERTAIN) ? undefined : { lo: visited.lo(node), hi: visited.hi(node) };
  return { path: nodes.path(node), draws: nodes.draws(node), at, action, kinds, bestEffort, from: 0 };
}
