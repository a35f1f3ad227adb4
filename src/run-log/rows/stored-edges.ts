import type { Database } from "better-sqlite3";
import { commitRows, type CommitRow } from "../../engine/commit/commit-rows.ts";
import { KIND_BITS, SKIPPED } from "../../messages/lane-messages.ts";
import { batchReader } from "../write/commit-batches.ts";

interface Span {
  /** The number of the first edge in this batch of commits. */
  readonly first: number;
  readonly from: readonly [lowest: number, highest: number];
  readonly to: readonly [lowest: number, highest: number];
}

type Visit = (edge: number, row: CommitRow) => void;

/**
 * The stored edges of an exploration. All edges together may be too large for memory, so they are read from the run log batch by batch. The first
 * pass records for each batch the ranges of the nodes at which its edges start and end. Later passes skip batches without edges at the wanted nodes.
 */
export class StoredEdges {
  readonly #batches: ReturnType<typeof batchReader>;
  readonly #spans: Span[] = [];
  /** The number of edges. Known after the first pass, {@link all}. */
  size = 0;

  constructor(db: Database, exploration: number) {
    this.#batches = batchReader(db, exploration);
  }

  /**
   * Calls `visit` for each edge in order, and records the node ranges of all batches. The same row object is passed each time.
   * @throws DamagedRun if batches are incomplete
   */
  all(visit: Visit): void {
    for (let index = 0; index < this.#batches.batches; index++) {
      const first = this.size;
      let [low, high, lowTo, highTo] = [Infinity, -1, Infinity, -1];
      for (const row of commitRows(this.#batches.batch(index))) {
        if ((row.bits & KIND_BITS) === SKIPPED) continue;
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

  /** Calls `visit` for the edges of each batch whose node ranges `isWanted` accepts. Call {@link all} first. */
  some(isWanted: (span: Pick<Span, "from" | "to">) => boolean, visit: Visit): void {
    this.#spans.forEach((span, index) => {
      if (!isWanted(span)) return;
      let edge = span.first;
      for (const row of commitRows(this.#batches.batch(index))) if ((row.bits & KIND_BITS) !== SKIPPED) visit(edge++, row);
    });
  }
}

export const within = (node: number, [lowest, highest]: readonly [number, number]): boolean => node >= lowest && node <= highest;
