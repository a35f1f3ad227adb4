import type { CanonicalOptions } from "../canonical/canonical-options.ts";
import { Clock } from "../values/clock.ts";
import { TablePlans } from "../canonical/columns.ts";
import { Encoder, type EncodedRow } from "../canonical/encoder.ts";
import { KNOWN } from "../values/named.ts";
import type { Facts } from "../canonical/facts.ts";
import { FreshCounters } from "../canonical/fresh-counters.ts";
import { literalKeys } from "../values/opaque-tokens.ts";
import { readRules, type Rules } from "../values/rules.ts";
import { Strings } from "../values/strings.ts";
import { Tokens } from "../canonical/tokens.ts";
import { generatedTexts, overwritesTexts, type GeneratedTexts } from "./overwritten.ts";
import { Sessions } from "./sessions.ts";

/** The stores of a state, for comparing them with the stores of another state. */
export interface StoreRows {
  readonly rows: readonly EncodedRow[];
  readonly texts: () => GeneratedTexts;
}

/**
 * `MOST_ROWS`: the maximum number of rows that are paired. `MOST_TRIES`: the maximum number of attempts to pair two rows. Above these limits, two
 * states count as different.
 */
const MOST_ROWS = 2_000;
const MOST_TRIES = 20_000;

/**
 * Compares the stores of two states, and ignores differences in generated values. A row that was deleted and inserted again with a new key is
 * therefore not a change. Neither is a new expiry time of a session ({@link Sessions}). A value counts as generated if experiments showed this, or if
 * the value is a row's key and is an integer or looks like an id.
 */
export class StoresComparer {
  readonly #tokens: Tokens;
  readonly #strings: Strings;
  readonly #encoder: Encoder;
  readonly #plans: TablePlans;
  readonly #rules: Rules;

  constructor({ clockMs, earlierClocksMs = [], literals, ignore, masked, placeholders }: CanonicalOptions) {
    const clock = new Clock(clockMs, ...earlierClocksMs);
    const rules = readRules(ignore, masked);
    this.#rules = rules;
    this.#tokens = new Tokens(literalKeys(literals, clock));
    const longestFirst = [...placeholders].sort((a, b) => b[0].length - a[0].length);
    this.#strings = new Strings(clock, longestFirst, this.#tokens);
    this.#plans = new TablePlans(rules, "keys");
    this.#encoder = new Encoder(this.#strings, clock, rules, this.#plans, {
      fresh: new FreshCounters([]),
      pinsWanted: false,
      byAppearance: true,
      isAnonymous: true,
    });
  }

  /** Stores the ids of the root state. All states share the root state, so each of these ids is equal only to itself. */
  fix(names: Iterable<readonly [string, string]>): void {
    this.#tokens.constants.clear();
    for (const [key, name] of names) this.#tokens.constants.set(key, name);
    this.#strings.clear();
  }

  /** @param clients The clients of the state, whose tokens and cookies identify sessions. */
  rows({ systems, clients }: Pick<Facts, "systems" | "clients">): StoreRows {
    this.#strings.trim();
    const sessions = new Sessions(clients);
    return {
      rows: this.#encoder.rows(sessions.withoutTimes(systems)),
      texts: () => generatedTexts(systems, sessions, { plans: this.#plans, rules: this.#rules, strings: this.#strings }),
    };
  }
}

/**
 * Returns `true` if a generated text, such as a password hash, was replaced in a row that both states have. {@link sameStores} and the fingerprints
 * of states ignore this change.
 */
export function overwrites(before: StoreRows, after: StoreRows): boolean {
  return overwritesTexts(before.texts(), after.texts());
}

/** Returns `true` if two states have the same rows, except that newly generated values replace generated values that no longer exist. */
export function sameStores({ rows: before }: StoreRows, { rows: after }: StoreRows): boolean {
  const balance = new Map<string, { readonly row: EncodedRow; count: number }>();
  const count = (rows: StoreRows["rows"], by: number): void => {
    for (const row of rows) {
      const id = `${row.text}\n${row.keys.join("\n")}`;
      const known = balance.get(id);
      // `isMissing` rows belong to the root state but not to this state. Count such a row as minus one row.
      const change = row.isMissing ? -by : by;
      if (known === undefined) balance.set(id, { row, count: change });
      else known.count += change;
    }
  };
  count(before, -1);
  count(after, 1);
  const fresh: EncodedRow[] = [];
  const gone: EncodedRow[] = [];
  for (const { row, count: more } of balance.values()) {
    for (let i = 0; i < Math.abs(more); i++) (more > 0 ? fresh : gone).push(row);
  }
  // The entries of an unordered collection have no keys, so removed entries cannot be paired with new entries. Treat states with such differences as
  // different.
  if (fresh.length !== gone.length || [...fresh, ...gone].some(({ keys }) => keys.includes(""))) return false;
  return fresh.length === 0 || (fresh.length <= MOST_ROWS && new Pairing({ fresh, gone }, keysIn(before), keysIn(after)).exists());
}

function keysIn(rows: StoreRows["rows"]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ keys, isMissing }) => (isMissing ? [] : keys)));
}

