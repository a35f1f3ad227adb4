import { ROW } from "../../messages/lane-messages.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";

const NOWHERE: Fingerprint = { lo: 0, hi: 0 };

/** Collects the rows of a chunk. */
export class RowWriter {
  #rows: Int32Array;
  #used = 0;

  constructor(rows: number) {
    this.#rows = new Int32Array(rows * ROW);
  }

  /** Adds a row. `reached`: the fingerprint of the state that the step led to. `response`, `shape`: their hashes; 0: none. */
  push(kind: number, status: number = 0, { lo, hi }: Fingerprint = NOWHERE, response: number = 0, shape: number = 0): void {
    if (this.#used + ROW > this.#rows.length) {
      const grown = new Int32Array(this.#rows.length * 2 + ROW);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    const rows = this.#rows;
    const at = this.#used;
    rows[at] = kind;
    rows[at + 1] = status;
    rows[at + 2] = lo;
    rows[at + 3] = hi;
    rows[at + 4] = response;
    rows[at + 5] = shape;
    this.#used = at + ROW;
  }

  finish(): Int32Array {
    return this.#used === this.#rows.length ? this.#rows : this.#rows.slice(0, this.#used);
  }
}
