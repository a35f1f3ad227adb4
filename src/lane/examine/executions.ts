import {
  AFTER_FOUND,
  beginsInName,
  compareExecutions,
  eachDifference,
  hasResolution,
  joined,
  joinedTimes,
  NOTHING_KNOWN,
  valuesAt,
  type Compared,
  type DroppedField,
  type Execution,
  type Knowledge,
  type RowKinds,
} from "../../state/index.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";

/** Time in milliseconds between the starts of two executions, so that even times in whole seconds differ between them. */
export const APART_MS = 1_100;

/** A state on a path that an experiment executed. */
export interface Stop extends Execution {
  readonly stores: Fingerprint;
  readonly action: number;
  readonly status: number;
  /**
   * The fingerprint of the state, independent of the order in which values were generated: two steps may write equal times in whole seconds by
   * chance.
   */
  readonly print: Fingerprint;
  readonly lines: readonly string[];
  readonly kinds: RowKinds;
}

interface Differences {
  /** Values that were recognised as generated. `stop`: the index of the step after which the value was found. */
  readonly generated: (Compared["generated"][number] & { readonly stop: number })[];
  readonly times: Compared["times"][number][];
  readonly constants: Compared["constants"][number][];
  readonly truncated: Compared["truncated"][number][];
  readonly unexplained: DroppedField[];
}

/** The executions of one path, and what their comparison shows about the target's values. */
export class Executions {
  readonly #knowledge: Knowledge;
  /** The names of the actions. */
  readonly #names: readonly string[];
  readonly #isOfSetup: (ms: number) => boolean;
  readonly #all: (readonly Stop[])[] = [];
  /** The time at which each execution began, in milliseconds. */
  readonly #begun: number[] = [];
  /** The executions that ended early, because a step failed or the target did not answer. */
  readonly #cut = new Set<readonly Stop[]>();
  /** The results of all comparisons so far. Key: the indices of the two executions. */
  readonly #compared = new Map<string, Differences>();
  /** `true` if only executions that began in different seconds are compared. */
  onlyApart = false;

  /** @param isOfSetup Returns `true` for a time that may be computed from a time that `setup` wrote. Such a time differs between lanes. */
  constructor(knowledge: Knowledge, names: readonly string[], isOfSetup: (ms: number) => boolean = () => false) {
    this.#knowledge = knowledge;
    this.#names = names;
    this.#isOfSetup = isOfSetup;
  }

  get count(): number {
    return this.#all.length;
  }

  get first(): readonly Stop[] {
    return this.#all[0]!;
  }

  get last(): readonly Stop[] {
    return this.#all.at(-1)!;
  }

  /** The time at which the last execution began, in milliseconds. */
  get lastBegunMs(): number {
    return this.#begun.at(-1)!;
  }

  /** Adds an execution. `isCut`: `true` if the execution ended early, because a step failed or the target did not answer. */
  add(stops: readonly Stop[], begunMs: number, isCut: boolean): void {
    this.#all.push(stops);
    this.#begun.push(begunMs);
    if (isCut) this.#cut.add(stops);
  }

  /** Returns the unexplained fields that still differ after the generated values and times in `learned` are taken into account. */
  lasting(suspects: readonly DroppedField[], learned: Knowledge): readonly DroppedField[] {
    if (suspects.length === 0) return [];
    const known = joined(this.#knowledge, learned);
    const differing = new Set<string>();
    for (const [a, b] of this.#pairs()) {
      const { generated, unexplained } = this.#compare(a, b, known);
      for (const { field } of [...generated, ...unexplained]) differing.add(field);
    }
    return suspects.filter(({ field }) => differing.has(field));
  }

  #pairs(): readonly (readonly [number, number])[] {
    const all = this.#all.flatMap((_, b) => Array.from({ length: b }, (__, a) => [a, b] as const));
    return this.onlyApart ? all.filter(([a, b]) => this.isApart(a, b)) : all;
  }

