import type { FindingEvent } from "../../messages/lane-messages.ts";

/** The violations behind which a search continues. */
export interface ViolationPolicy {
  /** `true`: all violations. `false`: only violations of {@link nonBlocking} rules. */
  readonly continues: boolean;
  /** The names of rules with `blocking: false`. */
  readonly nonBlocking: readonly string[];
  /** The rules that are about states, each with the indices of the actions after which it is checked; `null`: all actions. */
  readonly invariants: Readonly<Record<string, readonly number[] | null>>;
}

/** The rules that are broken in each state. A search that continues behind a violation reports a rule again only after the rule has held. */
export class BrokenRules {
  readonly #policy: ViolationPolicy;
  /** By node. A node in which every rule holds has no entry. */
  readonly #broken: Map<number, ReadonlySet<string>> = new Map();

  constructor(policy: ViolationPolicy) {
    this.#policy = policy;
  }

  /** Records the rules that the root state breaks. */
  root(rules: readonly string[]): void {
    if (rules.length > 0) this.#broken.set(0, new Set(rules));
  }

  /**
   * Records a step, and returns the findings of rules that held before it. `to`: -1 if the step reached no state. `isNew`: no step led to the state
   * before.
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

  /** Returns `true` if the search continues behind these findings. */
  passes(findings: readonly FindingEvent[]): boolean {
    const { continues, nonBlocking } = this.#policy;
    return continues || findings.every(({ invariant }) => nonBlocking.includes(invariant));
  }

  #brokenAfter(from: number, action: number, findings: readonly FindingEvent[]): Set<string> {
    const { invariants } = this.#policy;
    const broken = new Set(findings.flatMap(({ invariant }) => (Object.hasOwn(invariants, invariant) ? [invariant] : [])));
    // A rule that is not checked after this action stays broken.
    for (const rule of this.#broken.get(from) ?? []) if (invariants[rule]?.includes(action) === false) broken.add(rule);
    return broken;
  }

  /** A rule that held on one path to the state but not on another counts as holding there. */
  #arrive(node: number, isNew: boolean, broken: Set<string>): void {
    const before = this.#broken.get(node);
    if (!isNew && before === undefined) return;
    const both = before === undefined ? broken : new Set([...before].filter((rule) => broken.has(rule)));
    if (both.size > 0) this.#broken.set(node, both);
    else this.#broken.delete(node);
  }
}
