import type { TestData } from "../../model/context/test-data.ts";

/** For each step of a path: the path from which the step's data is drawn. `undefined`: the path itself. See `UnitRequest.draws`. */
export type Draws = readonly (readonly number[])[] | undefined;

/**
 * The source of `context.data`. Each step has its own seed, and so has each check after a step. The seed consists of the agent's seed, the names of
 * the actions so far, and the check's name. It does not depend on the lane, on time, or on other draws. Selecting a step is cheap: the test data
 * factory is only created when user code draws.
 */
export class Drawing {
  /** The instance whose step was selected last in this thread. */
  static last: Drawing | undefined;
  /** `true` if user code has drawn data since this field was set to `false`. */
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

  /** Returns an independent instance that draws the same data. */
  static like(other: Drawing): Drawing {
    return new Drawing(other.#names, other.#seed, other.#create);
  }

  /** Selects the root state, before any action, for the next draws. `by` names the code that draws. */
  root(by: string): void {
    this.at([], 0, -1);
    this.by(by);
  }

  /** Selects a step for the next draws: `action`, executed after the first `length` actions of `path`. */
  at(path: readonly number[], length: number, action: number, draws?: Draws): void {
    this.#path = path;
    this.#length = length;
    this.#action = action;
    this.#draws = draws;
    this.by("");
  }

  /** The name of the check that draws. Empty if the action draws. */
  get drawer(): string {
    return this.#by;
  }

  /** Selects the random sequence of the named check, or of the action if the name is empty. Draws start at its first value. */
  by(check: string): void {
    this.#by = check;
    this.#data = undefined;
    Drawing.last = this;
  }

  /** The current step for messages: the path (`create_order -> pay_order`), then the check. Before the first step: the check, or empty. */
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
