import type { Spill } from "./spill.ts";

const CLEAN = 1;
const FOUND = 2;

/** Number of edges in a block. */
const BLOCK = 1 << 16;
/** Size of a full block in bytes: 13 bytes per edge. */
const BYTES = BLOCK * 13;
/** Initial size of the first block, as a number of edges. The block doubles until it is full. */
const LEAST = 1 << 12;
/**
 * Number of full blocks, together a million edges, that stay in memory if there is a {@link Spill}. All other full blocks are written to the spill.
 */
const KEPT = 16;

export interface Edge {
  readonly from: number;
  readonly action: number;
  /** The reached node. -1 if no node was reached. */
  readonly to: number;
  readonly status: number;
  /** `true` if the search can continue along the edge, since it has no blocking violation. */
  readonly clean: boolean;
  readonly found: boolean;
}

/**
 * All executed steps in the order of commits, with 13 bytes for each step. With a {@link Spill}, only the first million edges and the last block stay
 * in memory. All other blocks are read back from the spill one at a time.
 */
export class EdgeLog {
  /** Full blocks. A number stands for a block in the {@link Spill}, and says at which place the block is stored. */
  readonly #blocks: (Block | number)[] = [];
  #kept = 0;
  readonly #spill: Spill | undefined;
  #last: Block = new Block(LEAST);
  #size = 0;
  #read: { readonly index: number; readonly block: Block } | undefined;

  constructor(spill?: Spill) {
    this.#spill = spill;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return (this.#kept + (this.#read === undefined ? 0 : 1)) * BYTES + this.#last.bytes.byteLength;
  }

  add({ from, action, to, status, clean, found }: Edge): void {
    const at = this.#size++ & (BLOCK - 1);
    if (at === 0 && this.#size > 1) this.#putAway();
    else if (at >= this.#last.room) this.#last = this.#last.doubled();
    const block = this.#last;
    block.from[at] = from;
    block.to[at] = to;
    block.action[at] = action;
    block.status[at] = status;
    block.flags[at] = (clean ? CLEAN : 0) | (found ? FOUND : 0);
  }

  at(edge: number): Edge {
    const block = this.#block(Math.floor(edge / BLOCK));
    const at = edge % BLOCK;
    const flags = block.flags[at]!;
    return {
      from: block.from[at]!,
      action: block.action[at]!,
      to: block.to[at]!,
      status: block.status[at]!,
      clean: (flags & CLEAN) !== 0,
      found: (flags & FOUND) !== 0,
    };
  }

  /** Calls `look` for every edge in the order of commits. Never holds more than one stored block in memory. */
  each(look: (from: number, action: number, to: number, clean: boolean, edge: number) => void): void {
    for (let first = 0; first < this.#size; first += BLOCK) {
      const { from, to, action, flags } = this.#block(first / BLOCK);
      const count = Math.min(BLOCK, this.#size - first);
      for (let at = 0; at < count; at++) look(from[at]!, action[at]!, to[at]!, (flags[at]! & CLEAN) !== 0, first + at);
    }
  }

  from(): Int32Array {
    return this.#column((block) => block.from);
  }

  to(): Int32Array {
    return this.#column((block) => block.to);
  }

  actions(): Int32Array {
    return this.#column((block) => block.action);
  }

  statuses(): Int32Array {
    return this.#column((block) => block.status);
  }

  /** Returns one number for each edge: 1 if the edge has a finding, otherwise 0. */
  found(): Int32Array {
    return this.#column((block) => block.flags).map((flags) => ((flags & FOUND) === 0 ? 0 : 1));
  }

  #column(of: (block: Block) => Int32Array | Uint16Array | Uint8Array): Int32Array {
    const column = new Int32Array(this.#size);
    for (let first = 0; first < this.#size; first += BLOCK)
      column.set(of(this.#block(first / BLOCK)).subarray(0, Math.min(BLOCK, this.#size - first)), first);
    return column;
  }

  #block(index: number): Block {
    const block = this.#blocks[index] ?? this.#last;
    if (typeof block !== "number") return block;
    if (this.#read?.index !== index) {
      const into = this.#read?.block ?? new Block(BLOCK);
      this.#read = undefined;
      this.#spill!.read(block, into.bytes);
      this.#read = { index, block: into };
    }
    return this.#read.block;
  }

  #putAway(): void {
    const place = this.#kept < KEPT ? undefined : this.#written(this.#last);
    if (place === undefined) {
      this.#kept++;
      this.#blocks.push(this.#last);
      this.#last = new Block(BLOCK);
    } else this.#blocks.push(place);
  }

  /**
   * Writes a block to the {@link Spill} and returns the block's place. Returns `undefined` if writing fails, for example because the disk is full.
   * The block then stays in memory.
   */
  #written({ bytes }: Block): number | undefined {
    try {
      return this.#spill?.write(bytes);
    } catch {
      return undefined;
    }
  }
}

/** A block of edges. Its buffer holds one array for each property of an edge, such as the action. */
class Block {
  readonly room: number;
  readonly bytes: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly action: Uint16Array;
  readonly status: Uint16Array;
  readonly flags: Uint8Array;

  constructor(room: number) {
    const buffer = new ArrayBuffer(room * 13);
    this.room = room;
    this.bytes = new Uint8Array(buffer);
    this.from = new Int32Array(buffer, 0, room);
    this.to = new Int32Array(buffer, 4 * room, room);
    this.action = new Uint16Array(buffer, 8 * room, room);
    this.status = new Uint16Array(buffer, 10 * room, room);
    this.flags = new Uint8Array(buffer, 12 * room, room);
  }

  doubled(): Block {
    const grown = new Block(this.room * 2);
    grown.from.set(this.from);
    grown.to.set(this.to);
    grown.action.set(this.action);
    grown.status.set(this.status);
    grown.flags.set(this.flags);
    return grown;
  }
}
