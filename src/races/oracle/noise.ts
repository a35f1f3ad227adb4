import type { ExecutedFacts, Execution } from "./execution.ts";
import type { FreshIds } from "./fresh-ids.ts";
import { answerPlace, dataOf, NO_VISITOR, tokenOf, type IdPlaces } from "./id-places.ts";
import { mapLeaves, templateOf } from "./leaves.ts";
import { mapFacts, type FactsVisitor } from "./map-facts.ts";
import { timeIn, type TimeDifference } from "./times.ts";

/** Matches a short text that may be a random value. */
const TOKEN = /^[A-Za-z0-9_-]{5,64}$/;

interface Drawn {
  /** Texts that occurred in both executions, so they are not random. */
  readonly same: Set<string>;
  shortest: number;
  longest: number;
}

/** The places in states and answers whose values change by themselves. */
export class Noise {
  readonly #dropped = new Set<string>();
  readonly #times = new Set<string>();
  readonly #unsteadyTimes = new Set<string>();
  readonly #drawn: Map<string, Drawn> = new Map();

  drops(place: string): boolean {
    return this.#dropped.has(place);
  }

  drop(place: string): void {
    this.#dropped.add(place);
  }

  /** Returns `true` if a text or number at a place is a time that calls compute from the present time. */
  isTime(place: string, text: string): boolean {
    return this.#times.has(place) && timeIn(text) !== undefined;
  }

  /** Records that calls compute the times at a place from the present time. */
  time(place: string): void {
    this.#times.add(place);
  }

  /** Returns `true` if times at a place differ when the same calls are repeated, so that they are not compared. */
  hasUnsteadyTimes(place: string): boolean {
    return this.#unsteadyTimes.has(place);
  }

  ignoreTimes(place: string): void {
    this.#unsteadyTimes.add(place);
  }

  /** Returns `true` if this text at this place counts as a random value. */
  isDrawn(place: string, text: string): boolean {
    const drawn = this.#drawn.get(place);
    return (
      drawn !== undefined && !drawn.same.has(text) && text.length >= drawn.shortest && text.length <= drawn.longest && TOKEN.test(text)
    );
  }

  /** Records that a place holds random texts, which comparisons ignore from then on. @returns `false` if the texts do not look random */
  draw(place: string, differing: readonly string[], same: readonly string[]): boolean {
    if (!differing.every((text) => TOKEN.test(text) && !/^\d+$/.test(text)) || new Set(differing).size < 2) return false;
    let drawn = this.#drawn.get(place);
    if (drawn === undefined) this.#drawn.set(place, (drawn = { same: new Set(), shortest: Infinity, longest: 0 }));
    for (const text of same) drawn.same.add(text);
    for (const { length } of differing) {
      drawn.shortest = Math.min(drawn.shortest, length);
      drawn.longest = Math.max(drawn.longest, length);
    }
    return true;
  }

