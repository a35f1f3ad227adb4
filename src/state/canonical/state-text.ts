import { Clock } from "../values/clock.ts";
import { Encoder, type Encoded, type EncodedFacts, type Ranks } from "./encoder.ts";
import type { Facts, Fingerprint } from "./facts.ts";
import { FreshCounters } from "./fresh-counters.ts";
import { hasHiddenLinks } from "./hidden-links.ts";
import { contentOf, counterEntry, FULL_ORDER, storeOfEntries } from "../compare/knowledge.ts";
import { TablePlans } from "./columns.ts";
import type { Piece } from "./pieces.ts";
import type { Placeholders } from "../values/scan.ts";
import { hashText, hashText32 } from "../hash/hasher.ts";
import { WordHasher } from "../hash/word-hasher.ts";
import { nameIds } from "../values/naming.ts";
import type { Part } from "./parts.ts";
import { readRules, type Rules } from "../values/rules.ts";
import { isInToken } from "../values/places.ts";
import { Strings } from "../values/strings.ts";
import { Tokens, type Token } from "./tokens.ts";
import type { CanonicalOptions } from "./canonical-options.ts";
import { literalKeys } from "../values/opaque-tokens.ts";

export interface StateText {
  readonly text: string;
  readonly bounded: boolean;
  /** The random ids, in the order of the names that they get in `text`. */
  readonly free: readonly Token[];
  /** The ids that contain a time (such as ULIDs), sorted by value. */
  readonly ranked: readonly Token[];
  /** The parts with ids. Absent if there are none. */
  readonly encoded?: Pick<EncodedFacts, "head" | "holed"> | undefined;
}

const NONE: readonly Token[] = [];
const NO_PLACES: ReadonlySet<string> = new Set();

/** Writes facts as canonical text. Two states have the same text exactly if they differ only in the names of ids. */
export class StateWriter {
  readonly clock: Clock;
  readonly rules: Rules;
  readonly tokens: Tokens;
  readonly plans: TablePlans;
  readonly fresh: FreshCounters;
  readonly #strings: Strings;
  readonly #encoder: Encoder;
  readonly #symmetric: boolean;
  readonly byAppearance: boolean;
  /** The entries of {@link Knowledge.ordered}, which say for each domain if the text contains the order and the sources of values. */
  readonly ordered: ReadonlySet<string>;
  readonly #placeholders: Placeholders;
  /**
   * Computes fingerprints without writing the text. `undefined` if rules apply to parts of values, or if integer keys are renamed, or if the order
   * of entries is part of the state, because only the text supports these cases.
   */
  readonly #words: WordHasher | undefined;
  #stamp = 0;
  #check = 0;
  #hidesLinks = false;
  readonly #fixed: string[] = [];

