import type { ViolationPolicy } from "../../engine/commit/broken-rules.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import type { Shard } from "../../engine/shards/shard-partition.ts";
import { SeqqaError } from "../../model/errors.ts";
import { differences } from "../../state/index.ts";
import type { RunHeader, ExplorationKeeper } from "../../run-log/index.ts";

/** Returns the run header of an exploration, which is compared when the run is resumed. */
export function runHeaderWith(
  code: string,
  {
    root,
    knowledge,
    clockMs,
    maxDepth,
    shard,
    violationPolicy,
  }: {
    readonly root: LaneReport;
    readonly knowledge: string;
    readonly clockMs: number;
    readonly maxDepth: number | undefined;
    readonly shard: Shard | undefined;
    readonly violationPolicy: ViolationPolicy | undefined;
  },
  before: RunHeader | undefined,
): Omit<RunHeader, "stages"> {
  const { wholeLo, wholeHi, rootLo, rootHi, rootLines: lines, references = [], findings } = root;
  const clocksMs = [...(before?.clocksMs ?? []), clockMs];
  return {
    code,
    clocksMs,
    knowledge,
    maxDepth: maxDepth ?? null,
    shard: shard ?? null,
    violationPolicy: violationPolicy ?? null,
    root: { wholeLo, wholeHi, rootLo, rootHi, lines, broken: findings.map(({ invariant }) => invariant) },
    references,
  };
}

/**
 * Refuses to resume if the root state has changed, because every later state would differ too.
 * @throws SeqqaError `RESUME_ROOT` with exit status 3
 */
export function refuseOtherRoot(keep: ExplorationKeeper, report: LaneReport): void {
  const root = keep.before?.beginning.root;
  if (root === undefined) return;
  const { wholeLo, wholeHi, rootLo, rootHi, rootLines } = report;
  if (root.wholeLo === wholeLo && root.wholeHi === wholeHi && root.rootLo === rootLo && root.rootHi === rootHi) return;
  const lines = differences(root.lines, keep.shownLines(rootLines), 5);
  throw new SeqqaError(
    "RESUME_ROOT",
    `The run cannot be resumed, because its root state has changed: ${lines.join("; ") || "the stores contain other data"}.`,
    {
      exitStatus: 3,
      hint: "Undo the change to the target, to the template of its store or to `setup`, or begin a new run without --resume.",
    },
  );
}
