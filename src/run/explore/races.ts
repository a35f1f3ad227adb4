import type { ExplorationConfig } from "../../config/index.ts";
import type { RuleRace } from "../../model/declare/agent.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import type { TimeLimit } from "../../engine/search/time-limit.ts";
import type { RaceCoverage } from "../../model/results/result.ts";
import { confirmRaces, probeRaces, RacesEnd, type ConfirmedRace, type DismissedHit } from "../../races/index.ts";
import { cutCalls } from "./cut-calls.ts";

/** Number of trials for a pair of calls if their results one after another give no hint of a race. */
const FIRST = 2;

type Races = ExplorationConfig["races"];

export interface FoundRaces {
  readonly races: readonly ConfirmedRace[];
  readonly dismissed: readonly DismissedHit[];
  /** Calls that were not sent at the same time, because their path led to another state than in the search. */
  readonly unreached: readonly DismissedHit["request"][];
  /** The reasons why pairs of actions were not probed in any state. The keys are texts from {@link pairOf}. */
  readonly unprobed: ReadonlyMap<string, string>;
  /** The pairs of actions that rules require, if `races` is off. `undefined` if all pairs of actions were probed. */
  readonly asked?: readonly (readonly [number, number])[] | undefined;
  /** The counts of probed pairs of calls; `undefined` if races were not probed. */
  readonly coverage: RaceCoverage | undefined;
}

export const NO_RACES: FoundRaces = { races: [], dismissed: [], unreached: [], unprobed: new Map(), coverage: undefined };

/** Returns the default time limit for races in milliseconds. Half of the remaining time is kept for confirming findings. */
export function timeFor({ leftMs, allowanceMs }: TimeLimit): number {
  return allowanceMs === Infinity ? Infinity : Math.max(leftMs - allowanceMs / 2, 0);
}

/**
 * Probes pairs of calls in the explored states, and confirms the detected races on rebuilt lanes.
 * @param only The pairs that rules require. If `races` is off, only these pairs are probed.
 */
export async function findRaces(
  explorer: Explorer,
  { actions, ownActions, isKnown, seed, signal, onEvent }: ExplorerOptions,
  lanePool: LanePool,
  { mode, trials, delivery, copies, maxTime, only }: Races & { readonly only: readonly RuleRace[] },
): Promise<FoundRaces> {
  const isOver = signal?.aborted === true || explorer.fatal !== undefined || explorer.stopReason === "first_violation";
  if (isOver || (mode === "off" && only.length === 0)) return NO_RACES;
  const cancel = (): void => lanePool.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const asked = mode === "off" ? only.map(({ pair }) => pair) : undefined;
    const end = new RacesEnd(maxTime === undefined ? timeFor(explorer.limit) : maxTime * 1000, signal);
    const { seen, tally } = await probeRaces(explorer.committer, lanePool, {
      actions: actions.length,
      ownActions: ownActions ?? actions.length,
      isCut: cutCalls(explorer.committer, { actions, isKnown }),
      effort: { first: FIRST, trials, delivery, seed },
      copies,
      only: asked,
      end,
      onProgress: ({ probed, trials: made, hits }, planned) => onEvent({ kind: "racing", probed, planned, trials: made, hits }),
    });
    const races = await confirmRaces(seen, lanePool, tally, end);
    const coverage = tally.coverage();
    if (maxTime !== undefined) explorer.limit.extend(coverage.durationMs);
    return { races, dismissed: tally.dismissedHits, unreached: tally.unreached, unprobed: tally.unprobed, asked, coverage };
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