  /** Makes comparisons ignore the whole value at each place that was recorded as holding random texts. @returns these places */
  undraw(): readonly string[] {
    const places = [...this.#drawn.keys()];
    for (const place of places) this.#dropped.add(place.endsWith("{}") ? place.slice(0, -2) : place);
    this.#drawn.clear();
    return places;
  }
}

export interface Learned {
  readonly noise: Noise;
  readonly places: IdPlaces;
  /** Replaces the known generated parts of a text by placeholders. */
  readonly blank: (text: string) => string;
  /** Returns the places where the times of two states differ. */
  readonly timeDifferences: (a: ExecutedFacts, b: ExecutedFacts) => readonly TimeDifference[];
}

export type Part = "states" | "answers";

interface Leaves {
  readonly isNumber: boolean;
  readonly texts: string[];
}

/** Returns the texts, numbers and other single values at each place of an execution, as text. */
function leavesOf(execution: Execution, part: Part, noise: Noise, blank: (text: string) => string): ReadonlyMap<string, Leaves> {
  const found = new Map<string, Leaves>();
  const add = (place: string, text: string, isNumber = false): void => {
    if (!found.has(place)) found.set(place, { isNumber, texts: [] });
    found.get(place)!.texts.push(text);
  };
  const visitor: FactsVisitor = {
    ...NO_VISITOR,
    number: (place, _name, text, before) => {
      const isWhole = before === undefined;
      add(place, isWhole && noise.isTime(place, text) ? "~" : isWhole ? blank(text) : text, true);
      return undefined;
    },
    text: (place, text) => {
      const isKnown = noise.isDrawn(place, text) || noise.isTime(place, text);
      add(place, isKnown ? "~" : blank(text));
      return isKnown ? "~" : undefined;
    },
    other: (place, value) => add(place, String(value)),
    length: (place, count) => add(place, String(count)),
    drops: (place) => noise.drops(place),
  };
  if (part === "states") mapFacts(execution.states[0]!.facts, visitor);
  else for (const call of execution.calls) if (call !== undefined) mapLeaves(dataOf(call), answerPlace(call), "", visitor);
  return found;
}

/**
 * Compares two executions with the same order of the calls, and learns which values change by themselves. Numbers that changed together with ids of
 * new rows are treated as ids, and texts that look random as random. Other places that differ are ignored.
 * @returns `true` if anything was learned
 */
export function learnNoise(a: Execution, b: Execution, part: Part, { noise, places, blank, timeDifferences }: Learned): boolean {
  let learned = false;
  const [factsA, factsB] = [a.states[0]!.facts, b.states[0]!.facts];
  if (part === "states") {
    for (const { place } of timeDifferences(factsA, factsB)) {
      noise.ignoreTimes(place);
      learned = true;
    }
    if (learned) return true;
  }
  const [left, right] = [leavesOf(a, part, noise, blank), leavesOf(b, part, noise, blank)];
  const [freshA, freshB] = [places.freshOf(factsA), places.freshOf(factsB)];
  const movedWith = (onlyA: readonly string[], onlyB: readonly string[]): string | undefined => {
    if (onlyA.length === 0 || onlyA.length !== onlyB.length) return undefined;
    const all = (fresh: FreshIds, domain: string, texts: readonly string[]): boolean =>
      texts.every((text) => fresh.has(domain, tokenOf(text)));
    return freshA.domainsOf(tokenOf(onlyA[0]!), "").find((domain) => all(freshA, domain, onlyA) && all(freshB, domain, onlyB));
  };
  const differing = [...new Set([...left.keys(), ...right.keys()])].flatMap((place) => {
    const { isNumber } = left.get(place) ?? right.get(place)!;
    const [ofA, ofB] = [left.get(place)?.texts ?? [], right.get(place)?.texts ?? []];
    const [onlyA, onlyB] = [without(ofA, ofB), without(ofB, ofA)];
    if (onlyA.length === 0 && onlyB.length === 0) return [];
    // Skip texts that differ only in numbers, because these numbers have their own places.
    if (!isNumber && !place.endsWith("[#]") && areEqual(onlyA.map(templateOf), onlyB.map(templateOf))) return [];
    return [{ place, isNumber, onlyA, onlyB, same: ofA.filter((text) => ofB.includes(text)) }];
  });
  for (const { place, isNumber, onlyA, onlyB, same } of differing) {
    if (!isNumber && noise.draw(place, [...onlyA, ...onlyB], same)) learned = true;
  }
  // Return after finding random texts: if a key was random, the places below it have changed and must be compared again.
  if (learned) return true;
  for (const { place, isNumber, onlyA, onlyB } of differing) {
    learned = true;
    const domain = isNumber ? movedWith(onlyA, onlyB) : undefined;
    if (domain !== undefined) places.moves(place, domain);
    else if (place.endsWith("{}")) for (const key of [...onlyA, ...onlyB]) noise.drop(keyPlace(place, key));
    else noise.drop(place.endsWith("[#]") ? place.slice(0, -3) : place);
  }
  return learned;
}

/** Returns the place of the value that belongs to a key. `keys` is the place of the key itself. */
const keyPlace = (keys: string, key: string): string => `${keys.slice(0, -2)}.${key.replaceAll(/\d+/g, "#")}`;

const areEqual = (a: readonly string[], b: readonly string[]): boolean => a.toSorted().join("\n") === b.toSorted().join("\n");

/** Returns the texts that the other list lacks. A text that occurs twice must also occur twice in the other list. */
function without(texts: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return texts.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
