import { shrinkPath } from "../../engine/findings/shrink.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { FaultAnswer, FaultHit, FaultRequest } from "../../messages/fault-messages.ts";
import type { Recording } from "../../messages/lane-messages.ts";
import { unlessInterrupted, type RacesEnd } from "../../races/index.ts";
import type { FaultTally } from "./fault-tally.ts";
import { faultsOn, type SeenFault } from "./probe-faults.ts";

/** Time limit, in milliseconds, for shortening the path of one finding. */
const SHRINKING = 10_000;

/** A problem with a fault that occurred again on a rebuilt lane. */
export interface ConfirmedFault {
  readonly request: FaultRequest;
  readonly hit: FaultHit;
  readonly recording: Recording;
  /** Number of problems with the same action and the same verdict. */
  readonly count: number;
  /** `true` if every step before the call is needed: without any one of them, the problem does not occur. */
  readonly isMinimal: boolean;
  /** The path on which the fault was found, before it was shortened. */
  readonly foundPath: readonly number[];
}

/** The problems with the same action and verdict. `request` and `hit` belong to the first problem. */
interface Group {
  readonly request: FaultRequest;
  readonly hit: FaultHit;
  count: number;
}

interface ConfirmingLane {
  readonly lanePool: LanePool;
  readonly lane: number;
  readonly end: RacesEnd;
  readonly tally: FaultTally;
}

const INTERRUPTED = "the run was interrupted";

/**
 * Confirms one problem for each action and verdict: replays the path and the fault on rebuilt lanes, with a shortened path if possible. A problem
 * that does not recur is counted as unconfirmed and is no finding. Results are in the order of the plan.
 */
export async function confirmFaults(
  seen: readonly SeenFault[],
  lanePool: LanePool,
  tally: FaultTally,
  end: RacesEnd,
): Promise<readonly ConfirmedFault[]> {
  const groups = groupsOf(seen);
  const confirmed: (ConfirmedFault | undefined)[] = [];
  let next = 0;
  const work = async (lane: number): Promise<void> => {
    while (next < groups.length && end.reason !== "interrupted") {
      const at = next++;
      const group = groups[at]!;
      confirmed[at] = await confirm(group, { lanePool, lane, end, tally }).catch((error: unknown) => {
        unlessInterrupted(end)(error);
        tally.untried.push({ ...group, reason: INTERRUPTED });
        return undefined;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanePool.lanes, groups.length) }, (_, lane) => work(lane)));
  for (const group of groups.slice(next)) tally.untried.push({ ...group, reason: INTERRUPTED });
  const found = confirmed.filter((one) => one !== undefined);
  tally.unconfirmed = groups.length - found.length;
  tally.end();
  return found;
}

function groupsOf(seen: readonly SeenFault[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { request, hits } of seen) {
    for (const hit of hits) {
      const key = `${request.action} ${hit.verdict}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { request, hit, count: 1 });
      else known.count++;
    }
  }
  return [...groups.values()];
}

async function confirm(group: Group, confirming: ConfirmingLane): Promise<ConfirmedFault | undefined> {
  const { lanePool, lane, tally, end } = confirming;
  const found: FaultRequest = { ...group.request, at: undefined, only: group.hit.point };
  // Rebuild the lane if the fault kills the target: an earlier kill may have lost data in the target's memory that the path needs.
  if (found.kinds.includes("kill")) await lanePool.rebuild(lane);
  const { request, isMinimal } = await shrink(found, group.hit, confirming);
  let reason: string | undefined;
  for (const candidate of request.path.length === found.path.length ? [found] : [request, found]) {
    await lanePool.rebuild(lane);
    const answers = await faultsOn(lanePool, lane, candidate);
    const hit = shownIn(answers, group.hit);
    if (hit === undefined) {
      reason = end.reason === "interrupted" ? INTERRUPTED : untried(answers);
      continue;
    }
    const recording = await lanePool.record(lane, candidate.path, candidate.draws);
    return { request: candidate, hit, recording, count: group.count, isMinimal: isMinimal && candidate === request, foundPath: found.path };
  }
  if (reason !== undefined) tally.untried.push({ request: group.request, hit: group.hit, reason });
  return undefined;
}

/** Returns the reason why answers without the problem do not refute it; `undefined` if the fault was repeated and the problem did not occur. */
function untried(answers: readonly FaultAnswer[]): string | undefined {
  const { dismissed, failure } = answers.at(-1)!;
  // Executions without a fault already differ, so the difference is not caused by the fault.
  if (dismissed === "unsteady") return undefined;
  if (failure !== undefined) return "the target or its lane was lost";
  if (answers.some(({ tried }) => tried > 0)) return undefined;
  return dismissed === undefined ? "the call did not make this write again" : "its path did not lead to the call again";
}

/** Returns the problem if it recurs with the same verdict; `undefined` if it does not. */
function shownIn(answers: readonly FaultAnswer[], { verdict }: FaultHit): FaultHit | undefined {
  return answers.flatMap(({ hits }) => hits).find((hit) => hit.verdict === verdict);
}

async function shrink(
  found: FaultRequest,
  hit: FaultHit,
  confirming: ConfirmingLane,
): Promise<{ readonly request: FaultRequest; readonly isMinimal: boolean }> {
  if (found.path.length === 0) return { request: found, isMinimal: true };
  const until = performance.now() + Math.min(SHRINKING, confirming.end.leftMs / 2);
  // Add the call with the fault as the last step, because shortening a path never leaves out its last step.
  const whole = { path: [...found.path, found.action], draws: found.draws === undefined ? undefined : [...found.draws] };
  const shrunk = await shrinkPath(whole, async ({ path, draws }) => {
    if (confirming.end.reason !== undefined || performance.now() > until) return undefined;
    const answers = await faultsOn(confirming.lanePool, confirming.lane, { ...found, path: path.slice(0, -1), draws });
    return shownIn(answers, hit) !== undefined;
  });
  if (shrunk.path.length === whole.path.length) return { request: found, isMinimal: shrunk.isMinimal };
  return { request: { ...found, path: shrunk.path.slice(0, -1), draws: shrunk.draws }, isMinimal: shrunk.isMinimal };
}
