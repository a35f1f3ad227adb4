import type { InconclusiveEvent } from "../../messages/lane-messages.ts";

/** Largest number of reasons that are counted separately. Rules of users may give a different reason for every step. */
const MOST_REASONS = 1000;

/**
 * Counts the steps that rules could not judge, by rule and reason, in the order of commits. The counts are equal for every number of lanes and in a
 * resumed run.
 */
export class InconclusiveLog {
  /** Number of inconclusive results whose reason is not listed in {@link reasons}, because the list is full. */
  others = 0;
  readonly #reasons: Map<string, InconclusiveEvent & { count: number }> = new Map();

  /** Returns the listed reasons, each with the number of inconclusive results. */
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
