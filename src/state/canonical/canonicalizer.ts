import type { CanonicalOptions } from "./canonical-options.ts";
import { describeFacts } from "./describe.ts";
import type { Facts, Fingerprint } from "./facts.ts";
import { hashName, hashText } from "../hash/hasher.ts";
import { NOTHING_KNOWN, type Knowledge } from "../compare/knowledge.ts";
import { isCellLeftOut, leftOutText, namedText, withoutLeftOut } from "./left-out.ts";
import { HiddenTimes } from "../renaming/hidden-times.ts";
import { Renamer } from "../renaming/renamer.ts";
import { shownNames, type Marked } from "./same-names.ts";
import type { ShownState } from "../compare/explained-differences.ts";
import { StoresComparer, type StoreRows } from "../compare/same-stores.ts";
import { StateWriter, type StateText } from "./state-text.ts";
import type { StepWindow } from "../values/times.ts";

/**
 * Computes the fingerprints of states. Two observations have the same fingerprint if they differ only in
 * - values that experiments showed to be generated,
 * - times that have equal offsets from the steps that wrote them,
 * - the order in which such values and times were generated,
 * - the order of rows (unless it is known to matter), and of the entries of objects, Maps and Sets, or
 * - parts that the options leave out.
 *
 * Different states can share a fingerprint if two texts have the same xxHash64 (the run reports the probability), or if the order of generation
 * matters (see {@link forgotten}). Each lane has one instance. Await {@link loadHasher} before the first use.
 */
export class Canonicalizer {
  /** Replaces generated values and times before a state is written as text. With `byAppearance`, it replaces nothing. */
  readonly renamer: Renamer;
  readonly #writer: StateWriter;
  /** Writes states without the order in which values were generated, even if this order is part of the fingerprint. */
  readonly #unordered: StateWriter;
  readonly #options: CanonicalOptions;
  readonly #comparer: StoresComparer;
  #bounded = false;
  /**
   * The facts that {@link nameOf} received last, with their fingerprint in `#ofNamed`. `undefined` if another fingerprint was computed afterwards.
   */
  #named: Facts | undefined;
  readonly #ofNamed: Fingerprint = { lo: 0, hi: 0 };

  constructor(options: CanonicalOptions, knowledge: Knowledge = NOTHING_KNOWN) {
    this.#options = options;
    this.#comparer = new StoresComparer(options);
    this.#writer = new StateWriter(options);
    this.#unordered = (options.ordered ?? []).length === 0 ? this.#writer : new StateWriter({ ...options, ordered: [] });
    this.renamer = new Renamer(knowledge, options.literals);
  }

