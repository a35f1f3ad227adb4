import type { LanePool } from "../../engine/lane-pool.ts";
import type { Calibration, LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "../../engine/search/same-root.ts";
import { withinTime } from "../../engine/search/within-time.ts";
import { isStoreLost, NOTHING_FOUND } from "../../lane/index.ts";
import type { Divergence } from "../../model/results/result.ts";
import { joined, knowsNothing, NOTHING_KNOWN, readKnowledge, type Knowledge } from "../../state/index.ts";
import { checkLanes, refuseSharing } from "../prepare/check-lanes.ts";
import type { ExploreInput } from "../prepare/explore-request.ts";
import { idleMsOf } from "./idle-watch.ts";
import { learnBackground, learnValues, type LearningLanes } from "./learn/learn-values.ts";
import { refuseOtherRoot } from "../resume/resume.ts";

/** The result of starting the lanes: their reports at the root state, and the knowledge about the target's values that experiments gave. */
export interface BroughtUp {
  readonly reports: readonly LaneReport[];
  readonly notes: readonly string[];
  readonly knowledge: Knowledge;
  /** Differences between repeated executions that experiments before the search found but could not explain. */
  readonly divergences: readonly Divergence[];
  /** The start of the exploration's time limit, after the lanes have started, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/** Starts all lanes and brings them to the root state. @throws the reason of the abort, if the start fails because the run was aborted */
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
  // The knowledge (generated values and times) that the resumed run stored; `undefined` for a new run.
  const known = keep?.before?.beginning.knowledge;
  const started = await lanePool.start();
  const startedAt = performance.now();
  refuseSharing(started);
  // If the target of the first lane does not work, run no experiments. The exploration then ends at its root state.
  if (started[0]!.broken === true)
    return { reports: started, knowledge: NOTHING_KNOWN, notes: checkLanes(started, config), divergences: [], startedAt };
  if (known === undefined) {
    const lanes = calibrating(lanePool, input, { first: started[0]!, maxTimeMs, endsAt: startedAt + maxTimeMs / 2 });
    const idleMs = idleMsOf(config);
    const background = [...new Set(started.flatMap((report) => report.background ?? []))];
    let before: Pick<BroughtUp, "reports" | "knowledge"> = { reports: started, knowledge: { ...NOTHING_KNOWN, background } };
    if (background.length > 0) before = { ...before, reports: await lanes.learn(before.knowledge) };
    // Lanes that report `background` have already watched their idle stores. If root states differ, the stores are watched again, because the target
    // or another user may write without a request.
    const isWatched = started.every((report) => report.background !== undefined);
    const isSuspect =
      (config.baseUrl !== undefined && !started[0]!.contextOnly && !isWatched) || started.some((report) => !sameRoot(report, started[0]!));
    if (isSuspect) before = (await learnBackground(lanes, before, idleMs)) ?? before;
    before = await withSetup(lanes, before);
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
 * If the root states of lanes differ, learns the values that `setup` generates each time that it creates the root state. If nothing is learned,
 * {@link checkLanes} names the difference.
 */
async function withSetup(lanes: LearningLanes, before: Pick<BroughtUp, "reports" | "knowledge">): Promise<typeof before> {
  if (before.reports.every((report) => sameRoot(report, before.reports[0]!))) return before;
  const { learned } = await lanes.calibrate({ path: [] }).catch(() => ({ learned: NOTHING_KNOWN }));
  if (knowsNothing(learned)) return before;
  const knowledge = joined(before.knowledge, learned);
  return { reports: await lanes.learn(knowledge), knowledge };
}

/**
 * Wraps lanes for experiments that end at `endsAt`, so that a hanging target does not block the run. After that time, only necessary experiments
 * start, and each may use a quarter of the exploration's time. If a lane loses its target or store, all lanes are rebuilt once. The experiment is
 * then repeated if the root state is unchanged.
 */
export function calibrating(
  lanePool: LanePool,
  { config, signal, onEvent }: Pick<ExploreInput, "config" | "signal" | "onEvent">,
  { first, maxTimeMs, endsAt }: { readonly first: LaneReport; readonly maxTimeMs: number; readonly endsAt: number },
): LearningLanes {
  const limit = {
    get leftMs(): number {
      return Math.max(endsAt - performance.now(), maxTimeMs / 4);
    },
    allowanceMs: 0,
  };
  // Rebuild only lanes whose targets seqqa starts itself. Otherwise, a rebuild could hide writes of other clients or changes that a restore missed.
  const canRebuild = config.target !== undefined && !lanePool.capacity.isElastic;
  let wasCut = false;
  const cut = (): void => {
    wasCut = true;
    for (let lane = 0; lane < lanePool.lanes; lane++) lanePool.cut?.(lane);
  };
  return {
    learn: (knowledge, fresh) => lanePool.learn(knowledge, fresh),
    rebuild: (lane) => lanePool.rebuild(lane),
    isOver: () => signal?.aborted === true || performance.now() > endsAt,
    wasCut: () => wasCut,
    calibrate: async (walk) => {
      const once = async () => (await withinTime({ lanePool: { cut }, lane: 0, signal, limit }, () => lanePool.calibrate(walk))).done;
      const isCut = (): boolean => wasCut && signal?.aborted !== true;
      // After the search, the explorer reports that it could not check the late writes of a path.
      const nothing = (): Calibration => {
        if (walk?.late !== undefined) throw new Error("the time limit was reached");
        return NOTHING_FOUND;
      };
      if (isCut()) return nothing();
      try {
        const found = await once();
        return isCut() ? nothing() : found;
      } catch (error) {
        // The error is about a request that seqqa ended, so it says nothing about the target.
        if (isCut()) return nothing();
        if (!canRebuild || !isStoreLost(error) || signal?.aborted === true) throw error;
        onEvent({
          kind: "note",
          message: `seqqa starts all lanes again, because a lane lost a store at the root state: ${(error as Error).message}`,
        });
        for (let lane = 0; lane < lanePool.lanes; lane++) if (!sameRoot(await lanePool.rebuild(lane), first)) throw error;
        return once();
      }
    },
  };
}
