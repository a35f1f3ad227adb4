import type { Canonicalizer } from "../../state/index.ts";
import type { Facts } from "../../state/facts.ts";
import { FreshIds } from "./fresh-ids.ts";
import { renamedFacts, type Renaming } from "./renamed-facts.ts";

const RENAMINGS: readonly Renaming[] = ["exact", "named", "any"];

/** States that executions from one state led to, compared but for the names of what is new in them. */
export class States {
  readonly #before: Facts;
  readonly #canonicalizer: Canonicalizer;
  readonly #known: WeakMap<Facts, Map<Renaming, string>> = new WeakMap();

  /** `before`: the state in which all of them began. */
  constructor(before: Facts, canonicalizer: Canonicalizer) {
    this.#before = before;
    this.#canonicalizer = canonicalizer;
  }

  /** Whether two states are one, under any of the renamings: each of them only makes equal what an order may make different. */
  agree(a: Facts, b: Facts): boolean {
    return RENAMINGS.some((renaming) => this.#name(a, renaming) === this.#name(b, renaming));
  }

  #name(facts: Facts, renaming: Renaming): string {
    let names = this.#known.get(facts);
    if (names === undefined) this.#known.set(facts, (names = new Map()));
    let name = names.get(renaming);
    if (name === undefined) {
      const fingerprint = { lo: 0, hi: 0 };
      this.#canonicalizer.fingerprint(renamedFacts(facts, new FreshIds(this.#before, facts), renaming), fingerprint);
      names.set(renaming, (name = `${fingerprint.lo},${fingerprint.hi}`));
    }
    return name;
  }
}
