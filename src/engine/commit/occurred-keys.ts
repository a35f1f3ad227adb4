import type { LaneReport } from "../../messages/lane-messages.ts";

/** Largest number of context keys that are kept, for suggesting a similar key. A context may have one key for each created object. */
const MOST_NAMES = 200;

/**
 * Records which context keys and `ignore` patterns occur in committed states. Other states are not considered, so the result is equal for every
 * number of lanes.
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

  /** Returns the names that lanes need not report again. `undefined` if every pattern has occurred, so that lanes need not report names at all. */
  get asked(): readonly string[] | undefined {
    return this.#asked;
  }

  /** Returns the `ignore` patterns that match nothing in any committed state. */
  get missing(): readonly string[] {
    return this.#patterns.filter((pattern) => !this.#names.has(pattern));
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }
}
