/** Number of nodes in a page. */
const PAGE = 1 << 15;
/** Initial size of a page, as a number of nodes. The page doubles until it has {@link PAGE} nodes. */
const LEAST = 1 << 6;

/**
 * A queue of nodes that grows at the end and is cut off at the front. A waiting node takes 4 bytes. Places are counted from the first node that was
 * ever in the queue, and do not change.
 */
export class NodeQueue {
  readonly #pages: Int32Array[] = [];
  /** Number of pages that were cut off at the front. */
  #cut = 0;
  #end = 0;

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

  /** Frees the pages before a place in the queue. Nodes before this place must not be read afterwards. */
  cut(place: number): void {
    while ((this.#cut + 1) * PAGE <= place) {
      this.#pages.shift();
      this.#cut++;
    }
  }
}