  /** Returns `true` if two executions began in different seconds. */
  isApart(a: number, b: number): boolean {
    return Math.abs(this.#begun[a]! - this.#begun[b]!) >= APART_MS;
  }

  /** Removes the last execution. */
  forgetLast(): void {
    this.#compared.clear();
    this.#all.pop();
    this.#begun.pop();
  }

  /** Returns `true` if a value is only equal in executions that began in the same second. Such a value may be computed from the second. */
  dependsOnSecond(): boolean {
    const pairs = this.#pairs().map(([a, b]) => ({
      isApart: this.isApart(a, b),
      places: new Set(this.#between(a, b).generated.map(({ place }) => place)),
    }));
    const places = new Set(pairs.flatMap((pair) => [...pair.places]));
    return [...places].some((place) => {
      const equal = pairs.filter((pair) => !pair.places.has(place));
      return equal.length > 0 && equal.every(({ isApart }) => !isApart);
    });
  }

  /** Returns the index of the first step after which two executions differ. Returns -1 if they do not differ. */
  differing(a: number, b: number): number {
    const [x, y] = [this.#all[a]!, this.#all[b]!];
    const length = Math.min(x.length, y.length);
    for (let i = 0; i < length; i++) if (x[i]!.print.lo !== y[i]!.print.lo || x[i]!.status !== y[i]!.status) return i;
    return x.length === y.length ? -1 : length;
  }

  /** Returns a sentence about the first step whose status differs between executions. */
  unlike(): readonly string[] {
    const [first, ...others] = this.#all as [readonly Stop[], ...(readonly Stop[])[]];
    for (const [index, stop] of first.entries()) {
      const other = others.find((walk) => walk[index]?.status !== stop.status && (index < walk.length || !this.#cut.has(walk)));
      if (other === undefined) continue;
      const name = this.#names[stop.action]!;
      const then = other[index]?.status;
      const again =
        then === undefined ? `seqqa could not call ${name} when it repeated the path` : `with ${then} when seqqa repeated the path`;
      return [`the target answered ${name} with ${stop.status} the first time, but ${again}`];
    }
    return [];
  }

  /** Compares the first two executions. `counters`: the counters that differ, each with the index of the first step after which it differs. */
  compared(): {
    readonly generated: readonly (Compared["generated"][number] & { readonly isShort: boolean })[];
    readonly counters: ReadonlyMap<string, number>;
  } {
    const { generated } = this.#between(0, 1);
    const counters = new Map<string, number>();
    for (const { place, domain, isLoose, stop } of generated) {
      // The counter of an integer is unknown if the integer is not in a key of a table. Use the integer's place in the state instead.
      const counter = isLoose === true ? place : domain;
      if (counter !== undefined && !counters.has(counter)) counters.set(counter, stop);
    }
    return { generated: generated.map((one) => ({ ...one, isShort: one.domain === undefined && one.sample.some(isShort) })), counters };
  }

  /**
   * Compares all pairs of executions. A value that differs in every pair is a generated value. A value that is equal in some pair was chosen at
   * random, so it is not recognised.
   */
  judged(): Pick<Knowledge, "generated" | "times" | "noisyActions"> & { readonly suspects: readonly DroppedField[] } {
    const all = withWholes(this.#pairs().map(([a, b]) => this.#between(a, b)));
    const keyOf = ({ place, after }: { readonly place: string; readonly after: string }): string => `${place}\n${after}`;
    const suspects = new Map(all.flatMap(({ unexplained }) => unexplained).map((one) => [one.field, one]));
    const generated = new Map(all.flatMap((one) => one.generated).map((one) => [keyOf(one), one]));
    const found = joinedTimes(all.flatMap((pair) => pair.times));
    const times = joinedTimes([...found, ...this.#withConstants(found, all), ...this.#withTruncated(found, all)]);
    const counters = new Map<string, string>();
    const random = new Set<string>();
    const texts = new Map<string, Pick<Knowledge["generated"][number], "leastLength" | "isLetters">>();
    for (const [key, one] of generated) {
      const pairs = all.map((pair) => pair.generated.filter((other) => keyOf(other) === key));
      const isHeld = (domain: string): boolean => pairs.every((some) => some.some(({ domains }) => domains.includes(domain)));
      // A short hexadecimal id may by chance consist only of digits. If the value is not an integer in some pair, the value is text.
      const isText = pairs.some((some) => some.some(({ domain }) => domain === undefined));
      const samples = pairs.flat().flatMap(({ sample }) => sample);
      const isLetters = samples.every((text) => /^[A-Za-z._ -]+$/.test(text));
      texts.set(key, { leastLength: Math.min(...samples.map(({ length }) => length)), ...(isLetters && { isLetters }) });
      // A column may refer to several tables, so its values may come from several counters. Take the counter that explains the values in all pairs.
      // Without such a counter, take the counter of the column itself.
      const counter = one.domains.find(isHeld) ?? one.domain;
      if (isRandom(pairs.flat())) random.add(key);
      // Random digits in a text that no integer key holds are a code, such as a voucher, and do not come from a counter.
      const isCode = one.isLoose === undefined && counter === one.domains.at(-1) && random.has(key);
      if (counter !== undefined && !isText && !isCode) counters.set(key, counter);
      const isMade = one.isLoose !== true || (pairs.flat().every(isGrowing) && this.#stays(one.place));
      if (isMade && pairs.every((some) => some.length > 0)) continue;
      generated.delete(key);
      suspects.set(one.field, { field: one.field, values: one.sample });
    }
    // If no difference was found in the states, either a request causes the difference, or a field was classified wrongly.
    const noisy = generated.size + times.length + suspects.size > 0 ? [] : this.#unplaced(suspects);
    return {
      generated: [...generated].map(([key, { place, after }]) => {
        const domain = counters.get(key);
        if (domain === undefined) return { place, after, domain, ...texts.get(key) };
        return { place, after, domain, ...(random.has(key) && { isRandom: true as const }) };
      }),
      times,
      suspects: [...suspects.values()],
      noisyActions: noisy,
    };
  }

  /**
   * Returns places at which times are known or were `found`, with the newly found constants at each place. A constant is a time that is equal in
   * executions in different seconds.
   */
  #withConstants(found: Knowledge["times"], pairs: readonly Differences[]): Knowledge["times"] {
    const all = pairs.flatMap(({ constants }) => constants).filter(({ ms }) => !this.#isOfSetup(ms));
    return joinedTimes([...this.#knowledge.times, ...found]).flatMap((one) => {
      const constants = all.filter(({ place, ms }) => one.after === "" && place === one.place && one.constants?.includes(ms) !== true);
      return constants.length === 0 ? [] : [{ ...one, constants: constants.map(({ ms }) => ms) }];
    });
  }

  /** Returns truncated times with a new resolution, at places at which times are known or were `found`. */
  #withTruncated(found: Knowledge["times"], pairs: readonly Differences[]): Knowledge["times"] {
    const places = joinedTimes([...this.#knowledge.times, ...found]).filter(({ after }) => after === "");
    return pairs
      .flatMap(({ truncated }) => truncated)
      .filter((one) => places.some((known) => known.place === one.place && !hasResolution(known, one.resolutionMs)));
  }

  /** Returns `true` if some value at this place did not change between two consecutive steps of the first execution. */
  #stays(place: string): boolean {
    const all = this.#all[0]!.map(({ facts }) => valuesAt(facts, place));
    return all.some((values, stop) => values.some((value) => all[stop + 1]?.includes(value)));
  }

  /**
   * Explains why two executions differ although all differing values are known. Adds the fields that still differ to `suspects`. Without such fields,
   * returns the name of the action whose requests differ each time.
   */
  #unplaced(suspects: Map<string, DroppedField>): readonly string[] {
    const at = this.differing(0, 1);
    const [x, y] = [this.#all[0]![at], this.#all[1]![at]];
    if (x === undefined || y === undefined || x.status !== y.status) return [];
    eachDifference(
      x.lines,
      y.lines,
      (one) => one.kind === "field" && suspects.set(one.name, { field: one.name, values: [one.before, one.value] }),
      x.kinds,
    );
    return suspects.size === 0 ? [this.#names[x.action]!] : [];
  }

  #between(a: number, b: number): Differences {
    const key = `${a} ${b}`;
    const known = this.#compared.get(key) ?? this.#compare(a, b, this.#knowledge);
    this.#compared.set(key, known);
    return known;
  }

  /** Compares two executions step by step. Values that are recognised after one step are taken into account for the later steps. */
  #compare(a: number, b: number, before: Knowledge): Differences {
    const [x, y] = [this.#all[a]!, this.#all[b]!];
    const found: Differences = { generated: [], times: [], constants: [], truncated: [], unexplained: [] };
    let known = before;
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
      if (x[i]!.status !== y[i]!.status) break;
      const compared = compareExecutions(x[i]!, y[i]!, { known, before: i === 0 ? [] : [x[i - 1]!.facts, y[i - 1]!.facts] });
      found.generated.push(...compared.generated.map((one) => ({ ...one, stop: i })));
      found.times.push(...compared.times);
      found.constants.push(...compared.constants);
      found.truncated.push(...compared.truncated);
      found.unexplained.push(...compared.unexplained);
      known = joined(known, { ...NOTHING_KNOWN, generated: compared.generated, times: compared.times, dropped: compared.unexplained });
    }
    return found;
  }
}

/**
 * Returns the comparisons of all pairs of executions with one change: if the whole text at a place is generated in one pair, the whole text counts as
 * generated in all pairs. In some pairs, only a word of the text differs. In other pairs, the words of the two texts cannot be matched, because a
 * generated word contains separators by chance (such as `%2F` in an encoded signature). Numbers are not changed. The same holds for a key in base64
 * that is one word in one pair: in another pair, it may contain no other characters than letters and digits.
 */
function withWholes(pairs: readonly Differences[]): readonly Differences[] {
  const wholes = new Set(
    pairs.flatMap(({ generated }) =>
      generated.filter(({ after, sample }) => after === "" && !sample.every(isNumber)).map(({ place }) => place),
    ),
  );
  const wide = pairs.flatMap(({ generated }) => generated.filter(({ after }) => beginsInName(after)));
  return pairs.map((pair) => ({
    ...pair,
    generated: pair.generated.map((one) => {
      const { place, after } = one;
      const other = wide.find((some) => some.place === place && (after === AFTER_FOUND || some.after.slice(0, -1) === after));
      const wider = wholes.has(place) ? "" : (other?.after ?? after);
      return wider === after ? one : { ...one, after: wider, domain: undefined, domains: [] };
    }),
  }));
}

const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text);

const isGrowing = ({ sample: [a, b] }: Differences["generated"][number]): boolean => BigInt(a) < BigInt(b);

/** The number of digits from which an integer may be random. */
const RANDOM_DIGITS = 6;

/**
 * Returns `true` for integers that do not come from a counter. A counter grows by a small amount from one execution to the next. A random integer
 * does not always grow, and mostly changes by a large amount.
 */
function isRandom(pairs: readonly Differences["generated"][number][]): boolean {
  const isLong = pairs.every(({ sample }) => sample.every((text) => text.length >= RANDOM_DIGITS && /^\d+$/.test(text)));
  const isCounted = ({ sample: [a, b] }: Differences["generated"][number]): boolean => {
    const grown = BigInt(b) - BigInt(a);
    return grown > 0n && grown * 100n < 10n ** BigInt(b.length);
  };
  return isLong && !pairs.every(isCounted);
}

/**
 * Returns `true` for a short text or a word. A text that was chosen at random from a list occurs again after a few executions. An id does not occur
 * again.
 */
function isShort(text: string): boolean {
  return text.length < 10 || !/\d/.test(text);
}
