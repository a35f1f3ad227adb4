import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** As many reasons are told apart: a rule of the user's own may have one for each step. */
const MOST_REASONS = 1000;

/** What rules could not judge, by rule and reason, in the order of commits: the same for any number of lanes, and for a run that goes on. */
export class InconclusiveLog {
  /** How many times nothing was judged for a reason that is none of {@link reasons}. */
  others = 0;
  readonly #reasons: Map<string, InconclusiveEvent & { count: number }> = new Map();

  /** The first ones, with how many times each was said. */
  get reasons(): readonly (InconclusiveEvent & { readonly count: number })[] {
    return [...this.#reasons.values()];
  }

  add({ invariant, what }: InconclusiveEvent): void {
    const key = `${invariant}\n${what}`;
    const known = this.#reasons.get(key);
    if (known !== undefined) known.count++;
    else if (this.#reasons.size < MOST_REASONS) this.#reasons.set(key, { invariant, what, count: 1 });
    else this.others++;
  }
}
