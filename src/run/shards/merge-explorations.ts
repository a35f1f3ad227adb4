import type { DetailLimits } from "../../engine/commit/commit-details.ts";
import type { ErrorEvent, FindingEvent } from "../../messages/lane-messages.ts";
import { mergeShards, type Merged } from "../../engine/shards/merge-shards.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExplorationEntry } from "../../reports/index.ts";
import type { ExplorationKeeper, ShardStore, StoredExploration } from "../../run-log/index.ts";
import { mergedResult } from "./merged-result.ts";
import { ForeignCommits } from "../../engine/commit/damaged-run.ts";

/** Merges the results of all shards of one exploration, and stores the merged result. Call `checkShards` before. */
export function mergeExplorations(stores: readonly ShardStore[], file: string, keep: ExplorationKeeper | undefined): ExplorationResult {
  const found = stores
    .map((store) => ({ store, exploration: store.stored.explorations.find((one) => one.file === file)! }))
    .map(({ store, exploration }) => ({ store, exploration, beginning: exploration.beginning!, entry: store.entry(exploration) }))
    .toSorted((a, b) => a.beginning.shard!.index - b.beginning.shard!.index);
  const { exploration, beginning, entry } = found[0]!;
  const entries = found.map((one) => one.entry);
  const parts = { name: exploration.name, actions: exploration.actions, entries };
  keep?.begin({
    name: exploration.name,
    strategy: exploration.strategy,
    actions: exploration.actions,
    shown: (exchange) => exchange,
    told: (stepEvents) => stepEvents,
    beginning: undefined,
  });
  let merged: Merged;
  try {
    merged = mergeShards({
      actions: exploration.actions,
      maxDepth: beginning.maxDepth ?? reachedLimit(found.map((one) => one.exploration)),
      violationPolicy: beginning.violationPolicy ?? undefined,
      shards: found.map((one) => ({ ...one.store.record(one.exploration, one.beginning), shard: one.beginning.shard! })),
      root: rootEvents(entry),
      details: keep?.limits ?? NO_DETAILS,
      onCommits: (committer) => keep?.graph(committer),
    });
  } catch (cause) {
    if (!(cause instanceof RangeError) && !(cause instanceof ForeignCommits)) throw cause;
    throw new SeqqaError("RUN_UNREADABLE", `seqqa cannot read the run of a shard of ${file}: ${cause.message}.`, { exitStatus: 2, cause });
  }
  keep?.graph(merged.committer);
  return mergedResult(merged, parts);
}

/** A file that ended without a result in a stored run, and its error. */
export interface StoredFailure {
  readonly file: string;
  readonly error: SeqqaError;
}

/** Returns the files that ended without a result in some of the runs. An error that occurred in several runs is returned once. */
export function storedFailures(runs: readonly Pick<ShardStore, "failures" | "exitStatus">[]): readonly StoredFailure[] {
  const failures = new Map<string, StoredFailure>();
  for (const { failures: own, exitStatus } of runs) {
    for (const { file, code, message, hint } of own) {
      // A run log contains the exit status of the whole run, but not of each failure. If a finding determined this status, assume 2 for the failure.
      const error = new SeqqaError(code, message, { hint, exitStatus: exitStatus === 3 ? 3 : 2 });
      failures.set(JSON.stringify([file, code, message]), { file, error });
    }
  }
  return [...failures.values()];
}

/**
 * Returns the depth limit that seqqa set because no store shows the state. The run header does not contain this limit, so it is the smallest depth at
 * which a shard stopped.
 */
function reachedLimit(explorations: readonly StoredExploration[]): number {
  return Math.min(...explorations.filter(({ stopReason }) => stopReason === "max_depth").map(({ depth }) => depth));
}

const NO_DETAILS: DetailLimits = { edges: 0, states: 0, characters: 0 };

/** Returns the findings and errors that occurred in the root state. Such findings and errors belong to no step. */
function rootEvents({ violations, errors }: ExplorationEntry): {
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
} {
  return {
    findings: violations
      .filter(({ reproductionPath }) => reproductionPath.length === 0)
      .map(({ invariant, severity, message, cause, target }) => ({ invariant, severity, message, cause, target })),
    errors: errors
      .filter(({ path, source }) => path.length === 0 && source !== "run")
      .map(({ code, message, source, stack, where }) => ({ code, message, source, stack, where })),
  };
}