  constructor(options: CanonicalOptions) {
    const byAppearance = options.byAppearance === true;
    this.clock = byAppearance ? new Clock(options.clockMs, ...(options.earlierClocksMs ?? [])) : new Clock();
    this.byAppearance = byAppearance;
    this.ordered = new Set(options.ordered);
    this.rules = readRules(options.ignore, options.masked);
    this.tokens = new Tokens(byAppearance ? literalKeys(options.literals, this.clock) : []);
    // Replace long values first, because the lane's URL contains its port.
    this.#placeholders = [...options.placeholders].sort((a, b) => b[0].length - a[0].length);
    this.plans = new TablePlans(this.rules, options.symmetric);
    this.#strings = new Strings(byAppearance ? this.clock : undefined, this.#placeholders, this.tokens);
    this.fresh = new FreshCounters((options.counters ?? []).filter((one) => !this.ordered.has(counterEntry(one))));
    this.#encoder = new Encoder(this.#strings, this.clock, this.rules, this.plans, {
      fresh: this.fresh,
      pinsWanted: options.symmetric.length > 0,
      byAppearance,
      isAnonymous: options.isAnonymous,
    });
    this.#symmetric = options.symmetric.length > 0;
    const { context, clients, systems } = this.rules;
    const bare = context === undefined && clients === undefined && systems === undefined;
    const hasEntryOrder = [...this.ordered].some((one) => storeOfEntries(one) !== undefined);
    if (bare && !this.#symmetric && !hasEntryOrder) this.#words = new WordHasher(this.#strings, this.clock);
  }

  /** Gives ids fixed names. Clears the cache of strings, because cached texts treat these ids as renamable. */
  fix(constants: Iterable<readonly [string, string]>): void {
    for (const [key, name] of constants) {
      this.tokens.constants.set(key, name);
      this.#fixed.push(key);
    }
    this.#forget();
  }

  get fixed(): readonly (readonly [string, string])[] {
    return this.#fixed.map((key) => [key, this.tokens.constants.get(key)!]);
  }

  unfix(): void {
    if (this.#fixed.length === 0) return;
    for (const key of this.#fixed.splice(0)) this.tokens.constants.delete(key);
    this.#forget();
  }

  pieces(text: string): readonly Piece[] | null {
    return this.#strings.pieces(text);
  }

  /** A second 32-bit hash of the state whose fingerprint was computed last. */
  get check(): number {
    return this.#check;
  }

  /** `true` if two states with the text of the last fingerprint may differ, although their second hashes are equal; see {@link hasHiddenLinks}. */
  get hidesLinks(): boolean {
    return this.#hidesLinks;
  }

  /** Writes the fingerprint of facts into `out`. Returns `true` if the search for the least text (see `TieSearch`) reached its limit. */
  fingerprint(facts: Facts, out: Fingerprint): boolean {
    this.#strings.trim();
    if (this.#words !== undefined && this.#words.hash(facts, out)) {
      this.#check = this.#words.check;
      this.forgotten = this.#words.unordered;
      this.#hidesLinks = false;
      return false;
    }
    const { text, bounded, encoded } = this.write(facts);
    this.#hidesLinks = encoded !== undefined && hasHiddenLinks(encoded.head, encoded.holed);
    hashText(text, out);
    const { steps, times } = this.#encoder;
    this.forgotten = this.#forgottenDomains();
    // If the fingerprint leaves out the order in which values were generated, the second hash includes that order.
    this.#check = hashText32(this.forgotten.size === 0 ? text : this.#write(facts, ranksOf(steps, times, undefined)).text);
    return bounded;
  }

  /** The domains of generated values and times whose order, or whose source states, the last fingerprint left out. */
  forgotten: ReadonlySet<string> = NO_PLACES;

  write(facts: Facts): StateText {
    const written = this.#write(facts, undefined);
    if (this.ordered.size === 0) return written;
    const { steps, times } = this.#encoder;
    const isOrdered =
      [...this.#encoder.rowOrders.keys()].some((one) => this.ordered.has(one)) ||
      [...steps.values(), ...times.values()].some((places) =>
        [...places].some((one) => this.ordered.has(one) || this.ordered.has(contentOf(one))),
      );
    return isOrdered ? this.#write(facts, ranksOf(steps, times, this.ordered)) : written;
  }

  /** Returns pairs of places of times: `[a, b]` if a step wrote a time at `a`, and a later step wrote a time at `b`. */
  orderOfTimes(facts: Facts): readonly (readonly [string, string])[] {
    this.#write(facts, undefined);
    const bySteps = [...this.#encoder.times].toSorted(([a], [b]) => a - b).map(([, places]) => [...places]);
    return bySteps.flatMap((before, index) =>
      before.flatMap((a) => bySteps.slice(index + 1).flatMap((after) => after.map((b) => [a, b] as const))),
    );
  }

  /** Returns the order of the rows of tables as text, by {@link rowsEntry}. Equal orders have equal texts. */
  rowOrders(facts: Facts): ReadonlyMap<string, string> {
    this.#write(facts, undefined);
    const { steps, times } = this.#encoder;
    this.#write(facts, ranksOf(steps, times, undefined));
    return new Map(this.#encoder.rowOrders);
  }

  #forgottenDomains(): ReadonlySet<string> {
    const { steps, times } = this.#encoder;
    const places = new Set<string>();
    // Include a domain even if one step generated all its values, because another path may reach the same fingerprint with values of two steps.
    for (const bySteps of [steps, times])
      for (const some of bySteps.values()) for (const one of some) if (!this.ordered.has(one)) places.add(one);
    if (!this.ordered.has(FULL_ORDER)) for (const one of this.#encoder.within) places.add(one);
    for (const counter of this.#encoder.freshCounters) places.add(counter);
    for (const rows of this.#encoder.rowOrders.keys()) if (!this.ordered.has(rows)) places.add(rows);
    for (const some of steps.values()) for (const one of some) if (!this.ordered.has(contentOf(one))) places.add(one);
    for (const some of times.values()) for (const one of some) if (isInToken(one) && !this.ordered.has(contentOf(one))) places.add(one);
    return places.size === 0 ? NO_PLACES : places;
  }

  #write(facts: Facts, ranks: Ranks | undefined): StateText {
    this.#strings.trim();
    const { head, plain, holed, orders } = this.#encoder.encode(facts, ranks);
    if (head.tokens.length === 0 && holed.length === 0) {
      const text = plain.length === 0 ? head.text : `${head.text}${plain.sort().join("")}`;
      return { text, bounded: false, free: NONE, ranked: NONE };
    }
    return { ...this.#name(head, plain, [...holed, ...orders]), encoded: { head, holed } };
  }

  #forget(): void {
    this.#strings.clear();
    this.#words?.clear();
  }

  #name(head: Encoded, plain: readonly string[], holed: readonly Encoded[]): StateText {
    const stamp = ++this.#stamp;
    const free: Token[] = [];
    const fixed: Token[] = [];
    const meet = (tokens: readonly Token[]): void => {
      for (let i = 0; i < tokens.length; i++) {
        const token = tokens[i]!;
        if (token.stamp === stamp) continue;
        token.stamp = stamp;
        if (token.rank === "" && !this.#isPinned(token)) {
          token.index = free.length;
          free.push(token);
        } else {
          token.index = -1;
          fixed.push(token);
        }
      }
    };
    meet(head.tokens);
    for (const part of holed) meet(part.tokens);
    const ranked = fixed.length === 0 ? NONE : fixed.filter((token) => token.rank !== "").sort(byRank);
    const names = nameFixed(fixed, ranked);
    const parts: Part[] = [];
    const lines = plain.slice();
    let front = head.text;
    if (head.tokens.length > 0) {
      const part = toPart(head, names);
      if (part.ids.length > 0) {
        parts.push(part);
        front = "";
      } else front = part.text;
    }
    for (const encoded of holed) {
      const part = toPart(encoded, names);
      if (part.ids.length > 0) parts.push(part);
      else lines.push(part.text);
    }
    const naming = nameIds(free.length, parts, lines);
    return { text: front + naming.text, bounded: naming.bounded, free: naming.order.map((index) => free[index]!), ranked };
  }

  // If a number in the context or in another value equals an integer key, the number may refer to the key. If only the key were renamed, the two
  // would no longer be equal, so the key is not renamed.
  #isPinned(token: Token): boolean {
    if (!this.#symmetric || token.key === null || !token.key.startsWith("s:")) return false;
    return this.#encoder.pins.has(token.key.slice(token.key.lastIndexOf(":") + 1));
  }
}

/**
 * Returns the positions of the steps that generated values in the given domains, by the number of the step. The steps that generated ids and the
 * steps that wrote times have a common numbering if the domains contain {@link FULL_ORDER}, otherwise separate numberings.
 */
function ranksOf(
  steps: ReadonlyMap<number, ReadonlySet<string>>,
  times: ReadonlyMap<number, ReadonlySet<string>>,
  domains: ReadonlySet<string> | undefined,
): Ranks {
  const isIn = (domain: string): boolean => domains === undefined || domains.has(domain);
  const rank = (bySteps: ReadonlyMap<number, ReadonlySet<string>>): ReadonlyMap<number, number> => {
    const some = [...bySteps].filter(([, places]) => [...places].some(isIn)).map(([step]) => step);
    return new Map(some.toSorted((a, b) => a - b).map((step, index) => [step, index]));
  };
  if (domains?.has(FULL_ORDER) !== true) return { steps: rank(steps), times: rank(times), domains };
  const all = new Map(
    [...steps.keys(), ...times.keys()].map((step) => [step, new Set([...(steps.get(step) ?? []), ...(times.get(step) ?? [])])]),
  );
  const together = rank(all);
  return { steps: together, times: together, domains };
}

function byRank(a: Token, b: Token): number {
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}

function nameFixed(fixed: readonly Token[], ranked: readonly Token[]): ReadonlyMap<Token, string> | undefined {
  if (fixed.length === 0) return undefined;
  const names = new Map<Token, string>();
  for (const token of fixed) if (token.rank === "") names.set(token, `=${token.key!.slice(token.key!.lastIndexOf(":") + 1)}`);
  let rank = 0;
  let kind = "";
  for (const token of ranked) {
    rank = token.rank === kind ? rank + 1 : 1;
    kind = token.rank;
    names.set(token, `${kind}.${rank}`);
  }
  return names;
}

/** Returns a part of the state in which the ids in `names` are replaced by their names. Other ids are named later. */
function toPart(encoded: Encoded, names: ReadonlyMap<Token, string> | undefined): Part {
  const ids: number[] = [];
  let text = encoded.text;
  for (const token of encoded.tokens) {
    if (token.index >= 0) ids.push(token.index);
    if (names !== undefined) text += token.index >= 0 ? ";@" : `;${names.get(token)!}`;
  }
  return { text, ids };
}
