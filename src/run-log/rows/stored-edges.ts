import type { Database } from "better-sqlite3";
import { commitRows, type CommitRow } from "../../engine/commit/commit-rows.ts";
import { SKIPPED } from "../../messages/lane-messages.ts";
import { batchReader } from "../write/commit-batches.ts";

interface Span {
  /** The number of the batch's first edge. */
  readonly first: number;
  readonly from: readonly [lowest: number, highest: number];
  readonly to: readonly [lowest: number, highest: number];
}

type Visit = (edge: number, row: CommitRow) => void;

/**
 * The executed edges of an exploration. They may not fit into memory, so they are read from the run log batch by batch. The first pass records each
 * batch's node ranges. Later passes skip batches outside the wanted ranges.
 */
export class StoredEdges {
  readonly #batches: ReturnType<typeof batchReader>;
  readonly #spans: Span[] = [];
  /** The number of edges. Valid after {@link all}. */
  size = 0;

  constructor(db: Database, exploration: number) {
    this.#batches = batchReader(db, exploration);
  }

  /**
   * Visits all edges in order, and records the ranges of the batches. The same row object is passed each time. @throws TypeError, RangeError if
   * batches are incomplete
   */
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

  /** Visits the edges of the batches for which `isWanted` returns `true`. Call {@link all} first. */
  some(isWanted: (span: Pick<Span, "from" | "to">) => boolean, visit: Visit): void {
    this.#spans.forEach((span, index) => {
      if (!isWanted(span)) return;
      let edge = span.first;
      for (const row of commitRows(this.#batches.batch(index))) if ((row.bits & 0xff) !== SKIPPED) visit(edge++, row);
    });
  }
}

/** Returns `true` if a node lies in a range. Both bounds are inclusive. */
export const within = (node: number, [lowest, highest]: readonly [number, number]): boolean => node >= lowest && node <= highest;
