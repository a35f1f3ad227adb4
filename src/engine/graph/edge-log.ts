import type { Spill } from "./spill.ts";

const CLEAN = 1;
const FOUND = 2;

/** Edges of a block. */
const BLOCK = 1 << 16;
/** 13 bytes each. */
const BYTES = BLOCK * 13;
/** Edges of the first block in the beginning; it doubles until it is whole. */
const LEAST = 1 << 12;
/** Full blocks that stay in memory where there is a spill: a million edges. */
const KEPT = 16;

/** One edge. */
export interface Edge {
  readonly from: number;
  readonly action: number;
  /** -1: the outcome has no state. */
  readonly to: number;
  readonly status: number;
  /** It can be followed. */
  readonly clean: boolean;
  /** A finding is on it. */
  readonly found: boolean;
}

/**
 * Every committed (state, action) pair that was executed, in the order of its commit: 13 bytes each, in blocks. With a spill only the first million and
 * the last block are in memory; what lies between is read from there again, a block at a time.
 */
export class EdgeLog {
  /** Full blocks: themselves, or where they are. */
  readonly #blocks: (Block | number)[] = [];
  #kept = 0;
  readonly #spill: Spill | undefined;
  #last: Block = new Block(LEAST);
  #size = 0;
  /** The block that was read last. */
  #read: { readonly index: number; readonly block: Block } | undefined;

  constructor(spill?: Spill) {
    this.#spill = spill;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return (this.#kept + (this.#read === undefined ? 0 : 1)) * BYTES + this.#last.bytes.byteLength;
  }

  /** `to` is -1 where the outcome has no state; `clean`: it can be followed; `found`: a finding is on it. */
  add(from: number, action: number, to: number, status: number, clean: boolean, found: boolean = false): void {
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

  /** One of them. */
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

  /** Looks at all of them in their order, without having them in memory. */
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

  /** 1: a finding is on it. */
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

  /** The last block is full. */
  #putAway(): void {
    const place = this.#kept < KEPT ? undefined : this.#written(this.#last);
    if (place === undefined) {
      this.#kept++;
      this.#blocks.push(this.#last);
      this.#last = new Block(BLOCK);
    } else this.#blocks.push(place);
  }

  /** A disk that is full costs memory. */
  #written({ bytes }: Block): number | undefined {
    try {
      return this.#spill?.write(bytes);
    } catch {
      return undefined;
    }
  }
}

/** Columns of edges in one piece of memory. */
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
