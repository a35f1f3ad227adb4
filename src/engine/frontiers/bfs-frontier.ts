import { NodeQueue } from "./node-queue.ts";
import type { Frontier, FrontierQueue } from "./frontier.ts";

/** First opened, first expanded. The queue is only appended to, so a fork shares it and keeps its own tail. */
export class BfsFrontier implements Frontier, FrontierQueue {
  readonly nodewise = true;
  ref = -1;
  action = 0;
  readonly #actions: number;
  readonly #queue: NodeQueue;
  /** The end of the shared queue for a fork. */
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

  /** Position of the node that is being committed. */
  get head(): number {
    return this.#head;
  }

  /** Position after the last opened node. */
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
