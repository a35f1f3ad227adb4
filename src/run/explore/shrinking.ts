import { explorationCompleteTo } from "../../engine/search/completeness.ts";
import { causeOf, confirmViolations, type ConfirmedViolation, type Confirmations, type Shrinking } from "../../engine/findings/confirm.ts";
import type { FoundViolation } from "../../engine/findings/finding-log.ts";
import { unsettledOf } from "../../engine/search/unconfirmed-timeouts.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import { graphPaths } from "../../engine/graph/graph-path.ts";
import { proveShortest } from "../../engine/findings/prove-shortest.ts";

/** Time limits in seconds for shortening one path (`EACH`), and all paths of an exploration (`ALL`). */
const EACH = 10;
const ALL = 30;
/** Limits in seconds and steps for the breadth-first search that proves paths to be the shortest. */
const PROOF = 10;
const PROOF_STEPS = 20_000;
/** Milliseconds between two progress events. */
const TELL_MS = 1000;
/** If `max_time` is set, shortening and proving may each take this share of it at most. */
const SHARE = 0.1;

/** Confirms the findings of an exploration, and shortens their paths as far as time allows. A finding that does not recur keeps its path. */
export async function shortestViolations(
  explorer: Explorer,
  options: ExplorerOptions,
  lanePool: LanePool,
): Promise<readonly ConfirmedViolation[]> {
  const { committer, divergences, traits } = explorer;
  const { limit } = explorer;
  const share = options.maxTimeMs * SHARE;
  const allMs = Math.min(ALL * 1000, share);
  const shrinking: Shrinking = {
    // A search in order of depth already found each violation on a shortest path of the committed graph.
    shortest: traits.isShortestFirst ? ({ path, draws }) => ({ path, draws }) : graphPaths(committer),
    mayBeBroken: new Set(Object.keys(options.violationPolicy?.invariants ?? {})),
    completeToDepth: explorationCompleteTo(explorer, committer.deepest),
    eachMs: Math.min(EACH * 1000, allMs),
    allMs,
  };
  // If a committed finding has the same key, it is used instead, because it is better evidence.
  const isNew = ({ key }: FoundViolation): boolean => !committer.findings.violations.has(key);
  const unsettled = unsettledOf(explorer, options.actions, options.signal).filter(isNew);
  const violations = new Map([...committer.findings.violations, ...unsettled.map((found) => [found.key, found] as const)]);
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
    // If results diverged, the world is not repeatable, so each path needs a new target instead of a restored one.
    const canGoBack = divergences.all.length === 0;
    const replayed = await confirmViolations({ violations }, { actions, lanePool, signal, shrinking, limit, canGoBack, onProgress });
    const confirmed = replayed.flatMap((one) => (isNew(one.found) ? settled(one) : [one]));
    // If the world is not repeatable, a search cannot prove that a path is the shortest.
    if (!canGoBack) return confirmed;
    return await proveShortest(confirmed, options, lanePool, { limit, ms: Math.min(PROOF * 1000, share), steps: PROOF_STEPS });
  } finally {
    clearInterval(timer);
  }
}

/**
 * Returns a violation of an uncommitted step as a finding if its replay confirmed it, and drops it if the replay did not. Without a replay, the
 * violation is kept.
 */
function settled(one: ConfirmedViolation): readonly ConfirmedViolation[] {
  if (one.recording === undefined) return [one];
  const finding = one.recording.findings.find(({ invariant }) => invariant === one.found.finding.invariant);
  return one.confirmed && finding !== undefined ? [{ ...one, found: { ...one.found, finding } }] : [];
}

/** Returns a note with the number of findings that were not replayed, and the reason; `undefined` if all were replayed. */
export function notReplayedNote(violations: readonly ConfirmedViolation[]): string | undefined {
  const left = violations.filter(({ recording }) => recording === undefined);
  if (left.length === 0) return undefined;
  const reasons = left.map(({ notReplayed }) => notReplayed);
  const [why, advice] = reasons.includes("interrupted")
    ? ["The run was interrupted", ""]
    : reasons.includes("max_time")
      ? ["max_time and the extra time for replays had passed", " Give the run more with --max-time, or explore less with --max-steps."]
      : ["No target could be started", because(left)];
  const causes = new Set(violations.filter(({ confirmed }) => confirmed).map(({ found }) => causeOf(found)));
  const alike = left.filter(({ found }) => causes.has(causeOf(found))).length;
  const others = alike === 0 ? "" : `, ${alike} of them with the rule and the last action of one that was confirmed`;
  const which = `${left.length} of ${violations.length} findings ${left.length === 1 ? "is" : "are"} not confirmed${others}`;
  return `${why} before every finding was replayed from a clean start: ${which}.${advice}`;
}

/** Returns the reason why the target did not start. No other part of the report contains it, because the search had already ended. */
function because(left: readonly ConfirmedViolation[]): string {
  const failed = left.flatMap(({ startFailed }) => startFailed ?? []).at(-1);
  return failed === undefined ? "" : ` The last start failed: ${failed}`;
}

/** Returns the note about paths that could not be shortened in time. */
export function shrinkingCutNote(findings: number): string {
  const which = findings === 1 ? "One path" : `${findings} paths`;
  return `${which} may not be the shortest path: shortening takes at most ${EACH} s for each path and ${ALL} s in all, or a tenth of max_time.`;
}
