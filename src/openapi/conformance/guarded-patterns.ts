import { quoted } from "../problem.ts";
import { within } from "./time-limit.ts";

/** Milliseconds that one pattern may take for one value. */
const LONGEST = 200;

/** Patterns of a schema that may take time without end. One that did is not asked again: it matches everything, and that is counted. */
export class GuardedPatterns {
  /** How many times a pattern was not asked. */
  missedBy = 0;
  #last = "";

  /** As a validator uses it. */
  guarded(pattern: RegExp): RegExp {
    let tooLong = false;
    const test = (text: string): boolean => {
      const found = tooLong ? undefined : within(LONGEST, () => ({ matches: RegExp.prototype.test.call(pattern, text) }));
      if (found !== undefined) return found.matches;
      tooLong = true;
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
