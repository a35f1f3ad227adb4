import { explorationCompleteTo } from "../../engine/search/completeness.ts";
import {
  causeOf,
  confirmPath,
  confirmViolations,
  type ConfirmedViolation,
  type Confirmations,
  type Shrinking,
} from "../../engine/findings/confirm.ts";
import type { FoundViolation } from "../../engine/findings/finding-log.ts";
import { ReplayLane, StartTimes } from "../../engine/search/replay-lane.ts";
import { unsettledOf } from "../../engine/search/unconfirmed-timeouts.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { plural } from "../../reports/console/text/numbers.ts";
import { graphPaths } from "../../engine/graph/graph-path.ts";
import { proveShortest } from "../../engine/findings/prove-shortest.ts";

/** Time limits in seconds for shortening paths: `EACH` for one path, `ALL` for all paths of an exploration together. */
const EACH = 10;
const ALL = 30;
/** Limits, in seconds and in steps, for the breadth-first search that proves that a path is the shortest. */
const PROOF = 10;
const PROOF_STEPS = 20_000;
const TELL_MS = 1000;
/** The share of `max_time` that shortening paths may take at most. The same limit applies to proving that paths are the shortest. */
const SHARE = 0.1;

/**
 * Confirms the findings of an exploration by replay, and shortens their paths as far as time allows. A finding that does not occur in the replay
 * keeps its path. `seen`: violations that only occurred in cross-checks or earlier searches.
 */
export async function shortestViolations(
  explorer: Explorer,
  options: ExplorerOptions,
  lanePool: LanePool,
  seen: readonly FoundViolation[],
): Promise<readonly ConfirmedViolation[]> {
  const { committer, divergences, traits } = explorer;
  const { limit } = explorer;
  const share = options.maxTimeMs * SHARE;
  const allMs = Math.min(ALL * 1000, share);
  const shrinking: Shrinking = {
    // A breadth-first search finds each violation on a shortest path, so use the path of the finding. For other strategies, look for a shorter path
    // in the graph.
    shortest: traits.isShortestFirst ? ({ path, draws }) => ({ path, draws }) : graphPaths(committer),
    mayBeBroken: new Set(Object.keys(options.violationPolicy?.invariants ?? {})),
    completeToDepth: explorationCompleteTo(explorer, committer.deepest),
    eachMs: Math.min(EACH * 1000, allMs),
    allMs,
  };
  const committed = committer.findings.violations;
  const unsettled = [...unsettledOf(explorer, options.actions, options.signal), ...seen];
  // Replay only one finding for each key: the committed finding, or the first one. The others are replayed only if it does not occur again.
  const violations = new Map(committed);
  for (const found of unsettled) if (!violations.has(found.key)) violations.set(found.key, found);
  if (violations.size === 0) return [];
  let progress: Confirmations = { replayed: 0, confirmed: 0, toShorten: 0 };
  const tell = (): void => {
    const leftMs = limit.leftMs === Infinity ? null : limit.leftMs;
    options.onEvent({ kind: "confirming", violations: violations.size, ...progress, leftMs });
  };
  const timer = setInterval(tell, TELL_MS).unref();
  try {
    const { actions, signal } = options;
    const onProgress = (now: Confirmations): void => {
      progress = now;
      tell();
    };
    // After a divergence, restored states are not reliable. Each replay then starts a new target.
    const canGoBack = divergences.all.length === 0;
    const areLate = (fields: readonly string[]): boolean => divergences.areLate(fields);
    const replaying = { actions, lanePool, signal, shrinking, limit, canGoBack, areLate, onProgress };
    const replayed = await confirmViolations({ violations }, replaying);
    const doubted = new Set(replayed.filter(isFlaky).map(({ found }) => found.key));
    const others = unsettled.filter(({ key, path }) => doubted.has(key) && String(violations.get(key)!.path) !== String(path));
    // The search reached a finding that does not occur again, so its completeness proves nothing about the length of other paths.
    const doubting = { ...replaying, shrinking: { ...shrinking, completeToDepth: -1 } };
    const again =
      others.length === 0
        ? []
        : await confirmViolations({ violations: new Map(others.map((found, index) => [String(index), found])) }, doubting);
    const confirmed = replayed.flatMap((one) => {
      const best = (isFlaky(one) ? again.find((other) => other.confirmed && other.found.key === one.found.key) : undefined) ?? one;
      return committed.get(best.found.key) === best.found ? [best] : settled(best);
    });
    // After a divergence, a search cannot prove that a path is the shortest.
    if (!canGoBack) return confirmed;
    return await proveShortest(confirmed, options, lanePool, { limit, ms: Math.min(PROOF * 1000, share), steps: PROOF_STEPS });
  } finally {
    clearInterval(timer);
  }
}

