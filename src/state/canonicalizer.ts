import type { CanonicalOptions } from "./canonical-options.ts";
import { describeFacts } from "./describe.ts";
import type { Facts, Fingerprint } from "./facts.ts";
import { hashText } from "./hasher.ts";
import { StateWriter } from "./state-text.ts";

/**
 * Gives states their identity. Two observations have the same fingerprint when they differ only in the names of ids drawn
 * since the root state, in times near the run's clock, in the order of rows and of the entries of objects, Maps and Sets, and in
 * what the options leave out. One per lane; {@link loadHasher} must have been awaited.
 *
 * Not sound where: two texts have one xxHash64 (the run reports the probability); a string that only looks drawn is a meaning of its own
 * (two hashes of passwords, say) and nothing else in the state shows it; a token that no store mentions stands for two different things.
 */
export class Canonicalizer {
  readonly #writer: StateWriter;
  readonly #options: CanonicalOptions;
  #constants: readonly (readonly [string, string])[] = [];
  #bounded = false;

  constructor(options: CanonicalOptions) {
    this.#options = options;
    this.#writer = new StateWriter(options);
  }

  /** One with the same constants that leaves more fields out, as {@link CanonicalOptions.masked} names them. */
  masking(fields: readonly string[]): Canonicalizer {
    const other = new Canonicalizer({ ...this.#options, masked: [...this.#options.masked, ...fields] });
    other.#constants = this.#constants;
    other.#writer.fix(this.#constants);
    return other;
  }

  /**
   * Reads the whole root state (rows as `added`) and makes its ids constants, named by their place in its canonical form: lanes that seeded
   * themselves with other random ids agree on the names and on the fingerprint returned. Where ids of the root are interchangeable, the
   * order of the observation decides. Once more, when the root was made anew: its ids take the place of the former ones.
   */
  root(facts: Facts): Fingerprint {
    this.#writer.unfix();
    const state = this.#writer.write(facts);
    const constants: [string, string][] = [];
    for (const [list, mark] of [
      [state.free, "r"],
      [state.ranked, "t"],
    ] as const) {
      for (let i = 0; i < list.length; i++) if (list[i]!.key !== null) constants.push([list[i]!.key!, `${mark}${i + 1}`]);
    }
    const fingerprint: Fingerprint = { lo: 0, hi: 0 };
    this.#bounded = state.bounded;
    hashText(state.text, fingerprint);
    this.#constants = constants;
    this.#writer.fix(constants);
    return fingerprint;
  }

  /**
   * Writes the fingerprint of facts relative to the root into `out`, and sets {@link wasBounded}.
   * @throws SeqqaError STATE_TOO_DEEP, STATE_NOT_DATA
   */
  fingerprint(facts: Facts, out: Fingerprint): void {
    this.#bounded = this.#writer.fingerprint(facts, out);
  }

  /**
   * Whether the last fingerprint gave up trying how to break ties, after 2,000 branches. Such a state counts as its own: it is never taken
   * for one that differs, but may be met again under another fingerprint.
   */
  get wasBounded(): boolean {
    return this.#bounded;
  }

  /**
   * 16 bits of another hash of the state of the last fingerprint, never 0: two states that share a fingerprint by chance differ in it but for one case
   * in 65,535.
   */
  get check(): number {
    const hash = this.#writer.check;
    return 1 + (((hash ^ (hash >>> 16)) & 0xffff) % 0xffff);
  }

  /** The state in lines for people, sorted, e.g. `systems.db.orders + {id: #1, status: "paid"}`. Values of clients are not shown. */
  describe(facts: Facts): readonly string[] {
    return describeFacts(facts, this.#writer);
  }
}
