import { explorationCompleteTo } from "../search/completeness.ts";
import { confirmPath, type ConfirmedViolation } from "./confirm.ts";
import type { LanePool } from "../lane-pool.ts";
import { Explorer, type ExplorerOptions } from "../search/explorer.ts";
import { ReplayLane, StartTimes } from "../search/replay-lane.ts";
import { BREADTH_FIRST } from "../../model/declare/search/strategy.ts";
import type { TimeLimit } from "../search/time-limit.ts";

export interface ProofLimits {
  /** The time limit of the whole run. */
  readonly limit: TimeLimit;
  readonly ms: number;
  readonly steps: number;
}

/**
 * Proves that paths are shortest, by a breadth-first search up to the lengths of the given paths. Only considers paths from which no step can be left
 * out. A shorter path that the search finds replaces the longer path. If the search is complete up to a path's length, the path is proven to be
 * shortest. The committed graph of the run does not change.
 *
 * @param options Options of the exploration that found the violations.
 */
export async function proveShortest(
  violations: readonly ConfirmedViolation[],
  options: ExplorerOptions,
  lanePool: LanePool,
  limits: ProofLimits,
): Promise<readonly ConfirmedViolation[]> {
  const lengths = violations.filter(isCandidate).map(({ path }) => path.length);
  if (lengths.length === 0 || options.signal?.aborted === true || limits.limit.isOver) return violations;
  const explorer = await exploreTo(Math.max(...lengths) - 1, options, lanePool, limits).catch(() => undefined);
  // The result of a search that failed or had divergences is not reliable, so nothing is proven.
  if (explorer === undefined || explorer.fatal !== undefined || explorer.divergences.all.length > 0) return violations;
  const { deepest, findings } = explorer.committer;
  const complete = explorationCompleteTo(explorer, deepest);
  const { actions, signal } = options;
  const { limit } = limits;
  const replayLane = new ReplayLane(0, { lanePool, actions, signal, limit, canGoBack: true, starts: new StartTimes(limit) });
  const proven: ConfirmedViolation[] = [];
  for (const one of violations) {
    const found = isCandidate(one) ? findings.violations.get(one.found.key) : undefined;
    if (found !== undefined && found.path.length < one.path.length) {
      const shorter = await confirmPath(replayLane, one.found, found);
      proven.push(shorter.confirmed ? { ...shorter, minimality: "shortest" } : one);
    } else proven.push(isCandidate(one) && one.path.length - 1 <= complete ? { ...one, minimality: "shortest" } : one);
  }
  return proven;
}

const isCandidate = ({ minimality }: ConfirmedViolation): boolean => minimality === "one_minimal";

async function exploreTo(maxDepth: number, options: ExplorerOptions, lanePool: LanePool, limits: ProofLimits): Promise<Explorer> {
  const startedAt = performance.now();
  const [root] = await Promise.all(Array.from({ length: lanePool.lanes }, (_, lane) => lanePool.rebuild(lane)));
  const explorer = new Explorer(
    {
      ...options,
      strategy: BREADTH_FIRST,
      maxDepth,
      maxSteps: limits.steps,
      maxTimeMs: Math.min(limits.ms, limits.limit.leftMs),
      stopOnFirstViolation: false,
      crossCheck: { first: 0, oneIn: 0 },
      saidChains: undefined,
      onEvent: () => undefined,
    },
    lanePool,
    startedAt,
  );
  await explorer.run(root!);
  return explorer;
}
