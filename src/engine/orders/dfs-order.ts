import type { Order } from "./order.ts";

interface Frame {
  readonly ref: number;
  readonly below: Frame | undefined;
}

/** Newest first: a stack as a linked list, which a fork shares. All actions of a node are committed before its first child is entered. */
export class DfsOrder implements Order {
  readonly nodewise = true;
  ref = -1;
  action = 0;
  readonly #actions: number;
  #top: Frame | undefined;
  #size = 0;
  #children: number[] = [];

  constructor(actions: number, base?: DfsOrder) {
    this.#actions = actions;
    if (base === undefined) return;
    this.#top = base.#top;
    this.#size = base.#size;
    this.#children = [...base.#children];
    this.action = base.action;
  }

  get size(): number {
    return this.#size + this.#children.length;
  }

  peek(): boolean {
    if (this.#top === undefined) {
      // Only before the root: what was opened while nothing was being committed.
      if (this.#children.length === 0) return false;
      this.#enter();
    }
    this.ref = this.#top!.ref;
    return true;
  }

  open(ref: number): void {
    this.#children.push(ref);
  }

  take(): void {
    if (++this.action < this.#actions) return;
    this.action = 0;
    this.#top = this.#top!.below;
    this.#size--;
    this.#enter();
  }

  fork(): DfsOrder {
    return new DfsOrder(this.#actions, this);
  }

  *waiting(): Iterable<number> {
    yield* this.#children;
    for (let frame = this.#top; frame !== undefined; frame = frame.below) yield frame.ref;
  }

  #enter(): void {
    for (let i = this.#children.length - 1; i >= 0; i--) {
      this.#top = { ref: this.#children[i]!, below: this.#top };
      this.#size++;
    }
    this.#children = [];
  }
}
