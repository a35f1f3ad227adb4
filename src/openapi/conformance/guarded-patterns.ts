import { quoted } from "../problem.ts";
import { within } from "./time-limit.ts";

/** Milliseconds that one pattern may take for one value. */
const LONGEST = 200;

/** Values of a pattern that are known to take too long. */
const MOST_SLOW = 1000;

/**
 * Patterns of a schema that may take time without end. For a value for which one did it is not asked again: it matches that, and that is counted. Other values are
 * asked about all the same, since each lane meets them in another order, and all of them are to come to the same.
 */
export class GuardedPatterns {
  /** How many times a pattern was not asked. */
  missedBy = 0;
  #last = "";

  /** As a validator uses it. */
  guarded(pattern: RegExp): RegExp {
    const slow = new Set<string>();
    const test = (text: string): boolean => {
      const found = slow.has(text) ? undefined : within(LONGEST, () => ({ matches: RegExp.prototype.test.call(pattern, text) }));
      if (found !== undefined) return found.matches;
      if (slow.size >= MOST_SLOW) slow.clear();
      slow.add(text);
      this.missedBy++;
      this.#last = pattern.source;
      return true;
    };
    return Object.assign(pattern, { test });
  }

  /** What was not judged since then; `undefined`: nothing. */
  why(before: number): string | undefined {
    return this.missedBy === before ? undefined : `the pattern ${quoted(this.#last)} takes more than ${LONGEST / 1000} seconds`;
  }
}
