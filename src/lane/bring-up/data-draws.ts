import type { TestData } from "../../model/context/test-data.ts";

/** The path whose draws each step of a path repeats, where that is not the path itself; see {@link UnitRequest.draws}. */
export type Draws = readonly (readonly number[])[] | undefined;

/**
 * The source of `context.data`. Every step and every check after it has a seed of its own, made of the agent's seed, the names of the actions that
 * lead there, and who draws. It does not depend on the lane, on time, or on other draws. Setting the place costs a few assignments; a factory is only
 * made when user code draws.
 */
export class Drawing {
  /** The lane or spare of this thread whose place was set last. */
  static last: Drawing | undefined;
  /** `true` if user code drew since it was last set to `false`. */
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

  /** Returns a source that draws the same, with a place of its own. */
  static like(other: Drawing): Drawing {
    return new Drawing(other.#names, other.#seed, other.#create);
  }

  /** Sets the place to the root state, before any action. `by` names who draws there. */
  root(by: string): void {
    this.at([], 0, -1);
    this.by(by);
  }

  /** Sets the place to a step: this action, after the first `length` actions of the path. */
  at(path: readonly number[], length: number, action: number, draws?: Draws): void {
    this.#path = path;
    this.#length = length;
    this.#action = action;
    this.#draws = draws;
    this.by("");
  }

  /** The check that draws; empty if it is an action. */
  get drawer(): string {
    return this.#by;
  }

  /** From here on, random test data is drawn from the sequence of the named check, from its first value on. An empty name selects the action's sequence. */
  by(check: string): void {
    this.#by = check;
    this.#data = undefined;
    Drawing.last = this;
  }

  /** The lane's place, for people: `create_order -> pay_order`, then the check. Before the first step it is only the check, or empty. */
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
