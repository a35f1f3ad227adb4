/** Nodes of a page. */
const PAGE = 1 << 15;
/** Room of the first page in the beginning; a page doubles until it is whole. */
const LEAST = 1 << 6;

/** A queue of nodes that is only appended to, and cut off in front: 4 bytes for each that waits, and nothing is moved. Places count from the first node that was ever in it. */
export class NodeQueue {
  readonly #pages: Int32Array[] = [];
  /** Pages that were cut off. */
  #cut = 0;
  #end = 0;

  /** The place after the last node. */
  get end(): number {
    return this.#end;
  }

  at(place: number): number {
    return this.#pages[Math.floor(place / PAGE) - this.#cut]![place % PAGE]!;
  }

  push(node: number): void {
    const index = Math.floor(this.#end / PAGE) - this.#cut;
    const at = this.#end++ % PAGE;
    let page = this.#pages[index];
    if (page === undefined) this.#pages[index] = page = new Int32Array(LEAST);
    else if (at === page.length) {
      const grown = new Int32Array(page.length * 2);
      grown.set(page);
      this.#pages[index] = page = grown;
    }
    page[at] = node;
  }

  /** What lies before a place is not asked for any more. */
  cut(place: number): void {
    while ((this.#cut + 1) * PAGE <= place) {
      this.#pages.shift();
      this.#cut++;
    }
  }
}
