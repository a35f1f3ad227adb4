import type { LaneReport } from "../../messages/lane-messages.ts";

/** Keys that are kept to find the nearest one: a context may have a key for each thing that was made. */
const MOST_NAMES = 200;

/** The keys of the context and the patterns of `ignore` that committed states have, so that every number of lanes says the same. */
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

  /** Known already, to be sent to lanes; `undefined`: every pattern occurred, so nothing more is asked. */
  get asked(): readonly string[] | undefined {
    return this.#asked;
  }

  /** Patterns that name nothing in any committed state. */
  get missing(): readonly string[] {
    return this.#patterns.filter((pattern) => !this.#names.has(pattern));
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }
}
