import type { CheckpointChoice, NoGate, Observed, StoreAdapter, StoreScope, StoreTraits } from "../../model/stores/store-adapter.ts";
import { copyPlain, samePlain } from "./plain-data.ts";

/**
 * A store that is a JavaScript value in this process, for APIs and models that run in memory. The value at {@link state} may be modified or replaced;
 * a restore brings back the saved value. The value can be anything that `structuredClone` accepts, except instances of classes with methods. seqqa is
 * fastest with plain objects and arrays in which only one reference leads to each object.
 */
export class MemoryAdapter<T = unknown> implements StoreAdapter {
  readonly name = "memory";
  readonly checkpoint: CheckpointChoice = { mode: "memory", why: "the store is a value in this process, and seqqa copies the value" };
  readonly traits: StoreTraits = { portable: true, commits: true, inMemory: true };
  /** The current value. Read it again after every step, because a restore replaces it. */
  state: T;

  constructor(options: { readonly state: T }) {
    this.state = options.state;
  }

  open(_scope: StoreScope): void {
    // A value in memory needs no connection.
  }

  root(): Observed {
    return this.observe();
  }

  mark(): T {
    return copyPlain(this.state);
  }

  changed(mark: unknown): boolean {
    return !samePlain(this.state, mark);
  }

  restore(mark: unknown): void {
    this.state = copyPlain(mark as T);
  }

  observe(): Observed {
    return { kind: "value", value: this.state, hasEntryOrder: true };
  }

  capture(): unknown {
    return copyPlain(this.state);
  }

  write(image: unknown): void {
    this.state = copyPlain(image as T);
  }

  gate(): NoGate {
    return { kind: "none", why: "the store is a value in this process, so seqqa cannot delay a write" };
  }

  dump(): string {
    return JSON.stringify(this.state, (_key, value: unknown) =>
      typeof value === "bigint" ? `${value}n` : value instanceof Map || value instanceof Set ? [value.constructor.name, ...value] : value,
    );
  }

  close(): void {
    // A value in memory has nothing to close.
  }
}
