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

/** The stored commits of an exploration. */
export interface Recorded {
  /** The number of batches of rows. */
  readonly batches: number;
  /** Returns a batch in the format of commit-rows.ts. */
  batch(index: number): Int32Array;
  /** Fingerprints, by node. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  /** Returns the step events with an id. */
  news(id: number): JournalEvent;
  /** Returns the exchanges of a finding's last step that were kept. */
  sentFor(found: FoundViolation): readonly RecordedExchange[];
  /** Returns `true` if the cross-check of a sampled node is done or not needed. */
  wasChecked(check: DoneCheck): boolean;
  /** The digest over all rows. */
  readonly digest: string;
  readonly divergences: readonly Divergence[];
  readonly replayed: number;
  readonly crossChecked: number;
  /** Characters of the details that were kept for reports. */
  readonly characters: number;
  /** The operations of the OpenAPI description that the rows called. `undefined`: they were not counted. */
  readonly operations?: readonly OperationCoverage[] | undefined;
}

/** The parts of the engine that commit. */
export interface Recommitting {
  readonly committer: Committer;
  readonly order: Frontier;
  readonly reorderBuffer: ReorderBuffer;
  /** Commits every known outcome that is next in order. */
  readonly commit: () => void;
  /** Returns the reason why the exploration is over, once it is. */
  readonly stopReason: () => StopReason | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds after which other work in this thread gets a turn. */
const TURN_MS = 100;

/**
 * Recommits, in order, the outcomes of a stored exploration. The strategy and the outcomes decide what is committed next. Each row must therefore
 * belong to the pair that the strategy asks for, and the digest must be equal at the end; else the record belongs to another exploration.
 * @throws SeqqaError `RESUME_MISMATCH`, `RESUME_BUDGET` with exit status 2, and the reason of the signal
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
  if (digest !== recorded.digest) throw mismatch(`its digest is ${digest}, but ${recorded.digest} is recorded`);
  // These nodes are stored as they are now. A node that gets a shorter path later has to be written again.
  committer.nodes.written = recorded.lo.length;
  for (const found of committer.findings.violations.values()) {
    if (found.news !== undefined) found.news = { ...found.news, exchanges: recorded.sentFor(found) };
  }
}

/** Returns the rows of a batch. @throws SeqqaError `RESUME_MISMATCH` if a batch is cut off */
export function* recordedRows(recorded: Recorded, index: number): Iterable<CommitRow> {
  try {
    yield* commitRows(recorded.batch(index));
  } catch (cause) {
    if (cause instanceof RangeError) throw mismatch(cause.message);
    throw cause;
  }
}

function refold(row: CommitRow, recorded: Recorded, { committer, order, reorderBuffer, commit, stopReason }: Recommitting): void {
  const { from, action, to } = row;
  const before = committer.steps + committer.skipped;
  // Skips the states of other shards.
  commit();
  refuseBeyond(stopReason(), committer.steps);
  if (!order.peek() || order.ref !== from || order.action !== action) {
    throw mismatch(`action ${action} of state ${from} is recorded where a different one is expected`);
  }
  if (to >= recorded.lo.length) throw mismatch(`there is no state ${to}`);
  const work = reorderBuffer.of(from, committer.visited.lo(from), committer.visited.hi(from));
  const news: StepEvent | undefined = row.news < 0 ? undefined : { unit: 0, action, ...recorded.news(row.news), exchanges: [] };
  reorderBuffer.recall(work, action, laneRow(row, to < 0 ? 0 : recorded.lo[to]!, to < 0 ? 0 : recorded.hi[to]!), news);
  commit();
  if (committer.steps + committer.skipped === before) refuseBeyond(stopReason() ?? "max_steps", committer.steps);
}

function refuseBeyond(reason: StopReason | undefined, steps: number): void {
  if (reason === undefined) return;
  throw beyondBudget(`The run is already beyond its present limits, after ${steps} steps (${reason}).`);
}

/** Commits cannot be undone, so a run that has passed the limit is refused. */
export function beyondBudget(message: string): SeqqaError {
  return new SeqqaError("RESUME_BUDGET", message, {
    exitStatus: 2,
    hint: "Give it at least the budget that it had, or begin a new run.",
  });
}

export function mismatch(why: string): SeqqaError {
  return new SeqqaError("RESUME_MISMATCH", `The stored run does not belong to this exploration: ${why}.`, {
    exitStatus: 2,
    hint: "It is of another exploration, or is damaged: begin a new run.",
  });
}
