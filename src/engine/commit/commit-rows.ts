/**
 * The stored format of committed rows: int32 values, one record after the other, in the order of commits. A record has
 * - the action in the low 16 bits; kind and flags in the high 16 bits, the highest of which is {@link SAME};
 * - without {@link SAME}: the node that the step starts from;
 * - unless the action was skipped: the status, with a second hash of the reached state in its high bits; the reached node (-1: none); the hash of
 *   the response; the hash of the shape;
 * - with step events: their id.
 *
 * The reached fingerprint is not stored: it is the fingerprint of the reached node.
 */
import { CHECK_SHIFT, KIND, NEWS, ROW, SHAPE, SKIPPED, STATUS } from "../../messages/lane-messages.ts";

/** Largest number of int32 values in a record. */
export const LONGEST = 7;
/** Flag: the record starts at the same node as the previous record in the batch. */
const SAME = 1 << 15;
/** The bits of {@link KIND} that hold the second hash of the reached state. */
const CHECKS = -1 << CHECK_SHIFT;
/** Offset of the response's hash in a lane's row. */
const RESPONSE = 4;

export interface CommitRow {
  from: number;
  action: number;
  /** The kind in the low byte and flags in the second byte, as in {@link KIND}. */
  bits: number;
  status: number;
  to: number;
  response: number;
  shape: number;
  /** The id of the step events, or -1. */
  news: number;
  /** A second hash of the reached state (16 bits), or 0 without one. */
  check: number;
}

export interface CommitEdge {
  readonly from: number;
  readonly action: number;
  /** The reached node, or -1. */
  readonly to: number;
  /** The lane's rows. The step's row begins at index `at`. */
  readonly rows: Int32Array;
  readonly at: number;
}

/**
 * Writes the record of a committed row, and returns the offset after the record. `news`: the id of the step events, or -1. `before`: the node at
 * which the previous record of the batch starts, or -1.
 */
export function writeCommit(into: Int32Array, place: number, edge: CommitEdge, news: number, before: number): number {
  const { from, action, to, rows, at } = edge;
  let next = place;
  const bits = (rows[at + KIND]! & 0xffff & ~NEWS) | (news < 0 ? 0 : NEWS);
  into[next++] = ((bits | (from === before ? SAME : 0)) << 16) | action;
  if (from !== before) into[next++] = from;
  if ((bits & 0xff) !== SKIPPED) {
    into[next++] = (rows[at + STATUS]! & 0xffff) | (rows[at + KIND]! & CHECKS);
    into[next++] = to;
    into[next++] = rows[at + RESPONSE]!;
    into[next++] = rows[at + SHAPE]!;
  }
  if (news >= 0) into[next++] = news;
  return next;
}

/** Reads the records of a batch. Yields the same object each time. @throws RangeError if the last record is incomplete */
export function* commitRows(batch: Int32Array): Iterable<CommitRow> {
  const row: CommitRow = { from: 0, action: 0, bits: 0, status: 0, to: -1, response: 0, shape: 0, news: -1, check: 0 };
  for (let at = 0; at < batch.length;) {
    const word = batch[at]!;
    row.action = word & 0xffff;
    row.bits = (word >>> 16) & ~SAME;
    const same = ((word >>> 16) & SAME) !== 0;
    const skipped = (row.bits & 0xff) === SKIPPED;
    const hasEvents = (row.bits & NEWS) !== 0;
    if (at + (same ? 1 : 2) + (skipped ? 0 : 4) + (hasEvents ? 1 : 0) > batch.length) throw new RangeError("a batch of commits is cut off");
    at++;
    if (!same) row.from = batch[at++]!;
    const outcome = skipped ? 0 : batch[at++]!;
    row.status = outcome & 0xffff;
    row.check = outcome >>> CHECK_SHIFT;
    row.to = skipped ? -1 : batch[at++]!;
    row.response = skipped ? 0 : batch[at++]!;
    row.shape = skipped ? 0 : batch[at++]!;
    row.news = hasEvents ? batch[at++]! : -1;
    yield row;
  }
}

export function laneRow({ bits, status, response, shape, check }: CommitRow, lo: number, hi: number): Int32Array {
  const row = new Int32Array(ROW);
  row.set([bits | (check << CHECK_SHIFT), status, lo, hi, response, shape]);
  return row;
}
