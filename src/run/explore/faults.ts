import type { ExplorationConfig } from "../../config/index.ts";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer, ExplorerOptions } from "../../engine/search/explorer.ts";
import { confirmFaults, probeFaults, type ConfirmedFault, type UntriedFault } from "../../faults/index.ts";
import type { FaultCoverage } from "../../model/results/result.ts";
import { RacesEnd } from "../../races/index.ts";
import { cutCalls } from "./cut-calls.ts";
import { timeFor } from "./races.ts";

type Faults = ExplorationConfig["faults"];

export interface FoundFaults {
  readonly faults: readonly ConfirmedFault[];
  /** Problems that could be neither confirmed nor refuted, because their faults could not be made again. */
  readonly untried: readonly UntriedFault[];
  /** The counts of tried fault points; `undefined` if no faults were made. */
  readonly coverage: FaultCoverage | undefined;
}

export const NO_FAULTS: FoundFaults = { faults: [], untried: [], coverage: undefined };

/**
 * Makes each write fail in one call of each kind. Calls are of one kind if they have the same action and status, and either all changed the state or
 * none did. Confirms the findings on rebuilt lanes.
 */
export async function findFaults(
  explorer: Explorer,
  { actions, ownActions, isKnown, signal, onEvent }: ExplorerOptions,
  lanePool: LanePool,
  { mode, kinds, bestEffort, maxTime }: Faults,
): Promise<FoundFaults> {
  const isOver = signal?.aborted === true || explorer.fatal !== undefined || explorer.stopReason === "first_violation";
  if (mode === "off" || isOver) return NO_FAULTS;
  const violations = [...explorer.committer.findings.violations.values()];
  const found = new Set(violations.map(({ finding, lastAction }) => JSON.stringify([finding.invariant, lastAction])));
  const cancel = (): void => lanePool.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const end = new RacesEnd(maxTime === undefined ? timeFor(explorer.limit) : maxTime * 1000, signal);
    const { seen, tally } = await probeFaults(explorer.committer, lanePool, {
      ownActions: ownActions ?? actions.length,
      isCut: cutCalls(explorer.committer, { actions, isKnown }),
      kinds,
      bestEffort,
      isFound: (invariant, action) => found.has(JSON.stringify([invariant, actions[action]])),
      end,
      onProgress: ({ probed, tried, hits }, planned) => onEvent({ kind: "faulting", probed, planned, tried, hits }),
    });
    const faults = await confirmFaults(seen, lanePool, tally, end);
    const coverage = tally.coverage();
    if (maxTime !== undefined) explorer.limit.extend(coverage.durationMs);
    return { faults, untried: tally.untried, coverage };
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
