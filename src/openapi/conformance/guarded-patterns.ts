import { quoted } from "../problem.ts";
import { within } from "./time-limit.ts";

/**
 * Guards patterns of a schema that may take endless time. Under the guard, a pattern that takes too long for a value counts as a match, is not tried
 * again for that value, and is reported. Nothing of it outlives the guard: the verdict on a body must not depend on the bodies before it.
 */
export class GuardedPatterns {
  readonly #longest: number;
  /** The values that each pattern takes too long for; `undefined` without a guard. */
  #slow: Map<RegExp, Set<string>> | undefined;
  #first: RegExp | undefined;

  /** @param longest Milliseconds that one pattern may take for one value. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the pattern in the form that a validator uses. */
  guarded(pattern: RegExp): RegExp {
    return Object.assign(pattern, { test: (text: string): boolean => this.#test(pattern, text) });
  }

  /** Guards patterns until the call returns. */
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

  /** Returns the reason why something was not judged under the guard so far; `undefined` if everything was. */
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
