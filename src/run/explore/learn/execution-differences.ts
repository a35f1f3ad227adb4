import type { LaneReport, UnrestoredCounters } from "../../../messages/lane-messages.ts";
import type { Divergence } from "../../../model/results/result.ts";
import { ignoreLines } from "../../../model/stores/ignore-line.ts";
import type { DroppedField } from "../../../state/index.ts";

/** Returns a divergence about data that the target keeps in its memory, because new processes of the target reach equal states. */
export function causedByMemory(differences: readonly string[], { restarts = false }: Pick<LaneReport, "restarts">): Divergence {
  return executionsDiffer(
    "The same calls lead to different states when they are repeated in one process of the target, because the target keeps data in memory that is not in its stores",
    differences,
    restarts ? "Keep this data in a store." : "Keep this data in a store, or set `target.rollback: restart`.",
  );
}

/** Returns a divergence about differences that occur because no checkpoint restores the counters. */
export function causedByCounters(differences: readonly string[], { tables, hint }: UnrestoredCounters): Divergence {
  const message = `The same calls lead to different states when they are repeated, because the target uses numbers of AUTO_INCREMENT counters that restores do not set back (${tables})`;
  return executionsDiffer(message, differences, hint);
}

/**
 * Returns a divergence about a difference between two executions that later executions did not show again, and that no generated value or time
 * explains.
 */
export function differedOnce(differences: readonly string[]): Divergence {
  return executionsDiffer(
    "The same calls gave a different result in one of several executions",
    differences,
    "Look for a cause outside the stores: random values, memory of the target's process, or another service.",
  );
}

/** Returns a divergence about answers that differ between new processes of the target, although the states are equal. */
export function causedByChance(differences: readonly string[]): Divergence {
  return executionsDiffer(
    "The same calls get different answers when they are repeated, even in a new process of the target",
    differences,
    "Look for a cause outside the target's stores: random values, the time, or another service.",
  );
}

/** Returns a divergence about a target that seqqa cannot restart. For such a target, it is unknown if memory or randomness causes the differences. */
export function causedByMemoryOrChance(differences: readonly string[], suspects: readonly DroppedField[]): Divergence {
  const line = ignoreLines(suspects.map(({ field }) => field));
  return executionsDiffer(
    "The same calls lead to different states when they are repeated. Either the target keeps data that `reset` does not restore, or it makes random choices",
    differences,
    `Let \`reset\` restore all data of the target.${suspects.length === 0 ? "" : ` Leave random values out of the states with ${line}.`}`,
  );
}

/** Returns a divergence about experiments that the time limit ended, so that generated values may count as data, and late writes may be missed. */
export function cutByTime(): Divergence {
  return executionsDiffer(
    "The time limit ended the experiments with which seqqa learns the target's generated values and late writes",
    [],
    "Raise exploration.max_time (--max-time).",
  );
}

function executionsDiffer(message: string, differences: readonly string[], hint: string): Divergence {
  return { kind: "cross_check", path: [], message, differences, hint };
}

/** Returns a field with the values that it had after two executions, as text. */
export const differenceText: (one: DroppedField) => string = ({ field, values: [first, second] }) =>
  `${field}: ${first} the first time, ${second} the second time`;
