/**
 * How committed rows are written down: int32 values, one record after the other, in the order of commits. A record is
 * - its action in the low 16 bits, beside its kind and flags in the high ones, the highest of which is {@link SAME};
 * - unless that is set, the node that it leaves;
 * - unless it was skipped: status, in its high bits another hash of the state that is reached, the node that is reached (-1: none), the hash of the response and that of the shape;
 * - where it has news: their number.
 *
 * The fingerprint reached is that of the node.
 */
import { CHECK_SHIFT, KIND, NEWS, ROW, SHAPE, SKIPPED, STATUS } from "../../messages/lane-messages.ts";

/** Int32 values of a record at most. */
export const LONGEST = 7;
/** The record leaves the node that the one before it in the batch leaves. */
const SAME = 1 << 15;
/** The part of {@link KIND} that is another hash of the state. */
const CHECKS = -1 << CHECK_SHIFT;
/** Place of the hash of the response in a row of a lane. */
const RESPONSE = 4;

/** One record, taken apart. */
export interface CommitRow {
  from: number;
  action: number;
  /** As in {@link KIND}: the kind in the low byte, flags in the second. */
  bits: number;
  status: number;
  to: number;
  response: number;
  shape: number;
  /** -1: none. */
  news: number;
  /** Another hash of the state reached, 16 bits; 0: there is none. */
  check: number;
}

/** Writes the record of a committed row; the place after it. `before`: the node that the record before it in the batch leaves, -1: there is none. */
export function writeCommit(
  into: Int32Array,
  place: number,
  from: number,
  action: number,
  rows: Int32Array,
  at: number,
  to: number,
  news: number,
  before: number,
): number {
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

/** Reads the records of a batch; the row that is given is the same each time. @throws RangeError where the last one is cut off */
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

/** The row as a lane sent it. */
export function laneRow({ bits, status, response, shape, check }: CommitRow, lo: number, hi: number): Int32Array {
  const row = new Int32Array(ROW);
  row.set([bits | (check << CHECK_SHIFT), status, lo, hi, response, shape]);
  return row;
}
