import type { FindingEvent } from "../../messages/lane-messages.ts";

/** The violations behind which a search continues. */
export interface ViolationPolicy {
  /** All of them; `false`: only those of {@link nonBlocking}. */
  readonly continues: boolean;
  /** The names of rules with `blocking: false`. */
  readonly nonBlocking: readonly string[];
  /** The rules that are about states, each with the indices of the actions after which it is checked; `null`: all actions. */
  readonly invariants: Readonly<Record<string, readonly number[] | null>>;
}

/** The rules that are broken in each state, so that a search that continues there reports a rule again only after it has held. */
export class BrokenRules {
  readonly #policy: ViolationPolicy;
  /** By node; none for a node in which every rule holds. */
  readonly #broken: Map<number, ReadonlySet<string>> = new Map();

  constructor(policy: ViolationPolicy) {
    this.#policy = policy;
  }

  /** Notes the root state. */
  root(rules: readonly string[]): void {
    if (rules.length > 0) this.#broken.set(0, new Set(rules));
  }

  /** Notes a step. `to`: -1 where it reached no state; `isNew`: no step led there before. Returns the findings of rules that held before it. */
  step(from: number, action: number, to: number, isNew: boolean, findings: readonly FindingEvent[]): readonly FindingEvent[] {
    const before = this.#broken.get(from);
    if (before === undefined && findings.length === 0) {
      if (!isNew && to >= 0 && to !== from) this.#broken.delete(to);
      return findings;
    }
    if (to >= 0 && to !== from) this.#arrive(to, isNew, this.#brokenAfter(from, action, findings));
    return before === undefined ? findings : findings.filter(({ invariant }) => !before.has(invariant));
  }

  /** Returns `true` if the search continues behind these findings. */
  passes(findings: readonly FindingEvent[]): boolean {
    const { continues, nonBlocking } = this.#policy;
    return continues || findings.every(({ invariant }) => nonBlocking.includes(invariant));
  }

  #brokenAfter(from: number, action: number, findings: readonly FindingEvent[]): Set<string> {
    const { invariants } = this.#policy;
    const broken = new Set(findings.flatMap(({ invariant }) => (Object.hasOwn(invariants, invariant) ? [invariant] : [])));
    // A rule that is not checked after this action has not been seen to hold.
    for (const rule of this.#broken.get(from) ?? []) if (invariants[rule]?.includes(action) === false) broken.add(rule);
    return broken;
  }

  /** A rule that held on one way to the state, and not on another, counts as holding there. */
  #arrive(node: number, isNew: boolean, broken: Set<string>): void {
    const before = this.#broken.get(node);
    if (!isNew && before === undefined) return;
    const both = before === undefined ? broken : new Set([...before].filter((rule) => broken.has(rule)));
    if (both.size > 0) this.#broken.set(node, both);
    else this.#broken.delete(node);
  }
}
