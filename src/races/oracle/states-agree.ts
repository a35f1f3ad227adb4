import { createHash } from "node:crypto";
import type { Canonicalizer } from "../../state/index.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { AnswerTexts, unordered, withMaps, type AnswerRules } from "./answers.ts";
import type { CallEnd, Executed, ExecutedFacts } from "./execution.ts";
import { pageWithoutNumbers } from "./responses-agree.ts";
import { answerPlace, dataOf, NO_VISITOR, tokenOf, type Hypothesis, type IdPlaces } from "./id-places.ts";
import { mapLeaves } from "./leaves.ts";
import { mapFacts, type FactsVisitor } from "./map-facts.ts";
import { Noise } from "./noise.ts";
import { comparedTimes, isNearby, MINUTE_MS, timeIn, timesOf, type TimeDifference, type TimesOfState } from "./times.ts";

/** A name that no store has. Under this name, answers are added to the state, so that both are compared together. */
const ANSWERS = "\u0000answers";

export interface Answered {
  readonly calls: readonly CallEnd[];
  readonly facts: Facts;
}

/**
 * Compares the states and answers of executions that began in the same state. Different generated ids and random texts count as equal. Times in states
 * are equal if they have the same distance from the calls. Times in answers are not compared.
 */
export class States {
  readonly texts: AnswerTexts;
  readonly #canonicalizer: Canonicalizer;
  readonly #places: IdPlaces;
  readonly #noise: Noise;
  readonly #hypotheses: readonly Hypothesis[];
  readonly #options: ReadonlyMap<string, readonly string[]>;
  /** The places of objects whose keys may be ids. */
  readonly #keyed: ReadonlySet<string>;
  #known: WeakMap<Facts, (string | undefined)[]> = new WeakMap();
  #shapes: WeakMap<Facts, string> = new WeakMap();
  #times: WeakMap<Facts, TimesOfState> = new WeakMap();

  constructor(canonicalizer: Canonicalizer, places: IdPlaces, rules: AnswerRules, noise: Noise = new Noise()) {
    this.#canonicalizer = canonicalizer;
    this.#places = places;
    this.#noise = noise;
    this.#hypotheses = places.hypotheses();
    this.#options = places.options();
    this.#keyed = new Set(
      [...this.#options.keys()].flatMap((place) => (place.includes("{}") ? [place.slice(0, place.lastIndexOf("{}"))] : [])),
    );
    this.texts = new AnswerTexts(rules);
  }

  /** Returns `true` if two states are equal under at least one assumption about which numbers are ids. */
  agree(a: ExecutedFacts, b: ExecutedFacts): boolean {
    return this.agreeWithoutTimes(a, b) && this.timeDifferences(a, b).length === 0;
  }

  /** Returns `true` if two states are equal, except for times. */
  agreeWithoutTimes(a: ExecutedFacts, b: ExecutedFacts): boolean {
    return this.#alike(a, b) || (this.learnTimes(a, b, { isSameOrder: false }) && this.#alike(a, b));
  }

  /** Returns the places where the times of two states differ. */
  timeDifferences(a: ExecutedFacts, b: ExecutedFacts): readonly TimeDifference[] {
    return comparedTimes(a, b, (facts) => this.#timesIn(facts))?.differing ?? [];
  }

  #alike(a: Facts, b: Facts): boolean {
    return this.#shape(a) === this.#shape(b) && this.#hypotheses.some((_, at) => this.#name(a, at) === this.#name(b, at));
  }

  /**
   * Finds the places that hold times far from the clock of the run, which are not recognised by their values: times that differ only because the
   * executions ran at different times. Comparisons then treat them like other times. Dates and other coarse times are only learned from two executions
   * of the same order, because two calls may be given values that lie one unit apart. @returns `true` if there are such places
   */
  learnTimes(a: ExecutedFacts, b: ExecutedFacts, { isSameOrder }: { readonly isSameOrder: boolean }): boolean {
    const isUnknown = (place: string, text: string, { endMs }: Executed): boolean =>
      !this.#noise.drops(place) && !this.#noise.isTime(place, text) && !this.#isNear(text) && isNearby(text, endMs);
    const compared = comparedTimes(a, b, (facts) => timesOf(facts, (place, text) => isUnknown(place, text, a.executed!)));
    const moved = compared?.moved.filter(({ resolutionMs }) => isSameOrder || resolutionMs < MINUTE_MS) ?? [];
    if (moved.length === 0) return false;
    for (const { place } of moved) this.#noise.time(place);
    [this.#known, this.#shapes, this.#times] = [new WeakMap(), new WeakMap(), new WeakMap()];
    return true;
  }

  #timesIn(facts: ExecutedFacts): TimesOfState {
    let times = this.#times.get(facts);
    if (times === undefined) {
      times = timesOf(this.#canonicalizer.withoutLeftOut(facts), (place, text) => {
        if (this.#noise.drops(place) || this.#noise.hasUnsteadyTimes(place)) return false;
        return this.#noise.isTime(place, text) || this.#isNear(text);
      });
      this.#times.set(facts, times);
    }
    return times;
  }

