import type { Facts } from "../canonical/facts.ts";
import { droppableField } from "../values/places.ts";
import { FURTHEST_MS, momentOf, resolutionOf, type Moment, type StepWindow } from "../values/times.ts";
import { differingWords, wordOf, wordOfBytes } from "../values/words.ts";
import { Counters } from "./counters.ts";
import { DifferingPairs, dropped, type Pair } from "./differing-pairs.ts";
import { isPlain, joinedTimes, type DroppedField, type GeneratedPlace, type Knowledge, type TimePlace } from "./knowledge.ts";
import { momentKey, momentsOf, momentsOfRemoved } from "./moments.ts";
import { laterTime, timeAt, truncatedTime } from "./paired-times.ts";

/** A state after a step, and the time in which the step ran. */
export interface Execution {
  readonly facts: Facts;
  readonly window: StepWindow;
}

/** A place where one comparison of two executions found generated values, with an example. */
export interface ComparedPlace extends GeneratedPlace {
  /** The field to leave out if the value turns out not to be generated. */
  readonly field: string;
  /**
   * The counters that may have generated the integer, because they gave the same pair of values in the two executions. A counter whose table name
   * occurs in the place comes first. The first counter is also the {@link domain}. Empty if the value is not an integer.
   */
  readonly domains: readonly string[];
  /**
   * `true` if no key of a table had the same pair of values. Such an integer counts as generated only if it grows with each execution and does not
   * change afterwards.
   */
  readonly isLoose?: boolean | undefined;
  readonly sample: readonly [string, string];
}

export interface Compared {
  readonly generated: readonly ComparedPlace[];
  readonly times: readonly TimePlace[];
  /** Times that are equal in both executions, although the executions ran in different seconds. The list contains times at any place of the state. */
  readonly constants: readonly ConstantTime[];
  /**
   * Times in whole minutes, hours or days that are equal in both executions, although the executions ran in different seconds. If experiments show
   * times at the place, a step may have truncated the present time.
   */
  readonly truncated: readonly TimePlace[];
  readonly unexplained: readonly DroppedField[];
}

export interface ConstantTime {
  readonly place: string;
  readonly ms: number;
}

export interface CompareOptions {
  /** Knowledge from earlier experiments. Differences that it explains are skipped. */
  readonly known: Knowledge;
  /** The states of both executions before the step. Default: the root state. */
  readonly before?: readonly Facts[] | undefined;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A text that consists of at least this number of digits counts as an id, not as a number from a counter, unless it is a key of a table. */
const ID_DIGITS = 15;

/**
 * Compares two executions of one step from equal states, and returns the causes of their differences. Texts count as generated only if they
 * correspond one to one: texts that are equal in the first execution are also equal in the second, and the other way round.
 */
export function compareExecutions(a: Execution, b: Execution, options: CompareOptions): Compared {
  const comparison = new Comparison(a, b, options);
  comparison.learnCounters();
  const { integers, texts } = comparison.takeTimes();
  comparison.explainIntegers(integers);
  comparison.explainTexts(texts);
  comparison.explainKnownPlaces();
  const { generated, times, unexplained } = comparison;
  return { generated, times: joinedTimes(times), ...equalTimes(a, b), unexplained };
}

/** A text, or a word of a text, that differs between the executions. */
interface DifferingText {
  readonly place: string;
  /** The letters and digits before the word in the text; empty for a whole text. */
  readonly after: string;
  readonly a: string;
  readonly b: string;
  readonly pair: Pair;
}

/** Sorts the differences of two executions by their causes. Each method is called once, in the order of this class. */
class Comparison {
  readonly generated: ComparedPlace[] = [];
  readonly times: TimePlace[] = [];
  readonly unexplained: DroppedField[];
  readonly #windows: readonly [StepWindow, StepWindow];
  readonly #differing: DifferingPairs;
  readonly #counters = new Counters();
  readonly #before: readonly Facts[];
  readonly #now: readonly Facts[];
  /** The keys that are texts of digits and look like times, as pairs of the values in both executions. */
  readonly #textKeys = new Set<string>();

