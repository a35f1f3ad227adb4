import { NodeQueue } from "./node-queue.ts";
import type { Frontier, FrontierQueue } from "./frontier.ts";

/**
 * Expands states in the order in which they joined the frontier. A copy made by `fork` shares the queue up to its present end, and stores the states
 * that join the copy. Sharing is possible because states are only appended.
 */
export class BfsFrontier implements Frontier, FrontierQueue {
  readonly nodewise = true;
  ref = -1;
  action = 0;
  readonly #actions: number;
  readonly #queue: NodeQueue;
  /** In a copy made by `fork`: the end of the shared part of the queue. In all other frontiers: `Infinity`. */
  readonly #sharedEnd: number;
  readonly #tail: number[] | undefined;
  #head = 0;

  constructor(actions: number, base?: BfsFrontier) {
    this.#actions = actions;
    this.#queue = base === undefined ? new NodeQueue() : base.#queue;
    this.#tail = base === undefined ? undefined : [];
    this.#sharedEnd = base === undefined ? Infinity : base.end;
    if (base !== undefined) {
      this.#head = base.#head;
      this.action = base.action;
    }
  }

  get queue(): FrontierQueue {
    return this;
  }

  get size(): number {
    return this.end - this.#head;
  }

  get head(): number {
    return this.#head;
  }

  get end(): number {
    return this.#tail === undefined ? this.#queue.end : this.#sharedEnd + this.#tail.length;
  }

  at(position: number): number {
    return position >= this.#sharedEnd ? this.#tail![position - this.#sharedEnd]! : this.#queue.at(position);
  }

  peek(): boolean {
    if (this.#head >= this.end) return false;
    this.ref = this.at(this.#head);
    return true;
  }

  open(ref: number): void {
    (this.#tail ?? this.#queue).push(ref);
  }

  take(): void {
    if (++this.action < this.#actions) return;
    this.action = 0;
    this.#head++;
    if (this.#tail === undefined) this.#queue.cut(this.#head);
  }

  fork(): BfsFrontier {
    return new BfsFrontier(this.#actions, this);
  }

  *waiting(): Iterable<number> {
    for (let position = this.#head; position < this.end; position++) yield this.at(position);
  }
}
