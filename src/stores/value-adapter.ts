import type {
  Awaitable,
  Checkpoint,
  CheckpointChoice,
  NoGate,
  Observed,
  StoreAdapter,
  StoreScope,
  StoreTraits,
} from "../model/stores/store-adapter.ts";

/**
 * A store in this process whose whole state is one immutable value. A checkpoint is a reference to the value, and every change replaces the value.
 */
export abstract class ValueAdapter<S extends object> implements StoreAdapter {
  abstract readonly name: string;
  abstract readonly checkpoint: CheckpointChoice;
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly uses: string;
  readonly #noGate: string;
  #state: S;

  /** @param noGate The reason why the store has no gate, as text for users. */
  constructor(uses: string, noGate: string, state: S) {
    this.uses = uses;
    this.#noGate = noGate;
    this.#state = state;
  }

  abstract open(scope: StoreScope): Awaitable<void>;
  abstract observe(): Observed;
  abstract close(): Awaitable<void>;

  protected get state(): S {
    return this.#state;
  }

  protected replace(state: S): void {
    this.#state = state;
  }

  root(): Observed {
    return this.observe();
  }

  mark(): Checkpoint {
    return this.#state;
  }

  changed(mark: Checkpoint): boolean {
    return mark !== this.#state;
  }

  restore(mark: Checkpoint): void {
    if (mark !== this.#state) this.replace(mark as S);
  }

  capture(): unknown {
    return this.#state;
  }

  captureWhole(): unknown {
    return this.#state;
  }

  write(image: unknown): void {
    this.replace(image as S);
  }

  gate(): NoGate {
    return { kind: "none", why: this.#noGate };
  }

  dump(): string {
    return JSON.stringify(this.#state);
  }
}
