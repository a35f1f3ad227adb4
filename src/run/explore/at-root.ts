import type { LanePool } from "../../engine/lane-pool.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "../../engine/search/same-root.ts";
import { withinTime } from "../../engine/search/within-time.ts";
import { isStoreLost } from "../../lane/index.ts";
import type { Divergence } from "../../model/results/result.ts";
import { knowsNothing, NOTHING_KNOWN, readKnowledge, type Knowledge } from "../../state/index.ts";
import { checkLanes, refuseSharing } from "../prepare/check-lanes.ts";
import type { ExploreInput } from "../prepare/explore-request.ts";
import { idleMsOf } from "./idle-watch.ts";
import { learnBackground, learnValues, type LearningLanes } from "./learn-values.ts";
import { refuseOtherRoot } from "../resume/resume.ts";

/** Lanes at the root state, with the knowledge about the target's values that experiments gave. */
export interface BroughtUp {
  readonly reports: readonly LaneReport[];
  readonly notes: readonly string[];
  readonly knowledge: Knowledge;
  /** Differences that the first experiments found and that no known value explains. */
  readonly divergences: readonly Divergence[];
  /** The time at which the exploration's time limit starts, after the lanes have started. On the clock of `performance.now()`. */
  readonly startedAt: number;
}

/** Starts all lanes and brings them to the root state. @throws the abort reason, if start-up fails after an abort */
export async function bringUpLanes(lanePool: LanePool, input: ExploreInput, maxTimeMs: number): Promise<BroughtUp> {
  const { signal, keep } = input;
  try {
    const lanes = await atOneRoot(lanePool, input, maxTimeMs);
    if (keep !== undefined) refuseOtherRoot(keep, lanes.reports[0]!);
    return lanes;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Brings all lanes to the same root state, and learns the target's values by experiments. */
async function atOneRoot(lanePool: LanePool, input: ExploreInput, maxTimeMs: number): Promise<BroughtUp> {
  const { config, keep } = input;
  // The knowledge of the resumed run; `undefined` for a new run.
  const known = keep?.before?.beginning.knowledge;
  const started = await lanePool.start();
  const startedAt = performance.now();
  refuseSharing(started);
  // Without a working target there is nothing to compare, so the exploration ends at its root state.
  if (started[0]!.broken === true)
    return { reports: started, knowledge: NOTHING_KNOWN, notes: checkLanes(started, config), divergences: [], startedAt };
  if (known === undefined) {
    const lanes = calibrating(lanePool, input, { first: started[0]!, maxTimeMs });
    const idleMs = idleMsOf(config);
    const background = [...new Set(started.flatMap((report) => report.background ?? []))];
    let before: Pick<BroughtUp, "reports" | "knowledge"> = { reports: started, knowledge: { ...NOTHING_KNOWN, background } };
    if (background.length > 0) before = { ...before, reports: await lanes.learn(before.knowledge) };
    // Different root states may be caused by writes that the target makes without a request. An external store may also have other users.
    const isWatched = started.every((report) => report.background !== undefined);
    const isSuspect =
      (config.baseUrl !== undefined && !started[0]!.contextOnly && !isWatched) || started.some((report) => !sameRoot(report, started[0]!));
    if (isSuspect) before = (await learnBackground(lanes, before, idleMs)) ?? before;
    checkLanes(before.reports, config);
    const learned = await learnValues(lanes, before, {
      idleMs: isSuspect || isWatched ? 0 : idleMs,
      startsTargets: config.target !== undefined,
    });
    return { ...learned, notes: checkLanes(learned.reports, config), startedAt };
  }
  const knowledge = readKnowledge(known);
  const reports = knowsNothing(knowledge) ? started : await lanePool.learn(knowledge);
  return { reports, knowledge, notes: checkLanes(reports, config), divergences: [], startedAt };
}

/**
 * Returns lanes whose experiments are aborted if a target hangs. Each experiment may use half of the exploration's time. After that time, only
 * necessary experiments are started. If a lane loses its own store, all lanes are rebuilt once and the experiment is repeated, provided that the root
 * state is unchanged.
 */
export function calibrating(
  lanePool: LanePool,
  { config, signal, onEvent }: Pick<ExploreInput, "config" | "signal" | "onEvent">,
  { first, maxTimeMs }: { readonly first: LaneReport; readonly maxTimeMs: number },
): LearningLanes {
  const limit = { leftMs: maxTimeMs / 2, allowanceMs: 0 };
  const end = performance.now() + limit.leftMs;
  // Rebuild only lanes with their own targets. Otherwise, a rebuild could hide writes of other clients and changes that were not restored.
  const canRebuild = config.target !== undefined && !lanePool.capacity.isElastic;
  const cut = (): void => {
    for (let lane = 0; lane < lanePool.lanes; lane++) lanePool.cut?.(lane);
  };
  return {
    learn: (knowledge, fresh) => lanePool.learn(knowledge, fresh),
    rebuild: (lane) => lanePool.rebuild(lane),
    isOver: () => signal?.aborted === true || performance.now() > end,
    calibrate: async (walk) => {
      const once = async () => (await withinTime({ lanePool: { cut }, lane: 0, signal, limit }, () => lanePool.calibrate(walk))).done;
      try {
        return await once();
      } catch (error) {
        if (!canRebuild || !isStoreLost(error) || signal?.aborted === true) throw error;
        onEvent({ kind: "note", message: `All lanes are being rebuilt: ${(error as Error).message}` });
        for (let lane = 0; lane < lanePool.lanes; lane++) if (!sameRoot(await lanePool.rebuild(lane), first)) throw error;
        return once();
      }
    },
  };
}
