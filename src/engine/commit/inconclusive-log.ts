import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** Largest number of reasons that are counted separately. A user's rule may give another reason for each step. */
const MOST_REASONS = 1000;

/** Counts inconclusive results by rule and reason, in the order of commits. The counts are equal for every number of lanes and for a resumed run. */
export class InconclusiveLog {
  /** Number of inconclusive results whose reasons are not in {@link reasons}. */
  others = 0;
  readonly #reasons: Map<string, InconclusiveEvent & { count: number }> = new Map();

  /** The first reasons, each with its number of results. */
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