  /**
   * Returns a canonicalizer that also masks the given fields (see {@link CanonicalOptions.masked}) and uses the same names for the ids of the root
   * state. The new canonicalizer has no knowledge from experiments.
   */
  masking(fields: readonly string[]): Canonicalizer {
    const other = new Canonicalizer({ ...this.#options, masked: [...this.#options.masked, ...fields] });
    other.#writer.fix(this.#writer.fixed);
    other.#writer.fresh.asIn(this.#writer.fresh);
    return other;
  }

  /**
   * Reads the whole root state (all rows as `added`), and gives its ids and times names that stay the same in all states. The names depend on where
   * the ids occur, not on their values. Lanes with different random ids therefore get the same names and the same fingerprint. Interchangeable ids
   * are named in the order in which they were read. Call this method again if the root state is created again.
   *
   * @param window The time in which the root state was created.
   * @param shown The stores of the root state as `StoreAdapter.observe` shows them. Default: no rows are shown.
   */
  root(
    facts: Facts,
    window: StepWindow = { startMs: this.#options.clockMs, endMs: this.#options.clockMs },
    shown: Facts["systems"] = {},
  ): Fingerprint {
    const fingerprint: Fingerprint = { lo: 0, hi: 0 };
    this.#named = undefined;
    this.#writer.fresh.root(facts);
    this.#unordered.fresh.root(facts);
    if (this.#options.byAppearance === true) {
      this.#writer.unfix();
      const state = this.#writer.write(facts);
      this.#bounded = state.bounded;
      hashText(state.text, fingerprint);
      const names = [...idNames(state)];
      this.#writer.fix(names);
      this.#comparer.fix(names);
      return fingerprint;
    }
    const lookalikes = new StateWriter({ ...this.#options, byAppearance: true, masked: [] });
    const names = idNames(lookalikes.write(facts));
    const anonymous = (): StateWriter => new StateWriter({ ...this.#options, byAppearance: true, isAnonymous: true, masked: [] });
    const nameOf = (marked: Facts): ReadonlyMap<string, string> => idNames(anonymous().write(marked));
    this.renamer.root(facts, names, window, new HiddenTimes(facts, shown, (...cell) => isCellLeftOut(this.#writer, ...cell)), nameOf);
    const leftOut = leftOutText(facts.systems, this.#writer);
    if (leftOut !== "") this.renamer.addRootValues(leftOut);
    this.#comparer.fix(names);
    const constant = this.renamer.constant(facts);
    this.renamer.setRootStores(namedText(facts.systems, constant.systems));
    const state = this.#writer.write(constant);
    this.#bounded = state.bounded;
    hashText(state.text, fingerprint);
    return fingerprint;
  }

  /**
   * Writes the fingerprint of a state into `out`, and sets {@link wasBounded}.
   * @throws SeqqaError STATE_TOO_DEEP, STATE_NOT_DATA
   */
  fingerprint(facts: Facts, out: Fingerprint): void {
    if (facts === this.#named) return void Object.assign(out, this.#ofNamed);
    this.#named = undefined;
    this.#bounded = this.#writer.fingerprint(facts, out);
  }

  /**
   * Returns the name of a state: the low half of its fingerprint, and the hash {@link strict}. States that differ in `strict` have different names.
   *
   * @param facts Facts that are not changed afterwards.
   * @throws SeqqaError STATE_TOO_DEEP, STATE_NOT_DATA
   */
  nameOf(facts: Facts): string {
    this.fingerprint(facts, this.#ofNamed);
    this.#named = facts;
    return hashName({ lo: this.#ofNamed.lo, hi: this.strict });
  }

  /**
   * Returns a fingerprint that ignores in which order, and in which states, values were generated. Two executions of one path have equal fingerprints
   * of this kind, even if two steps ran in the same second in only one of the executions.
   */
  unordered(facts: Facts): Fingerprint {
    const out: Fingerprint = { lo: 0, hi: 0 };
    hashText(this.#unordered.write(facts).text, out);
    return out;
  }

  /** Returns facts without the values that are left out of states, so that two observations can be compared field by field. */
  withoutLeftOut(facts: Facts): Facts {
    return withoutLeftOut(facts, this.#writer);
  }

  rows(facts: Pick<Facts, "systems" | "clients">): StoreRows {
    return this.#comparer.rows(facts);
  }

  /**
   * `true` if the last fingerprint was computed without finding the best order of interchangeable ids, because the search reached its limit (see
   * `TieSearch`). Such a state is never merged with a different state, but may get another fingerprint when it is reached again.
   */
  get wasBounded(): boolean {
    return this.#bounded;
  }

  /** The domains of generated values, and the tables of rows, whose order was left out of the last fingerprint. */
  get forgotten(): ReadonlySet<string> {
    return this.#writer.forgotten;
  }

  /** Returns pairs of places of times: `[a, b]` if a step wrote a time at `a`, and a later step wrote a time at `b`. */
  orderOfTimes(facts: Facts): readonly (readonly [string, string])[] {
    return this.#writer.orderOfTimes(facts);
  }

  /** Returns the order of the rows of tables as text, by the entry of the table in `Knowledge.ordered`. */
  rowOrders(facts: Facts): ReadonlyMap<string, string> {
    return this.#writer.rowOrders(facts);
  }

  /**
   * `true` if different states may share the last fingerprint and {@link check}, because one step generated several values, and the state does not
   * show which of these values belong together.
   */
  get hidesLinks(): boolean {
    return this.#writer.hidesLinks;
  }

  /**
   * A 16-bit second hash of the last fingerprint's state, never 0. If the fingerprint left out an order of generation ({@link forgotten}), this hash
   * includes the order. Otherwise, the hash differs between two states that share a fingerprint by chance, with a probability of 65,534 in 65,535.
   */
  get check(): number {
    const hash = this.#writer.check;
    return 1 + (((hash ^ (hash >>> 16)) & 0xffff) % 0xffff);
  }

  /**
   * A 32-bit hash of the same state as the last fingerprint, but including the order in which values were generated. Two executions of one path have
   * equal hashes.
   */
  get strict(): number {
    return this.#writer.check;
  }

  /**
   * Returns the state as sorted lines for people, e.g. `systems.db.orders + {id: #1, status: "paid"}`. Texts in clients, such as tokens, are shown as
   * hashes.
   */
  describe(facts: Facts): readonly string[] {
    return shownNames(this.marked(facts));
  }

  /**
   * Returns the same lines as {@link describe}, but with placeholders for generated values. {@link sameNames} can replace the placeholders by the
   * names of another state.
   */
  marked(facts: Facts): Marked {
    return describeFacts(facts, this.#writer);
  }

  /** Describes a state, so that {@link explainedDifferences} can compare it with another state later, when its facts have changed. */
  shown(facts: Facts): ShownState {
    const fingerprint = { lo: 0, hi: 0 };
    this.fingerprint(facts, fingerprint);
    return { ...fingerprint, marked: this.marked(facts), exact: shownNames(describeFacts(facts, this.#writer, true)) };
  }
}

/** Names the ids of the root state by their order in the canonical form: `r1`, `r2` for random ids, `t1`, `t2` for ids that contain a time. */
function idNames({ free, ranked }: StateText): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [list, mark] of [
    [free, "r"],
    [ranked, "t"],
  ] as const) {
    for (let i = 0; i < list.length; i++) if (list[i]!.key !== null) names.set(list[i]!.key!, `${mark}${i + 1}`);
  }
  return names;
}
