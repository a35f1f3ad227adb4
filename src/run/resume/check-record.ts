import { readThrough, type ReadThroughOptions } from "../../engine/commit/recommit-limits.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationConfig } from "../../config/index.ts";
import { asUnreadable, readRecord, type ShardStore, type StoredExploration, type StoredRun } from "../../run-log/index.ts";

export interface RecordInput {
  readonly exploration: StoredExploration;
  /** The current name of the exploration. */
  readonly name: string;
  readonly budget: Pick<ExplorationConfig, "maxDepth" | "stopOnFirstViolation">;
  /** Ids of known violations, which do not stop the run. */
  readonly known?: ReadonlySet<string> | undefined;
}

/**
 * Checks that the stored commits of a run can be recommitted. Returns the current limits that the stored commits exceed. Only the run log is read;
 * nothing is started or sent.
 * @throws SeqqaError `RUN_UNREADABLE` or `RESUME_MISMATCH` with exit status 2 if the run log is damaged
 */
export function beyondInRecord(
  { file: store }: Pick<StoredRun, "file">,
  { exploration, name, budget, known = new Set() }: RecordInput,
): readonly string[] {
  const { file, actions, beginning } = exploration;
  const violationPolicy = beginning?.violationPolicy ?? undefined;
  const brokenAtRoot = beginning?.root.broken ?? [];
  const { maxDepth = Infinity, stopOnFirstViolation } = budget;
  const idOf = (found: Parameters<ReadThroughOptions["isKnown"]>[0]): string => findingId(name, found);
  const beyond = readRecord(store, exploration, ({ recorded, depth }) => {
    const { lastFrom, wentPast } = naming(file, () =>
      readThrough(recorded, { actions, violationPolicy, brokenAtRoot, isKnown: (found) => known.has(idOf(found)) }),
    );
    // The depth of the last stored step is the greatest depth of a breadth-first run. No other run may be resumed with a different depth limit.
    const deepest = lastFrom < 0 ? -1 : depth(lastFrom);
    return [
      ...(deepest < maxDepth ? [] : [`${file} has steps from states at depth ${deepest} (max_depth ${maxDepth})`]),
      ...(stopOnFirstViolation && wentPast !== undefined
        ? [`${file} continued after violation ${idOf(wentPast)}, but stop_on_first_violation is now true`]
        : []),
    ];
  });
  return beyond ?? [];
}

/**
 * Checks that the run logs of all shards can be read.
 * @throws SeqqaError `RUN_UNREADABLE` or `RESUME_MISMATCH` with exit status 2, naming the run log
 */
export function refuseDamaged(stores: readonly ShardStore[]): void {
  for (const { stored, record, entry } of stores) {
    for (const exploration of stored.explorations) {
      const { actions, beginning } = exploration;
      try {
        const violationPolicy = beginning!.violationPolicy ?? undefined;
        const brokenAtRoot = beginning!.root.broken;
        naming(stored.file, () =>
          readThrough(record(exploration, beginning!).recorded, { actions, violationPolicy, brokenAtRoot, isKnown: () => true }),
        );
        entry(exploration);
      } catch (cause) {
        throw asUnreadable(stored.file, cause);
      }
    }
  }
}

/** Calls `work` and adds the file name to its errors, because there may be several explorations or run logs. */
function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SeqqaError)) throw cause;
    const { code, message, hint, exitStatus } = cause;
    throw new SeqqaError(code, `${file}: ${message}`, { hint, exitStatus, cause });
  }
}