const isFlaky = ({ confirmed, recording }: ConfirmedViolation): boolean => !confirmed && recording !== undefined;

/** Replays one finding for each rule and last action. Resolves to `true` if a finding does not occur again from a clean start. */
export async function hasUnconfirmed(
  { committer, divergences, limit }: Pick<Explorer, "committer" | "divergences" | "limit">,
  { actions, signal }: Pick<ExplorerOptions, "actions" | "signal">,
  lanePool: LanePool,
): Promise<boolean> {
  const all = [...committer.findings.violations.values()].filter(({ path }) => path.length > 0);
  const canGoBack = divergences.all.length === 0;
  const replayLane = new ReplayLane(0, { actions, lanePool, signal, limit, canGoBack, starts: new StartTimes(limit) });
  for (const found of new Map(all.map((one) => [causeOf(one), one])).values())
    if (isFlaky(await confirmPath(replayLane, found, found))) return true;
  // A later stage rebuilds the lane if this fails.
  if (all.length > 0 && replayLane.isLost) await lanePool.rebuild(0).catch(() => undefined);
  return false;
}

/**
 * Handles a violation whose step was not committed. The violation becomes a finding if a replay confirmed it or no replay was possible; otherwise it
 * is dropped.
 */
function settled(one: ConfirmedViolation): readonly ConfirmedViolation[] {
  if (one.recording === undefined) return [one];
  const finding = one.recording.findings.find(({ invariant }) => invariant === one.found.finding.invariant);
  return one.confirmed && finding !== undefined ? [{ ...one, found: { ...one.found, finding } }] : [];
}

/** Returns a note that says how many findings were not replayed, and why; `undefined` if all findings were replayed. */
export function notReplayedNote(violations: readonly ConfirmedViolation[]): string | undefined {
  const left = violations.filter(({ recording }) => recording === undefined);
  if (left.length === 0) return undefined;
  const reasons = left.map(({ notReplayed }) => notReplayed);
  const [why, advice] = reasons.includes("interrupted")
    ? ["The run was interrupted", ""]
    : reasons.includes("max_time")
      ? [
          "max_time and the additional time for replays ran out",
          " Give the run more time with --max-time, or fewer steps with --max-steps.",
        ]
      : ["seqqa could not start a target", because(left)];
  const causes = new Set(violations.filter(({ confirmed }) => confirmed).map(({ found }) => causeOf(found)));
  const alike = left.filter(({ found }) => causes.has(causeOf(found))).length;
  const others =
    alike === 0 ? "" : `; ${alike} of them ${alike === 1 ? "has" : "have"} the same rule and last action as a confirmed finding`;
  const which = `${left.length} of ${violations.length} findings ${left.length === 1 ? "is" : "are"} not confirmed${others}`;
  return `${why} before seqqa had replayed every finding from a clean start, so ${which}.${advice}`;
}

/** Returns a note about findings that a replay did not show, if the cause may be counters that no checkpoint restores. */
export function flakyNote(violations: readonly ConfirmedViolation[], { counters }: Pick<LaneReport, "counters">): string | undefined {
  const flaky = violations.filter(isFlaky).length;
  if (flaky === 0 || counters === undefined) return undefined;
  return `${plural(flaky, "finding")} did not occur again from a clean start, where counters begin as in the initial state. ${counters.hint}`;
}

/** Returns a clause that says why the target did not start for the replay. No other part of the report contains this reason. */
function because(left: readonly ConfirmedViolation[]): string {
  const failed = left.flatMap(({ startFailed }) => startFailed ?? []).at(-1);
  return failed === undefined ? "" : ` The last start failed: ${failed}`;
}

/** Returns a note that says how many paths could not be shortened in time. */
export function shrinkingCutNote(findings: number): string {
  const which = findings === 1 ? "One path" : `${findings} paths`;
  return `${which} may not be the shortest possible, because the time for shortening ran out (at most ${EACH} s for each path and ${ALL} s in total, or a tenth of max_time).`;
}
