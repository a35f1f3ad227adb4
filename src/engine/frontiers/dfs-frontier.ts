import { Paged } from "../graph/paged.ts";
import type { Frontier } from "./frontier.ts";

/**
 * Newest first: a stack of 4 bytes for each node that waits. A fork shares the stack and reads it from the top down. All actions of a node are
 * committed before its first child is entered.
 */
export class DfsFrontier implements Frontier {
  readonly nodewise = true;
  ref = -1;
  action = 0;
  readonly #actions: number;
  readonly #stack: Paged<Int32Array>;
  /** The number of nodes on the stack that wait. */
  #height = 0;
  /** In a fork: its own nodes on top of the shared stack. */
  readonly #own: number[] | undefined;
  #children: number[] = [];

  constructor(actions: number, base?: DfsFrontier) {
    this.#actions = actions;
    this.#stack = base === undefined ? new Paged(Int32Array) : base.#stack;
    if (base === undefined) return;
    this.#own = [];
    this.#height = base.#height;
    this.#children = [...base.#children];
    this.action = base.action;
  }

  get size(): number {
    return this.#waiting + this.#children.length;
  }

  peek(): boolean {
    if (this.#waiting === 0) {
      // Only before the root: nodes that were opened while nothing was being committed.
      if (this.#children.length === 0) return false;
      this.#enter();
    }
    this.ref = this.#own?.at(-1) ?? this.#stack.at(this.#height - 1);
    return true;
  }

  open(ref: number): void {
    this.#children.push(ref);
  }

  take(): void {
    if (++this.action < this.#actions) return;
    this.action = 0;
    if (this.#own?.pop() === undefined) this.#height--;
    this.#enter();
  }

  fork(): DfsFrontier {
    return new DfsFrontier(this.#actions, this);
  }

  *waiting(): Iterable<number> {
    yield* this.#children;
    yield* this.#own?.toReversed() ?? [];
    for (let place = this.#height - 1; place >= 0; place--) yield this.#stack.at(place);
  }

  /** The number of nodes on the stack. */
  get #waiting(): number {
    return this.#height + (this.#own?.length ?? 0);
  }

  #enter(): void {
    for (let i = this.#children.length - 1; i >= 0; i--) {
      if (this.#own === undefined) this.#stack.set(this.#height++, this.#children[i]!);
      else this.#own.push(this.#children[i]!);
    }
    this.#children = [];
  }
}
