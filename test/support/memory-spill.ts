import type { Spill } from "../../src/engine/graph/spill.ts";

/** A spill in memory. A test can make it full. */
export class MemorySpill implements Spill {
  readonly pieces: Map<number, Uint8Array> = new Map();
  full = false;
  reads = 0;
  #next = 0;

  write(bytes: Uint8Array): number {
    if (this.full) throw new Error("no space left");
    const place = this.#next;
    this.#next += bytes.length;
    this.pieces.set(place, bytes.slice());
    return place;
  }

  read(place: number, into: Uint8Array): void {
    this.reads++;
    const bytes = this.pieces.get(place);
    if (bytes === undefined) throw new Error("nothing is there");
    into.set(bytes.subarray(0, into.length));
  }

  free(place: number, length: number): void {
    if (this.pieces.get(place)?.length !== length) throw new Error("nothing of that length is there");
    this.pieces.delete(place);
  }
}
