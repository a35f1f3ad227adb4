/** A set of node numbers below a fixed limit, with one bit for each number. */
export class NodeSet implements Iterable<number> {
  readonly #bits: Uint32Array;
  #size = 0;

  constructor(nodes: number) {
    this.#bits = new Uint32Array(Math.ceil(nodes / 32));
  }

  get size(): number {
    return this.#size;
  }

  has(node: number): boolean {
    return (this.#bits[node >>> 5]! & (1 << (node & 31))) !== 0;
  }

  add(node: number): void {
    if (this.has(node)) return;
    this.#bits[node >>> 5]! |= 1 << (node & 31);
    this.#size++;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let word = 0; word < this.#bits.length; word++) {
      if (this.#bits[word] === 0) continue;
      for (let bit = 0; bit < 32; bit++) if ((this.#bits[word]! & (1 << bit)) !== 0) yield word * 32 + bit;
    }
  }
}
