import type { TestData } from "../../model/context/test-data.ts";

/**
 * For each step of a path: another path from which the step's test data is computed. `undefined`: the data is computed from the path itself. See
 * `UnitRequest.draws`.
 */
export type Draws = readonly (readonly number[])[] | undefined;

/**
 * Provides `context.data`, the random test data of user code. Each step, and each check after a step, has its own seed. The seed is computed from the
 * agent's seed, the names of the actions so far, and the name of the check. The seed does not depend on the lane, on time, or on other test data. The
 * test data factory is only created when user code first uses it.
 */
export class Drawing {
  /** The instance in this thread that has most recently selected a step. */
  static last: Drawing | undefined;
  /** `true` if user code has drawn test data since this member was last set to `false`. */
  wasUsed = false;
  readonly #names: readonly string[];
  readonly #seed: number;
  readonly #create: (seed: string) => TestData;
  #path: readonly number[] = [];
  #length = 0;
  #action = -1;
  #draws: Draws;
  #by = "";
  #data: TestData | undefined;

  constructor(names: readonly string[], seed: number, create: (seed: string) => TestData) {
    this.#names = names;
    this.#seed = seed;
    this.#create = create;
  }

  /** Returns a new instance that draws the same test data as another instance. */
  static like(other: Drawing): Drawing {
    return new Drawing(other.#names, other.#seed, other.#create);
  }

  /** Selects the test data for code that runs in the root state, before any action. `by`: the name of this code. */
  root(by: string): void {
    this.at([], 0, -1);
    this.by(by);
  }

  /** Selects the test data for a step: the action with index `action`, executed after the first `length` actions of `path`. */
  at(path: readonly number[], length: number, action: number, draws?: Draws): void {
    this.#path = path;
    this.#length = length;
    this.#action = action;
    this.#draws = draws;
    this.by("");
  }

  /** The name of the check for which test data is drawn. Empty if it is drawn for the action itself. */
  get drawer(): string {
    return this.#by;
  }

  /** Selects the test data for a check with the given name, or for the action itself if the name is empty. */
  by(check: string): void {
    this.#by = check;
    this.#data = undefined;
    Drawing.last = this;
  }

  /** The current step as text for messages: the path (`create_order -> pay_order`), followed by the name of the check if there is one. */
  get place(): string {
    const steps = [...this.#path.slice(0, this.#length), ...(this.#action < 0 ? [] : [this.#action])].map((action) => this.#names[action]);
    return [steps.join(" -> "), this.#by].filter((part) => part !== "").join("; ");
  }

  readonly source = (): TestData => {
    this.wasUsed = true;
    return (this.#data ??= this.#create(this.#key()));
  };

  #key(): string {
    const path = this.#draws?.[this.#length] ?? this.#path.slice(0, this.#length);
    const steps = this.#action < 0 ? path : [...path, this.#action];
    return JSON.stringify([this.#seed, steps.map((action) => this.#names[action]), this.#by]);
  }
}