/** Pairs each removed row with a new row so that each removed generated value is replaced by the same new value in all rows. */
class Pairing {
  readonly #gone: readonly EncodedRow[];
  readonly #fresh: ReadonlyMap<string, readonly EncodedRow[]>;
  readonly #before: ReadonlySet<string>;
  readonly #after: ReadonlySet<string>;
  readonly #owners: { readonly gone: ReadonlySet<string>; readonly fresh: ReadonlySet<string> };
  readonly #used: Set<EncodedRow | number> = new Set();
  readonly #to: Map<string, string> = new Map();
  readonly #from: Map<string, string> = new Map();
  #tries = 0;

  constructor(
    { fresh, gone }: { readonly fresh: readonly EncodedRow[]; readonly gone: readonly EncodedRow[] },
    before: ReadonlySet<string>,
    after: ReadonlySet<string>,
  ) {
    // Pair rows with many generated values first, because they have the fewest possible partners.
    this.#gone = gone.toSorted((a, b) => b.keys.length - a.keys.length);
    const byText = new Map<string, EncodedRow[]>();
    // Copy each row, because `#used` identifies rows by object and `fresh` may contain one object twice.
    for (const row of fresh) byText.set(row.text, [...(byText.get(row.text) ?? []), { ...row }]);
    this.#fresh = byText;
    this.#before = before;
    this.#after = after;
    const ownersOf = (rows: readonly EncodedRow[]): ReadonlySet<string> => new Set(rows.flatMap(({ own }) => own ?? []));
    this.#owners = { gone: ownersOf(gone), fresh: ownersOf(fresh) };
  }

  exists(at = 0): boolean {
    const row = this.#gone[at];
    if (row === undefined) return true;
    for (const other of this.#fresh.get(row.text) ?? []) {
      if (this.#used.has(other) || ++this.#tries > MOST_TRIES) continue;
      const made = this.#pair(row, other);
      if (made === undefined) continue;
      this.#used.add(other);
      if (this.exists(at + 1)) return true;
      this.#used.delete(other);
      this.#undo(made);
    }
    return false;
  }

  /**
   * Pairs the generated values of two rows in order. Returns the removed values that this call has paired. Returns `undefined` if the rows do not
   * match.
   */
  #pair(row: EncodedRow, other: EncodedRow): readonly string[] | undefined {
    const made: string[] = [];
    for (const [i, key] of row.keys.entries()) {
      const value = other.keys[i]!;
      if (this.#to.get(key) === value) continue;
      const isFree = !this.#to.has(key) && !this.#from.has(value);
      if (!isFree || (key !== value && !this.#isReplaced(key, value))) {
        this.#undo(made);
        return undefined;
      }
      this.#to.set(key, value);
      this.#from.set(value, key);
      made.push(key);
    }
    return made;
  }

  #undo(made: readonly string[]): void {
    for (const key of made) {
      this.#from.delete(this.#to.get(key)!);
      this.#to.delete(key);
    }
  }

  /**
   * Returns `true` if a new value replaces an old generated value: the old value no longer exists, and the new value did not exist before. If no
   * experiment showed that the values are generated, both values must also be keys of the compared rows. Otherwise, a hash of sent data would count
   * as generated, because it can look like an id.
   */
  #isReplaced(key: string, value: string): boolean {
    if (this.#after.has(key) || this.#before.has(value)) return false;
    return (key.startsWith(KNOWN) && value.startsWith(KNOWN)) || (this.#owners.gone.has(key) && this.#owners.fresh.has(value));
  }
}
