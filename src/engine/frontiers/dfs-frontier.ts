import { Paged } from "../graph/paged.ts";
import type { Frontier } from "./frontier.ts";

/**
 * Expands the newest node first. A waiting node takes 4 bytes on a stack. A fork (a copy that looks ahead) shares the stack and reads it from the top
 * down. All actions of a node are committed before its first child is expanded.
 */
export class DfsFrontier implements Frontier {
  readonly nodewise = true;
  ref = -1;
  action = 0;
  readonly #actions: number;
  readonly #stack: Paged<Int32Array>;
  /** Number of waiting nodes on the shared stack. */
  #height = 0;
  /** In a fork: its own nodes above the shared stack. Otherwise `undefined`. */
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
      // Happens only before the first pair: the root state was opened while nothing was being committed.
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
