import type { Committer } from "../../engine/commit/committer.ts";
import { UNCERTAIN } from "../../engine/graph/node-table.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { FaultAnswer, FaultHit, FaultRequest } from "../../messages/fault-messages.ts";
import type { FaultKind } from "../../model/results/result.ts";
import { unlessInterrupted, type RacesEnd } from "../../races/index.ts";
import { FaultTally } from "./fault-tally.ts";
import { planFaults, type PlannedFault } from "./plan-faults.ts";

export interface FaultOptions {
  /** The number of actions that the agent itself declares. Actions that rules added have higher indices. Their calls are not tested with faults. */
  readonly ownActions: number;
  /** Returns `true` if a call must not be tested with faults because of a finding. Called only for calls after which the search did not continue. */
  readonly isCut?: (node: number, action: number) => boolean;
  readonly kinds: readonly FaultKind[];
  readonly bestEffort: readonly string[];
  /**
   * Returns `true` if the search has already found that an action breaks a rule. Used for lost answers: the repeated call is an ordinary step, which
   * may break the rule without any fault.
   */
  readonly isFound: (invariant: string, action: number) => boolean;
  readonly end: RacesEnd;
  readonly onProgress: (tally: FaultTally, planned: number) => void;
}

export interface SeenFault {
  readonly request: FaultRequest;
  readonly hits: readonly FaultHit[];
}

/**
 * The maximum number of results for one call. Whenever the lane is lost, the remaining faults are tried on a rebuilt lane, which gives a further
 * result.
 */
const MOST_ANSWERS = 50;

/**
 * Makes the writes of the planned calls fail, on all lanes in parallel. Results are in the order of the plan. Faults that kill the target are made in
 * a second round, because restarts take longer than all other faults.
 */
export async function probeFaults(
  committer: Committer,
  lanePool: LanePool,
  options: FaultOptions,
): Promise<{ readonly seen: readonly SeenFault[]; readonly tally: FaultTally }> {
  const plan = planFaults(committer, options);
  const tally = new FaultTally(plan);
  const seen: SeenFault[] = [];
  /** For each call, the number of its writes at which the target can be killed. */
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
          // Rebuild the lane and try once more, because an earlier kill may have lost data in memory that this call needs.
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

/** Returns `true` for a lost answer after which a rule is broken that the action also breaks without a fault. */
function isKnown({ point, invariant }: FaultHit, action: number, { isFound }: FaultOptions): boolean {
  return point.kind === "lost_answer" && invariant !== undefined && isFound(invariant, action);
}

/**
 * Tries all faults of a call on one lane. If the lane is lost, rebuilds it and continues with the next fault point. Stops if the target did not
 * recover.
 */
export async function faultsOn(lanePool: LanePool, lane: number, request: FaultRequest): Promise<readonly FaultAnswer[]> {
  const answers: FaultAnswer[] = [];
  for (let from: number | undefined = request.from; from !== undefined && answers.length < MOST_ANSWERS;) {
    const answer: FaultAnswer = await lanePool.fault(lane, { ...request, from });
    answers.push(answer);
    if (answer.failure === undefined) break;
    await lanePool.rebuild(lane, "use");
    // Stop if the lane was lost before any fault point was tried, because this would happen again. Also stop if the target did not recover, because
    // each further fault point would probably end in a timeout.
    const ends: boolean = answer.next === from || answer.hits.some(({ verdict }) => verdict === "no_recovery");
    from = ends ? undefined : answer.next;
  }
  return answers;
}

function requestFor({ nodes, visited }: Committer, { node, action }: PlannedFault, { kinds, bestEffort }: FaultOptions): FaultRequest {
  const at = nodes.has(node, UNCERTAIN) ? undefined : { lo: visited.lo(node), hi: visited.hi(node) };
  return { path: nodes.path(node), draws: nodes.draws(node), at, action, kinds, bestEffort, from: 0 };
}
