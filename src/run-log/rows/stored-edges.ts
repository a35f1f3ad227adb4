import type { Database } from "better-sqlite3";
import { commitRows, type CommitRow } from "../../engine/commit/commit-rows.ts";
import { SKIPPED } from "../../messages/lane-messages.ts";
import { batchReader } from "../write/commit-batches.ts";

/** Between which nodes the edges of a batch lie. */
interface Span {
  /** The number of its first edge. */
  readonly first: number;
  readonly from: readonly [lowest: number, highest: number];
  readonly to: readonly [lowest: number, highest: number];
}

type Visit = (edge: number, row: CommitRow) => void;

/**
 * The executed rows of an exploration, read batch by batch from its store each time that they are asked for: all of them may be more than fits. Where the
 * edges of a batch lie is known once it was read, so that later passes read only those that they need.
 */
export class StoredEdges {
  readonly #batches: ReturnType<typeof batchReader>;
  readonly #spans: Span[] = [];
  /** How many there are, once they were all read. */
  size = 0;

  constructor(db: Database, exploration: number) {
    this.#batches = batchReader(db, exploration);
  }

  /** All edges in their order; the row that is given is the same each time. @throws TypeError, RangeError where the batches are not whole */
  all(visit: Visit): void {
    for (let index = 0; index < this.#batches.batches; index++) {
      const first = this.size;
      let [low, high, lowTo, highTo] = [Infinity, -1, Infinity, -1];
      for (const row of commitRows(this.#batches.batch(index))) {
        if ((row.bits & 0xff) === SKIPPED) continue;
        const { from, to } = row;
        if (from < low) low = from;
        if (from > high) high = from;
        if (to >= 0 && to < lowTo) lowTo = to;
        if (to > highTo) highTo = to;
        visit(this.size++, row);
      }
      this.#spans.push({ first, from: [low, high], to: [lowTo, highTo] });
    }
  }

  /** Again, of the batches alone in which some may be wanted; that is asked before each. After {@link all}. */
  some(isWanted: (span: Pick<Span, "from" | "to">) => boolean, visit: Visit): void {
    this.#spans.forEach((span, index) => {
      if (!isWanted(span)) return;
      let edge = span.first;
      for (const row of commitRows(this.#batches.batch(index))) if ((row.bits & 0xff) !== SKIPPED) visit(edge++, row);
    });
  }
}

/** Whether a node lies in a span. */
export const within = (node: number, [lowest, highest]: readonly [number, number]): boolean => node >= lowest && node <= highest;
