/**
 * The format in which committed outcomes are stored: int32 values, one record after the other, in the order of commits. A record consists of
 * - the action in the low 16 bits; kind and flags in the high 16 bits, the highest of which is {@link SAME};
 * - the node in which the action was executed, only without {@link SAME};
 * - unless the action was skipped: the status, with a second hash of the reached state in its high bits; the reached node (-1 if there is none); the
 * hash of the response; the hash of the state's shape (its structure);
 * - the id of the step events, only if there are any.
 *
 * The fingerprint of the reached state is not stored here, because it is stored with the reached node.
 */
import { KIND_BITS, CHECK_SHIFT, KIND, NEWS, ROW, SHAPE, SKIPPED, STATUS } from "../../messages/lane-messages.ts";
import { ForeignCommits } from "./damaged-run.ts";

/** Largest number of int32 values that one record takes. */
export const LONGEST = 7;
/** Flag: the action was executed in the same node as the action of the previous record in the batch. */
const SAME = 1 << 15;
/** The bits of the value at {@link KIND} in which a lane's row holds a second hash of the reached state. */
const CHECKS = -1 << CHECK_SHIFT;
/** Index of the response's hash in a lane's row. */
const RESPONSE = 4;

export interface CommitRow {
  from: number;
  action: number;
  /** The kind of outcome in the low byte and flags in the second byte, as in the value at {@link KIND} of a lane's row. */
  bits: number;
  status: number;
  to: number;
  response: number;
  shape: number;
  /** The id of the step events in the run log. -1 if there are none. */
  stepEvents: number;
  /** A second hash of the reached state (16 bits). 0 if the lane sent none. */
  check: number;
}

export interface CommitEdge {
  readonly from: number;
  readonly action: number;
  /** The reached node. -1 if no node was reached. */
  readonly to: number;
  /** Rows that a lane sent. The row of this step begins at index `at`. */
  readonly rows: Int32Array;
  readonly at: number;
}

/**
 * Writes one record, and returns the index after it. `stepEvents`: the id of the step events, or -1 if there are none. `before`: the node in which
 * the action of the previous record in the batch was executed, or -1 for the first record.
 */
export function writeCommit(into: Int32Array, place: number, edge: CommitEdge, stepEvents: number, before: number): number {
  const { from, action, to, rows, at } = edge;
  let next = place;
  const bits = (rows[at + KIND]! & 0xffff & ~NEWS) | (stepEvents < 0 ? 0 : NEWS);
  into[next++] = ((bits | (from === before ? SAME : 0)) << 16) | action;
  if (from !== before) into[next++] = from;
  if ((bits & KIND_BITS) !== SKIPPED) {
    into[next++] = (rows[at + STATUS]! & 0xffff) | (rows[at + KIND]! & CHECKS);
    into[next++] = to;
    into[next++] = rows[at + RESPONSE]!;
    into[next++] = rows[at + SHAPE]!;
  }
  if (stepEvents >= 0) into[next++] = stepEvents;
  return next;
}

/**
 * Reads the records of a batch. The iterator reuses one object for all records, so the caller must copy a record that it needs after the iteration.
 * @throws ForeignCommits if the last record is incomplete
 */
export function* commitRows(batch: Int32Array): Iterable<CommitRow> {
  const row: CommitRow = { from: 0, action: 0, bits: 0, status: 0, to: -1, response: 0, shape: 0, stepEvents: -1, check: 0 };
  for (let at = 0; at < batch.length;) {
    const word = batch[at]!;
    row.action = word & 0xffff;
    row.bits = (word >>> 16) & ~SAME;
    const same = ((word >>> 16) & SAME) !== 0;
    const skipped = (row.bits & KIND_BITS) === SKIPPED;
    const hasEvents = (row.bits & NEWS) !== 0;
    if (at + (same ? 1 : 2) + (skipped ? 0 : 4) + (hasEvents ? 1 : 0) > batch.length)
      throw new ForeignCommits("the list of results in the run log is cut off");
    at++;
    if (!same) row.from = batch[at++]!;
    const outcome = skipped ? 0 : batch[at++]!;
    row.status = outcome & 0xffff;
    row.check = outcome >>> CHECK_SHIFT;
    row.to = skipped ? -1 : batch[at++]!;
    row.response = skipped ? 0 : batch[at++]!;
    row.shape = skipped ? 0 : batch[at++]!;
    row.stepEvents = hasEvents ? batch[at++]! : -1;
    yield row;
  }
}

export function laneRow({ bits, status, response, shape, check }: CommitRow, lo: number, hi: number): Int32Array {
  const row = new Int32Array(ROW);
  row.set([bits | (check << CHECK_SHIFT), status, lo, hi, response, shape]);
  return row;
}
