import type { LaneReport } from "../../messages/lane-messages.ts";

/**
 * Largest number of context keys that are kept to suggest a similar key. A context may have one key for each created object, so there may be many
 * keys.
 */
const MOST_NAMES = 200;

/**
 * Records which context keys and `ignore` patterns occur in committed states. Uncommitted states are ignored, so the result is equal for every number
 * of lanes.
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

  /**
   * Returns the context keys and patterns that lanes need not report again. Returns `undefined` if every pattern has occurred, so that lanes need not
   * report anything.
   */
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
