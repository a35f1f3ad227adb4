import type { CanonicalOptions } from "./canonical-options.ts";
import { describeFacts } from "./describe.ts";
import type { Facts, Fingerprint } from "./facts.ts";
import { hashText } from "../hash/hasher.ts";
import { NOTHING_KNOWN, type Knowledge } from "../compare/knowledge.ts";
import { Renamer } from "../values/renamer.ts";
import { shownNames, type Marked } from "./same-names.ts";
import { StoresComparer, type StoreRows } from "../compare/same-stores.ts";
import { StateWriter, type StateText } from "./state-text.ts";
import type { StepWindow } from "../values/times.ts";

/**
 * Gives states their identity. Two observations have the same fingerprint when they differ only in the following: the names of values that
 * experiments showed to be generated, times with equal offsets from the steps that wrote them, the order in which both were generated, the order of
 * rows and of the entries of objects, Maps and Sets, and anything that the options leave out. Each lane has one; {@link loadHasher} must have been
 * awaited.
 *
 * Not sound where two texts have one xxHash64 (the run reports the probability), and where the order of generation matters: see {@link forgotten}.
 */
export class Canonicalizer {
  /** Recognises generated values in facts. With `byAppearance` nothing is renamed before the form is written. */
  readonly renamer: Renamer;
  readonly #writer: StateWriter;
  readonly #options: CanonicalOptions;
  readonly #comparer: StoresComparer;
  #bounded = false;

  constructor(options: CanonicalOptions, knowledge: Knowledge = NOTHING_KNOWN) {
    this.#options = options;
    this.#comparer = new StoresComparer(options);
    this.#writer = new StateWriter(options);
    this.renamer = new Renamer(knowledge, options.literals);
  }

  /**
   * Returns a canonicalizer with the same constants that leaves more fields out, as {@link CanonicalOptions.masked} names them. It goes by appearance
   * alone.
   */
  masking(fields: readonly string[]): Canonicalizer {
    const other = new Canonicalizer({ ...this.#options, masked: [...this.#options.masked, ...fields] });
    other.#writer.fix(this.#writer.fixed);
    return other;
  }

  /**
   * Reads the whole root state (rows as `added`) and makes its ids and times constants. Ids are named by their place in its canonical form, so that
   * lanes that filled their stores with other random ids agree on the names and on the returned fingerprint. Where ids of the root are
   * interchangeable, the order of the observation decides. It is called again after the root was made again: the new ids replace the former ones.
   *
   * @param window The time in which the root was made.
   */
  root(facts: Facts, window: StepWindow = { startMs: this.#options.clockMs, endMs: this.#options.clockMs }): Fingerprint {
    const fingerprint: Fingerprint = { lo: 0, hi: 0 };
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
    this.renamer.root(facts, names, window);
    this.#comparer.fix(names);
    const state = this.#writer.write(this.renamer.constant(facts));
    this.#bounded = state.bounded;
    hashText(state.text, fingerprint);
    return fingerprint;
  }

  /**
   * Writes the fingerprint of facts relative to the root into `out`, and sets {@link wasBounded}.
   * @throws SeqqaError STATE_TOO_DEEP, STATE_NOT_DATA
   */
  fingerprint(facts: Facts, out: Fingerprint): void {
    this.#bounded = this.#writer.fingerprint(facts, out);
  }

  /** Returns the rows of stores, to be compared by {@link sameStores}. */
  rows(systems: Facts["systems"]): StoreRows {
    return this.#comparer.rows(systems);
  }

  /**
   * `true` if the last fingerprint stopped the search for ways to break ties, after 2,000 branches. Such a state is never merged with a different
   * one, but may be reached again under another fingerprint.
   */
  get wasBounded(): boolean {
    return this.#bounded;
  }

  /** The places whose order of generation the last fingerprint left out. */
  get forgotten(): ReadonlySet<string> {
    return this.#writer.forgotten;
  }

  /**
   * 16 bits of another hash of the last fingerprint's state, never 0. Where an order was {@link forgotten}, it is the hash of the state with its
   * order. Otherwise two states that share a fingerprint by chance differ in it except in one case of 65,535.
   */
  get check(): number {
    const hash = this.#writer.check;
    return 1 + (((hash ^ (hash >>> 16)) & 0xffff) % 0xffff);
  }

  /** 32 bits of the last fingerprint's state with the order of generation: equal for two executions of one path. */
  get strict(): number {
    return this.#writer.check;
  }

  /** Returns the state in sorted lines for people, e.g. `systems.db.orders + {id: #1, status: "paid"}`. Values of clients are not shown. */
  describe(facts: Facts): readonly string[] {
    return shownNames(this.marked(facts));
  }

  /** Like {@link describe}, with marks that can be replaced by the names of another state ({@link sameNames}) before it is shown. */
  marked(facts: Facts): Marked {
    return describeFacts(facts, this.#writer);
  }
}

/**
 * Names the ids of a state by their places in its canonical form: `r1`, `r2` for ids that are renamed in full, `t1`, `t2` for ids that carry time.
 */
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
