import { Paged } from "../graph/paged.ts";
import type { Frontier } from "./frontier.ts";

/**
 * Expands the newest state first. A waiting state takes 4 bytes on a stack. All actions of a state are committed before its first successor is
 * expanded. A copy made by `fork` shares the stack and reads it from the top.
 */
export class DfsFrontier implements Frontier {
  readonly nodewise = true;
  ref = -1;
  action = 0;
  readonly #actions: number;
  readonly #stack: Paged<Int32Array>;
  /** Number of waiting states on the shared stack. */
  #height = 0;
  /** In a copy made by `fork`: the states that the copy has added above the shared stack. In all other frontiers: `undefined`. */
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
      // The list is only empty before the first action: the root state joined the frontier while no other state was being expanded.
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
