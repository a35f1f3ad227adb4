import type { TestData } from "../../model/context/test-data.ts";

/** By which path each step of a path draws, where that is not the path itself; see {@link UnitRequest.draws}. */
export type Draws = readonly (readonly number[])[] | undefined;

/**
 * Where `context.data` draws from: a seed of its own for every step and for every check after it, made of the agent's seed, the names of
 * the actions that lead there, and who draws. Nothing of it depends on the lane, on time, or on what was drawn elsewhere. Saying where the
 * lane is costs a few assignments; a factory is made when somebody draws.
 */
export class Drawing {
  /** The lane of this thread that was told last where it is; beside spares of it, one of them. */
  static last: Drawing | undefined;
  /** Whether anybody drew since it was last set to `false`. */
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

  /** Draws the same, and is elsewhere. */
  static like(other: Drawing): Drawing {
    return new Drawing(other.#names, other.#seed, other.#create);
  }

  /** The lane is at the root, before any action; `by`: what draws there. */
  root(by: string): void {
    this.at([], 0, -1);
    this.by(by);
  }

  /** The next step is this action, behind the first `length` actions of the path. */
  at(path: readonly number[], length: number, action: number, draws?: Draws): void {
    this.#path = path;
    this.#length = length;
    this.#action = action;
    this.#draws = draws;
    this.by("");
  }

  /** The check that draws; empty for an action. */
  get drawer(): string {
    return this.#by;
  }

  /** From here on a check draws, or with an empty name the action, from its beginning. */
  by(check: string): void {
    this.#by = check;
    this.#data = undefined;
    Drawing.last = this;
  }

  /** Where the lane is, for people: `create_order -> pay_order`, behind it the check; empty before the first step, where only the check is said. */
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
