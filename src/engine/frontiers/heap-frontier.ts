import type { Opened, Frontier } from "./frontier.ts";

interface Pair {
  readonly ref: number;
  readonly action: number;
}

/** A frontier that takes the next (state, action) pair from a heap. */
export abstract class HeapFrontier<Entry> implements Frontier {
  readonly nodewise = false;
  ref = -1;
  action = 0;
  protected readonly actions: number;
  protected readonly seed: number;
  /** The selected entry, which was removed from the heap and stays selected until {@link take}. */
  protected current: Entry | undefined;
  /** Number of states with actions that were not taken. */
  protected unfinished = 0;

  constructor(actions: number, seed: number, base?: HeapFrontier<Entry>) {
    this.actions = actions;
    this.seed = seed;
    if (base === undefined) return;
    this.current = base.current;
    this.unfinished = base.unfinished;
    this.ref = base.ref;
    this.action = base.action;
  }

  get size(): number {
    return this.unfinished;
  }

  peek(): boolean {
    this.current ??= this.next();
    if (this.current === undefined) return false;
    const { ref, action } = this.pairOf(this.current);
    this.ref = ref;
    this.action = action;
    return true;
  }

  protected abstract next(): Entry | undefined;
  protected abstract pairOf(entry: Entry): Pair;
  abstract open(ref: number, opened: Opened): void;
  abstract take(): void;
  abstract fork(): Frontier;
  abstract waiting(): Iterable<number>;
}