  /** Returns `true` for a time near the clock of the run. Fingerprints ignore such times. */
  #isNear(text: string): boolean {
    return timeIn(text) !== undefined && this.texts.blank(text).startsWith("<time>");
  }

  /** Returns `true` if two states are equal, except for numbers that are not keys. Numbers inside texts are compared. */
  agreeWithoutNumbers(a: Facts, b: Facts): boolean {
    const masked = (facts: Facts): Facts =>
      mapFacts(facts, { ...NO_VISITOR, number: (_place, _name, _text, before) => (before === undefined ? "~" : undefined) });
    return this.agree(masked(a), masked(b));
  }

  /**
   * Returns `true` if the answers and states of two executions are equal under the same assumption about ids. An id in an answer then means the same
   * row as in the state. The order of the calls does not matter.
   */
  answersAgree(a: Answered, b: Answered): boolean {
    if (a.calls.length !== b.calls.length || this.#shape(a.facts) !== this.#shape(b.facts)) return false;
    return this.#hypotheses.some(
      (hypothesis, at) =>
        this.#name(a.facts, at) === this.#name(b.facts, at) && this.#answered(a, hypothesis) === this.#answered(b, hypothesis),
    );
  }

  /** Returns `true` if the answers of two executions are equal. Their states are not compared. */
  answersAlike(a: Answered, b: Answered): boolean {
    return this.#hypotheses.some((hypothesis) => this.#answered(a, hypothesis, false) === this.#answered(b, hypothesis, false));
  }

  renamed(facts: Facts): Facts {
    return mapped(facts, this.#renaming(facts, this.#widest));
  }

  get #widest(): Hypothesis {
    return this.#hypotheses.reduce((widest, one) => (one.keys && one.domains.size >= widest.domains.size ? one : widest));
  }

  /**
   * Returns a hash of the state without the values that may be ids. If the hashes of two states differ, no assumption about ids can make the states
   * equal.
   */
  #shape(facts: Facts): string {
    let shape = this.#shapes.get(facts);
    if (shape === undefined) {
      const fresh = this.#places.freshOf(facts);
      const visitor: FactsVisitor = {
        ...this.#renaming(facts, this.#widest),
        number: (place, _name, text, before) =>
          (before === undefined && this.#noise.isTime(place, text)) ||
          this.#options.get(place)?.some((domain) => fresh.has(domain, tokenOf(text))) === true
            ? "~"
            : undefined,
        declared: (domain, token) => (fresh.has(domain, token) ? "~" : undefined),
        // Leave out objects whose keys may be ids. With all their keys replaced by one placeholder, their values would overwrite each other.
        drops: (place) => this.#noise.drops(place) || this.#keyed.has(place),
      };
      this.#shapes.set(facts, (shape = this.#print(mapped(facts, visitor))));
    }
    return shape;
  }

  #name(facts: Facts, at: number): string {
    let names = this.#known.get(facts);
    if (names === undefined) this.#known.set(facts, (names = []));
    return (names[at] ??= this.#print(mapped(facts, this.#renaming(facts, this.#hypotheses[at]!))));
  }

  #answered({ calls, facts }: Answered, hypothesis: Hypothesis, withState = true): string {
    const own = new Set<string>();
    const renaming = this.#renaming(facts, hypothesis, own);
    const state = mapped(facts, renaming);
    const bodies = calls.map((call) => (call.refused ? undefined : mapLeaves(dataOf(call), answerPlace(call), "", renaming)));
    const known = new Set([...own, ...this.texts.idsOf(facts)]);
    const text = (value: string): string => this.texts.blankUnless(value, known);
    const answers = calls.map(({ action, data, kind, status, refused }, at) => [
      // Compare only the action and the data of a refused call, without status and body.
      refused
        ? { action, data }
        : { action, data, kind, status, body: unordered(bodies[at], text), page: this.texts.blank(pageWithoutNumbers(calls[at]!)) },
    ]);
    const value = { kind: "value", value: new Set(answers) } as const;
    if (!withState) return this.#print({ systems: { [ANSWERS]: value }, context: {}, clients: {} });
    return this.#print({ ...state, systems: { ...state.systems, [ANSWERS]: value } });
  }

  #print(facts: Facts): string {
    const fingerprint = { lo: 0, hi: 0 };
    this.#canonicalizer.fingerprint(facts, fingerprint);
    return `${fingerprint.lo},${fingerprint.hi}`;
  }

  /** Returns a visitor that replaces ids and random texts in a state. @param own A set to which the replacements of ids are added. */
  #renaming(facts: Facts, { keys, domains }: Hypothesis, own?: Set<string>): FactsVisitor {
    const fresh = this.#places.freshOf(facts);
    const opaque = (domain: string, token: string): string => {
      const uuid = uuidOf(domain, token);
      own?.add(uuid.replaceAll("-", ""));
      return uuid;
    };
    const nameOf = (domain: string, token: string): string | undefined => (fresh.has(domain, token) ? opaque(domain, token) : undefined);
    return {
      ...NO_VISITOR,
      number: (place, _name, text, before) => {
        if (before === undefined && this.#noise.isTime(place, text)) return "~";
        const domain = domains.get(place);
        return domain === undefined ? undefined : nameOf(domain, tokenOf(text));
      },
      declared: (domain, token) => (keys ? nameOf(domain, token) : undefined),
      text: (place, text) => (this.#noise.isTime(place, text) ? "~" : this.#noise.isDrawn(place, text) ? opaque("text", text) : undefined),
      drops: (place) => this.#noise.drops(place),
    };
  }
}

function mapped(facts: Facts, visitor: FactsVisitor): Facts {
  const { systems, context, ...rest } = mapFacts(facts, visitor);
  const values = Object.entries(systems).map(([name, observed]) => [
    name,
    observed.kind === "value" ? { ...observed, value: withMaps(observed.value) } : observed,
  ]);
  const entries = Object.entries(context).map(([key, value]) => [key, withMaps(value)]);
  return { ...rest, systems: Object.fromEntries(values) as Facts["systems"], context: Object.fromEntries(entries) as Facts["context"] };
}

/** Returns a UUID computed from an id and its domain. The UUID replaces the id, so that comparisons treat the id like a random value. */
function uuidOf(domain: string, id: string): string {
  const hex = createHash("sha256").update(`${domain} ${id}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
