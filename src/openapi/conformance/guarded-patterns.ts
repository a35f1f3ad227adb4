import { quoted } from "../problem.ts";
import { within } from "./time-limit.ts";

/**
 * Patterns of a schema that may take time without end. While they are guarded, one that takes too long for a value matches it, is not asked about that value again, and that is said. Nothing of it
 * outlives the guard: what a body comes to must not hang on those before it.
 */
export class GuardedPatterns {
  readonly #longest: number;
  /** By pattern, the values that it takes too long for; `undefined`: they are not guarded. */
  #slow: Map<RegExp, Set<string>> | undefined;
  #first: RegExp | undefined;

  /** @param longest Milliseconds that one pattern may take for one value. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** As a validator uses it. */
  guarded(pattern: RegExp): RegExp {
    return Object.assign(pattern, { test: (text: string): boolean => this.#test(pattern, text) });
  }

  /** Patterns are guarded until the call returns. */
  guard<T>(call: () => T): T {
    this.#slow = new Map();
    this.#first = undefined;
    try {
      return call();
    } finally {
      this.#slow = undefined;
      this.#first = undefined;
    }
  }

  /** What is not judged under the guard, up to here; `undefined`: nothing. */
  why(): string | undefined {
    return this.#first && `the pattern ${quoted(this.#first.source)} takes more than ${this.#longest / 1000} seconds`;
  }

  #test(pattern: RegExp, text: string): boolean {
    const matches = (): boolean => RegExp.prototype.test.call(pattern, text);
    if (this.#slow === undefined) return matches();
    let slow = this.#slow.get(pattern);
    if (slow?.has(text) === true) return true;
    const found = within(this.#longest, () => ({ matches: matches() }));
    if (found !== undefined) return found.matches;
    if (slow === undefined) this.#slow.set(pattern, (slow = new Set()));
    slow.add(text);
    this.#first ??= pattern;
    return true;
  }
}
