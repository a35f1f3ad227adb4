import { SeqqaError } from "../../model/errors.ts";
import type { OperationCoverage } from "../../model/results/coverage.ts";
import type { Divergence, RecordedExchange, StopReason } from "../../model/results/result.ts";
import type { ReorderBuffer } from "../search/reorder-buffer.ts";
import type { DoneCheck, JournalEvent } from "./commit-journal.ts";
import { commitRows, laneRow, type CommitRow } from "./commit-rows.ts";
import type { Committer } from "./committer.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import type { StepEvent } from "../../messages/lane-messages.ts";
import type { Frontier } from "../frontiers/index.ts";
import { ForeignCommits } from "./damaged-run.ts";

export interface Recorded {
  readonly batches: number;
  /** Returns a batch of stored outcomes, in the format of commit-rows.ts. */
  batch(index: number): Int32Array;
  /** The lower halves of the fingerprints of the stored states, by node. The upper halves are in `hi`. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  stepEvents(id: number): JournalEvent;
  /** Returns the stored requests and responses of the last step of a finding. */
  sentFor(found: FoundViolation): readonly RecordedExchange[];
  /** Returns `true` if the cross-check of a node is finished or unnecessary. */
  wasChecked(check: DoneCheck): boolean;
  readonly digest: string;
  readonly divergences: readonly Divergence[];
  readonly replayed: number;
  readonly crossChecked: number;
  /** Number of characters of the details that earlier sessions kept for reports. */
  readonly characters: number;
  /** The operations of the OpenAPI description that the stored steps called. `undefined`: operations were not counted. */
  readonly operations?: readonly OperationCoverage[] | undefined;
}

export interface Recommitting {
  readonly committer: Committer;
  readonly order: Frontier;
  readonly reorderBuffer: ReorderBuffer;
  /** Commits every outcome that is known and next in the order of the strategy. */
  readonly commit: () => void;
  /** Returns the reason why the exploration ended, or `undefined` if it has not ended. */
  readonly stopReason: () => StopReason | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds after which recommitting pauses, so that this thread can handle timers and signals. */
const TURN_MS = 100;

/**
 * Recommits the stored outcomes of an earlier session in order. Each outcome must belong to the (state, action) pair that the strategy selects next.
 * At the end, the digests must be equal. If they differ, the outcomes belong to another exploration.
 * @throws SeqqaError `RESUME_MISMATCH` or `RESUME_BUDGET` (exit status 2); after an abort, the reason of the abort signal
 */
export async function recommit(recorded: Recorded, folding: Recommitting): Promise<void> {
  const { committer, signal } = folding;
  let turnedAt = performance.now();
  for (let index = 0; index < recorded.batches; index++) {
    for (const row of recordedRows(recorded, index)) {
      refold(row, recorded, folding);
      if (performance.now() - turnedAt < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      turnedAt = performance.now();
    }
  }
  const digest = committer.digest.value();
  if (digest !== recorded.digest)
    throw mismatch(`the steps of the stored run give the digest ${digest}, but the run log contains the digest ${recorded.digest}`);
  // The run log contains these nodes already. A node is only written again if it gets a shorter path later.
  committer.nodes.written = recorded.lo.length;
  for (const group of committer.findings.violations.values()) {
    for (const found of [group, ...(group.parts ?? [])])
      if (found.stepEvents !== undefined) found.stepEvents = { ...found.stepEvents, exchanges: recorded.sentFor(found) };
  }
}

/** Reads a batch of stored outcomes. @throws SeqqaError `RESUME_MISMATCH` if the batch is incomplete */
export function* recordedRows(recorded: Recorded, index: number): Iterable<CommitRow> {
  try {
    yield* commitRows(recorded.batch(index));
  } catch (cause) {
    if (cause instanceof RangeError || cause instanceof ForeignCommits) throw mismatch(cause.message);
    throw cause;
  }
}

function refold(row: CommitRow, recorded: Recorded, { committer, order, reorderBuffer, commit, stopReason }: Recommitting): void {
  const { from, action, to } = row;
  const before = committer.steps + committer.skipped;
  // If the exploration is divided into shards, this call skips states of other shards.
  commit();
  refuseBeyond(stopReason(), committer.steps);
  if (!order.peek() || order.ref !== from || order.action !== action) {
    throw mismatch(`the stored run continues with action ${action} of state ${from}, but this exploration continues with another action`);
  }
  if (to >= recorded.lo.length) throw mismatch(`the stored run refers to state ${to}, which does not exist`);
  const work = reorderBuffer.of(from, committer.visited.lo(from), committer.visited.hi(from));
  const stepEvents: StepEvent | undefined =
    row.stepEvents < 0 ? undefined : { unit: 0, action, ...recorded.stepEvents(row.stepEvents), exchanges: [] };
  reorderBuffer.recall(work, action, laneRow(row, to < 0 ? 0 : recorded.lo[to]!, to < 0 ? 0 : recorded.hi[to]!), stepEvents);
  commit();
  if (committer.steps + committer.skipped === before) refuseBeyond(stopReason() ?? "max_steps", committer.steps);
}

function refuseBeyond(reason: StopReason | undefined, steps: number): void {
  if (reason === undefined) return;
  throw beyondBudget(
    `seqqa cannot resume the run, because the stored run has ${steps} steps, which is more than the present limit (${reason}) allows.`,
  );
}

/** Returns the error for a resumed run that already exceeds one of its limits. Stored outcomes cannot be undone, so such a run is refused. */
export function beyondBudget(message: string): SeqqaError {
  return new SeqqaError("RESUME_BUDGET", message, {
    exitStatus: 2,
    hint: "Raise the limit to at least the value of the stored run, or start a new run without --resume.",
  });
}

export function mismatch(why: string): SeqqaError {
  return new SeqqaError("RESUME_MISMATCH", `The stored run does not belong to this exploration: ${why}.`, {
    exitStatus: 2,
    hint: "Start a new run without --resume. The stored run belongs to another exploration, or its file is damaged.",
  });
}
