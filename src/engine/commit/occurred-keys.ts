import type { LaneReport } from "../../messages/lane-messages.ts";

/** Largest number of names that are kept for suggesting a similar name. A context may have one key for each object that was created. */
const MOST_NAMES = 200;

/**
 * The context keys and `ignore` patterns that occur in committed states. Other states do not count, so the result is equal for every number of lanes.
 */
export class Occurred {
  #patterns: readonly string[] = [];
  readonly #names: Set<string> = new Set();
  #asked: readonly string[] | undefined;

  root({ ignored }: LaneReport): void {
    if (ignored === undefined) return;
    this.#patterns = ignored.patterns;
    this.add(ignored.occurred);
  }

  add(names: readonly string[]): void {
    const before = this.#names.size;
    for (const name of names) if (before < MOST_NAMES || this.#patterns.includes(name)) this.#names.add(name);
    if (this.#names.size === before && this.#asked !== undefined) return;
    this.#asked = this.missing.length === 0 ? undefined : [...this.#names];
  }

  /** The known names, to be sent to lanes. `undefined` if every pattern has occurred, so that lanes need not search. */
  get asked(): readonly string[] | undefined {
    return this.#asked;
  }

  /** Patterns that match nothing in any committed state. */
  get missing(): readonly string[] {
    return this.#patterns.filter((pattern) => !this.#names.has(pattern));
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }
}