  constructor(a: Execution, b: Execution, { known, before = [] }: CompareOptions) {
    this.#before = before;
    this.#now = [a.facts, b.facts];
    this.#windows = [a.window, b.window];
    this.#differing = new DifferingPairs(known);
    this.#differing.facts(a.facts, b.facts);
    this.unexplained = [...this.#differing.structure];
  }

  learnCounters(): void {
    const [windowA, windowB] = this.#windows;
    for (const { domain, a: x, b: y } of [...this.#differing.keys, ...this.#differing.pairs]) {
      if (domain === undefined) continue;
      const isText = isTimeInDigits(x, windowA) && isTimeInDigits(y, windowB);
      if (isText) this.#textKeys.add(`${String(x)}\n${String(y)}`);
      // A longer text is an id and needs no counter, because equal ids are the same value everywhere.
      if ((isInteger(x) && isInteger(y)) || (isText && String(x).length < ID_DIGITS)) this.#counters.add(domain, String(x), String(y));
    }
  }

  /** Moves the differences that are times to {@link times}, and returns the other differences. */
  takeTimes(): { readonly integers: readonly Pair[]; readonly texts: readonly DifferingText[] } {
    const integers: Pair[] = [];
    const texts: DifferingText[] = [];
    for (const pair of this.#differing.pairs) {
      // A key that looks like a time is still a key, and so is a reference to such a key.
      const isNumber = isInteger(pair.a) && isInteger(pair.b);
      const isKey = isNumber ? this.#counters.of(pair).length > 0 : this.#textKeys.has(`${String(pair.a)}\n${String(pair.b)}`);
      const time = isKey ? undefined : timeAt(pair, ...this.#windows);
      if (time !== undefined) this.times.push(time);
      else if (isInteger(pair.a) && isInteger(pair.b)) integers.push(pair);
      else if (typeof pair.a === "string" && typeof pair.b === "string") {
        if (isFraction(pair.a, pair.b)) {
          this.unexplained.push(dropped(pair));
          continue;
        }
        for (const words of differingWords(pair.a, pair.b)) {
          const within = words.after === "" ? undefined : timeAt({ ...pair, a: words.a, b: words.b }, ...this.#windows);
          if (within === undefined) texts.push({ place: pair.place, ...words, pair });
          else this.times.push({ ...within, after: words.after });
        }
      } else if (pair.a instanceof Uint8Array && pair.b instanceof Uint8Array) {
        texts.push({ place: pair.place, after: "", a: wordOfBytes(pair.a).key, b: wordOfBytes(pair.b).key, pair });
      } else this.unexplained.push(dropped(pair));
    }
    return { integers, texts };
  }

  explainIntegers(integers: readonly Pair[]): void {
    // Counters outside of tables: they give integers that differ between executions but are not keys, such as a counter in a probe or in the context.
    const loose = new Counters();
    for (const pair of integers)
      if (pair.column === undefined && this.#counters.of(pair).length === 0) loose.add(pair.place, String(pair.a), String(pair.b));
    for (const pair of integers) {
      const keys = this.#counters.of(pair);
      const all = keys.length > 0 ? keys : loose.largest(pair);
      const isLoose = keys.length === 0;
      // A key may descend below zero. Other negative numbers are not ids.
      if (all.length === 0 || (isLoose && !(isNatural(pair.a) && isNatural(pair.b)))) this.unexplained.push(dropped(pair));
      else this.generated.push({ ...sampleOf(pair), place: pair.place, after: "", domain: all[0], domains: all, isLoose });
    }
  }

  explainTexts(texts: readonly DifferingText[]): void {
    const forth = new Map<string, string>();
    const back = new Map<string, string>();
    for (const { place, after, a: x, b: y, pair } of texts) {
      const holding = /^\d+$/.test(x) && /^\d+$/.test(y) ? this.#counters.holding(x, y, place) : undefined;
      // A text of at least ID_DIGITS digits that no key explains is an id, such as a snowflake. Equal ids are the same value everywhere.
      const isId = holding?.length === 0 && Math.min(x.length, y.length) >= ID_DIGITS;
      if (holding !== undefined && !isId) {
        // Digits inside a text may come from a counter that no table shows. The place of the text itself is then used as the counter.
        const all = [...holding, after === "" ? place : `${place} after ${after}`];
        this.generated.push({ field: droppableField(place), sample: [x, y], place, after, domain: all[0], domains: all });
        continue;
      }
      const [from, to] = [wordOf(x).key, wordOf(y).key];
      if (
        (forth.get(from) ?? to) !== to ||
        (back.get(to) ?? from) !== from ||
        this.#differing.isCommon(from) ||
        this.#differing.isCommon(to)
      ) {
        this.unexplained.push(dropped(pair));
        continue;
      }
      forth.set(from, to);
      back.set(to, from);
      this.generated.push(generatedText(place, after, [x, y]));
    }
  }

  /** Finds values at known places that the knowledge about these places does not explain. */
  explainKnownPlaces(): void {
    const [before, now] = [this.#before, this.#now].map((all) => all.map((facts) => new Set(momentsOf(facts).map(momentKey))));
    // Times in tokens and in keys are not among these, and count as written by an earlier step.
    const isWritten = (place: string, ...values: readonly unknown[]): boolean =>
      values.every((value, index) => {
        const moment = momentOf(value);
        const key = moment === undefined ? "" : momentKey({ place, moment });
        return now![index]!.has(key) && before![index]?.has(key) !== true;
      });
    for (const { place, a: x, b: y } of this.#differing.again) {
      const { time, whole } = this.#differing.knownAt(place);
      const later = time && laterTime({ place, a: x, b: y }, time, this.#windows, isWritten(place, x, y));
      if (later !== undefined) this.times.push(later);
      const [from, to] = [textOf(x), textOf(y)];
      if (whole === undefined || whole.domain !== undefined || from === undefined || to === undefined) continue;
      if (isPlain(from, whole) || isPlain(to, whole)) this.generated.push(generatedText(place, "", [from, to]));
    }
  }
}

function generatedText(place: string, after: string, sample: readonly [string, string]): ComparedPlace {
  const leastLength = Math.min(...sample.map(({ length }) => length));
  return { field: droppableField(place), sample, place, after, domain: undefined, domains: [], leastLength };
}

/**
 * Returns `true` for two numbers that are written as text, if at least one of them has a fraction. Such a number is not an id: it may depend on the
 * time between two calls, such as the tokens in a rate limiter's bucket. A number that can be a time in seconds does not count.
 */
function isFraction(...texts: readonly [string, string]): boolean {
  const isNumber = texts.every((text) => /^-?\d+(?:\.\d+)?(?:e-?\d+)?$/.test(text) && momentOf(Number(text)) === undefined);
  return isNumber && texts.some((text) => /[.e]/.test(text));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : value instanceof Uint8Array ? wordOfBytes(value).key : undefined;
}

/** Returns `true` for a text of digits that can be a time near a step, such as an id that is made from the milliseconds since 1970. */
function isTimeInDigits(value: unknown, { startMs }: StepWindow): boolean {
  const moment = typeof value === "string" && /^\d{13,19}$/.test(value) ? momentOf(value) : undefined;
  return moment !== undefined && Math.abs(moment.ms - startMs) < FURTHEST_MS;
}

const isInteger = (value: unknown): boolean => typeof value === "bigint" || Number.isSafeInteger(value);
const isNatural = (value: unknown): boolean => (value as number | bigint) >= 0;

function sampleOf({ place, a, b }: Pair): Pick<ComparedPlace, "field" | "sample"> {
  return { field: droppableField(place), sample: [String(a), String(b)] };
}

/** Returns the times that both executions have at the same place, if the steps cannot have run in the same second. */
function equalTimes(a: Execution, b: Execution): Pick<Compared, "constants" | "truncated"> {
  const apartMs = Math.max(b.window.startMs - a.window.endMs, a.window.startMs - b.window.endMs);
  if (apartMs < 1_000) return { constants: [], truncated: [] };
  const others = new Set(momentsOf(b.facts).map(momentKey));
  const equal = momentsOf(a.facts).filter((one) => others.has(momentKey(one)));
  const ofRoot = new Set(momentsOfRemoved(a.facts).map(momentKey));
  const constants: ConstantTime[] = [];
  const truncated: TimePlace[] = [];
  for (const one of equal) {
    const { place, moment } = one;
    const time = ofRoot.has(momentKey(one)) ? undefined : truncatedTime(place, moment, a.window);
    if (time !== undefined) truncated.push(time);
    else if (isConstant(moment, a.window)) constants.push({ place, ms: moment.ms });
  }
  return { constants, truncated };
}

/**
 * Returns `true` for a time that two executions have in common because no step computes it from the present time. A time within a day must be the
 * beginning or the end of a minute, as in 23:59:59.999. Any other time within a day may be, for example, the time at which the target began.
 */
function isConstant(moment: Moment, { endMs }: StepWindow): boolean {
  const apartMs = Math.abs(moment.ms - endMs);
  if (apartMs > DAY_MS) return true;
  // The end of the present minute is the same in most executions, too.
  return apartMs > MINUTE_MS && [0, 1, 1_000].some((more) => resolutionOf({ ...moment, ms: moment.ms + more }) >= MINUTE_MS);
}
