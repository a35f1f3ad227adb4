import { readThrough, type ReadThroughOptions } from "../../engine/commit/recommit-limits.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ResolvedExploration } from "../../config/index.ts";
import { asUnreadable, readRecord, type ShardStore, type StoredExploration, type StoredRun } from "../../run-log/index.ts";

export interface RecordInput {
  readonly exploration: StoredExploration;
  /** Its name now. */
  readonly name: string;
  readonly budget: Pick<ResolvedExploration, "maxDepth" | "stopOnFirstViolation">;
  /** Ids of violations that are listed, and end nothing. */
  readonly known?: ReadonlySet<string> | undefined;
}

/**
 * Whether what an exploration committed can be committed again, and what of it is beyond where it would end now: read in its store, so that nothing is
 * started or sent for a run that cannot go on.
 * @throws SeqqaError `RUN_UNREADABLE`, `RESUME_MISMATCH` with exit status 2 where the store is damaged
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
    // Breadth first, which alone may have another bound now, comes to the deepest states last.
    const deepest = lastFrom < 0 ? -1 : depth(lastFrom);
    return [
      ...(deepest < maxDepth ? [] : [`${file} has steps from states at depth ${deepest} (max_depth ${maxDepth})`]),
      ...(stopOnFirstViolation && wentPast !== undefined
        ? [`${file} went past violation ${idOf(wentPast)} (stop_on_first_violation)`]
        : []),
    ];
  });
  return beyond ?? [];
}

/** Whether all of the shards that are to be joined can be read. @throws SeqqaError `RUN_UNREADABLE`, `RESUME_MISMATCH` with exit status 2, naming the store */
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

/** Of several explorations, or stores, it must be said which one it is. */
function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SeqqaError)) throw cause;
    const { code, message, hint, exitStatus } = cause;
    throw new SeqqaError(code, `${file}: ${message}`, { hint, exitStatus, cause });
  }
}
