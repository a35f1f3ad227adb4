import type { UnjudgedNews } from "../../messages/lane-messages.ts";

/** As many reasons are told apart: a rule of the user's own may have one for each step. */
const MOST_REASONS = 1000;

/** What rules could not judge, by rule and reason, in the order of commits: the same for any number of lanes, and for a run that goes on. */
export class UnjudgedLog {
  /** How many times nothing was judged for a reason that is none of {@link reasons}. */
  others = 0;
  readonly #reasons: Map<string, UnjudgedNews & { count: number }> = new Map();

  /** The first ones, with how many times each was said. */
  get reasons(): readonly (UnjudgedNews & { readonly count: number })[] {
    return [...this.#reasons.values()];
  }

  add({ invariant, what }: UnjudgedNews): void {
    const key = `${invariant}\n${what}`;
    const known = this.#reasons.get(key);
    if (known !== undefined) known.count++;
    else if (this.#reasons.size < MOST_REASONS) this.#reasons.set(key, { invariant, what, count: 1 });
    else this.others++;
  }
}
