import type { FindingEvent } from "../../messages/lane-messages.ts";

/** The violations after which a search continues. */
export interface ViolationPolicy {
  /** `true`: the search continues after all violations. `false`: only after violations of {@link nonBlocking} rules. */
  readonly continues: boolean;
  /** The names of the rules with `blocking: false`. */
  readonly nonBlocking: readonly string[];
  /** The indices of the actions after which an invariant is checked, by the invariant's name. `null`: after all actions. */
  readonly invariants: Readonly<Record<string, readonly number[] | null>>;
}

/**
 * Knows which rules are broken in each state. While a search continues after a violation, a broken rule is reported again only after a state in which
 * the rule held.
 */
export class BrokenRules {
  readonly #policy: ViolationPolicy;
  /** The names of the broken rules, by node. A node in which every rule holds has no entry. */
  readonly #broken: Map<number, ReadonlySet<string>> = new Map();

  constructor(policy: ViolationPolicy) {
    this.#policy = policy;
  }

  root(rules: readonly string[]): void {
    if (rules.length > 0) this.#broken.set(0, new Set(rules));
  }

  /**
   * Records a step, and returns the findings whose rules were not broken before the step. `to`: the reached node, or -1 if no node was reached.
   * `isNew`: `true` if no earlier step reached the node.
   */
  step(from: number, action: number, to: number, isNew: boolean, findings: readonly FindingEvent[]): readonly FindingEvent[] {
    const before = this.#broken.get(from);
    if (before === undefined && findings.length === 0) {
      if (!isNew && to >= 0 && to !== from) this.#broken.delete(to);
      return findings;
    }
    if (to >= 0 && to !== from) this.#arrive(to, isNew, this.#brokenAfter(from, action, findings));
    return before === undefined ? findings : findings.filter(({ invariant }) => !before.has(invariant));
  }

  passes(findings: readonly FindingEvent[]): boolean {
    const { continues, nonBlocking } = this.#policy;
    return continues || findings.every(({ invariant }) => nonBlocking.includes(invariant));
  }

  #brokenAfter(from: number, action: number, findings: readonly FindingEvent[]): Set<string> {
    const { invariants } = this.#policy;
    const broken = new Set(findings.flatMap(({ invariant }) => (Object.hasOwn(invariants, invariant) ? [invariant] : [])));
    // A rule that is not checked after this action is still broken if it was broken before.
    for (const rule of this.#broken.get(from) ?? []) if (invariants[rule]?.includes(action) === false) broken.add(rule);
    return broken;
  }

  /**
   * Records which rules are broken in a reached node. If several paths reach the node, a rule only counts as broken if it is broken on all of these
   * paths.
   */
  #arrive(node: number, isNew: boolean, broken: Set<string>): void {
    const before = this.#broken.get(node);
    if (!isNew && before === undefined) return;
    const both = before === undefined ? broken : new Set([...before].filter((rule) => broken.has(rule)));
    if (both.size > 0) this.#broken.set(node, both);
    else this.#broken.delete(node);
  }
}
