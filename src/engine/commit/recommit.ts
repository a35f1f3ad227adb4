import { SeqqaError } from "../../model/errors.ts";
import type { Divergence, RecordedExchange, StopReason } from "../../model/results/result.ts";
import type { ReorderBuffer } from "../search/reorder-buffer.ts";
import type { DoneCheck, JournalEvent } from "./commit-journal.ts";
import { commitRows, laneRow, type CommitRow } from "./commit-rows.ts";
import type { Committer } from "./committer.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import type { StepEvent } from "../../messages/lane-messages.ts";
import type { Frontier } from "../frontiers/index.ts";

/** What an exploration committed before it was ended, as it was written down. */
export interface Recorded {
  /** How many batches of rows there are. */
  readonly batches: number;
  /** As in commit-rows.ts. */
  batch(index: number): Int32Array;
  /** Fingerprints, by node. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  /** What a row's news say. */
  news(id: number): JournalEvent;
  /** What the last step of a finding sent, as far as it was kept. */
  sentFor(found: FoundViolation): readonly RecordedExchange[];
  /** Whether a sampled node was expanded once more and compared, or need not be. */
  wasChecked(check: DoneCheck): boolean;
  /** Of all of it. */
  readonly digest: string;
  readonly divergences: readonly Divergence[];
  readonly replayed: number;
  readonly crossChecked: number;
  /** Characters of what reports show of single edges and states. */
  readonly characters: number;
}

/** The engine, as far as it commits. */
export interface Recommitting {
  readonly committer: Committer;
  readonly order: Frontier;
  readonly reorderBuffer: ReorderBuffer;
  /** Commits what is next and known. */
  readonly commit: () => void;
  /** Why the exploration is over, once it is. */
  readonly stopReason: () => StopReason | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds after which everything else in this thread gets a turn. */
const TURN_MS = 100;

/**
 * Commits once more, in order, what an exploration committed before it was ended. What is committed is a function of the strategy and of the outcomes, so
 * each row must be of the very pair that the strategy asks for, and the end have the digest on record: else it is not this exploration's.
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
  if (digest !== recorded.digest) throw mismatch(`its digest is ${digest}, and ${recorded.digest} is on record`);
  // They are in the store as they are now: those that get a shorter path from here on are to be written once more.
  committer.nodes.written = recorded.lo.length;
  for (const found of committer.findings.violations.values()) {
    if (found.news !== undefined) found.news = { ...found.news, exchanges: recorded.sentFor(found) };
  }
}

/** @throws SeqqaError `RESUME_MISMATCH` where a batch is cut off */
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
  // What is another shard's is passed over.
  commit();
  refuseBeyond(stopReason(), committer.steps);
  if (!order.peek() || order.ref !== from || order.action !== action) {
    throw mismatch(`action ${action} of state ${from} is on record where another one comes next`);
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
  throw beyondBudget(`The run went on beyond where it would end now, after ${steps} steps (${reason}).`);
}

/** What is committed cannot be taken back. */
export function beyondBudget(message: string): SeqqaError {
  return new SeqqaError("RESUME_BUDGET", message, {
    exitStatus: 2,
    hint: "Give it at least the budget that it had, or begin a new run.",
  });
}

export function mismatch(why: string): SeqqaError {
  return new SeqqaError("RESUME_MISMATCH", `What the store holds is not this exploration: ${why}.`, {
    exitStatus: 2,
    hint: "It was made by another exploration, or is damaged: begin a new run.",
  });
}
