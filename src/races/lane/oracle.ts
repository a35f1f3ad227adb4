import type { LaneBase } from "../../lane/index.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { differingFields, rowKinds, type Canonicalizer } from "../../state/index.ts";
import { isSameAnswer, type AnswerRules } from "../oracle/answers.ts";
import { areDurations, numbersOf, orderless, type Sample } from "../oracle/durations.ts";
import { areAlike, type CallEnd, type Execution } from "../oracle/execution.ts";
import { IdPlaces } from "../oracle/id-places.ts";
import type { Measure } from "../oracle/judge.ts";
import { learnNoise, Noise, type Part } from "../oracle/noise.ts";
import { keyOf, type Refusals } from "../oracle/refused-requests.ts";
import { States } from "../oracle/states-agree.ts";
import type { Calls } from "./calls.ts";
import { interleavings } from "./interleavings.ts";
import { refusing } from "./refusing.ts";

/** Maximum number of ways to interleave the requests of calls. Two different calls with three requests each can be interleaved in 18 ways. */
const MOST_INTERLEAVINGS = 100;
/**
 * Maximum number of different refusals for which the calls are executed without the refused requests. Of further refusals, only the statuses are
 * compared with earlier refusals, because their texts may differ in each trial.
 */
const MOST_REFUSALS = 8;
/** Number of times that each order of the calls is repeated, to find values that change by themselves. */
const REPEATS = 2;
/** Maximum number of times that the orders of the calls are repeated because a minute or a day may have gone on. */
const MOST_CLOCKS = 2;
/** Maximum number of comparisons of the same two executions. Each comparison may find random keys one level deeper in nested data. */
const ROUNDS = 10;

/**
 * Decides if trials show a race. The expected results are the results of the calls executed one after another, in every order. The first trial that
 * differs from all expected results starts an experiment that finds values which change by themselves.
 */
export class Oracle {
  /** `true` if an order of the calls gives different results when it is repeated, even without the fields that change by themselves. */
  isUnsteady = false;
  readonly rules: AnswerRules;
  readonly #calls: Calls;
  readonly #before: Facts;
  readonly #orders: readonly Execution[];
  readonly #repeats: Execution[] = [];
  readonly #without: Map<string, readonly Execution[]> = new Map();
  readonly #refusing: Map<string, readonly Execution[]> = new Map();
  readonly #interleaved: Map<string, readonly Execution[] | undefined> = new Map();
  readonly #places: IdPlaces;
  readonly #noise: Noise = new Noise();
  #canonicalizer: Canonicalizer;
  #measure: Measure;
  #learned = false;
  #clockLeft = MOST_CLOCKS;

  constructor(base: LaneBase, calls: Calls, before: Facts, orders: readonly Execution[]) {
    this.#calls = calls;
    this.#before = before;
    this.#orders = orders;
    this.#canonicalizer = base.lookalikes;
    this.rules = { placeholders: base.placeholders, clockMs: base.options.clockMs };
    this.#places = new IdPlaces(before, orders);
    this.#measure = this.#measured();
  }

  get measure(): Measure {
    return this.#measure;
  }

  /** The duration in milliseconds of the longest call, when the calls were executed one after another. */
  get longest(): number {
    const ends = this.#orders.flatMap(({ calls }) =>
      calls.map((call) => call?.exchanges.reduce((sum, one) => sum + one.durationMs, 0) ?? 0),
    );
    return Math.max(0, ...ends);
  }

  /**
   * Repeats each order of the calls. Values that differ between repetitions are ignored from then on. Only the first call of this method has an
   * effect.
   * @returns `true` if such values were found
   */
  async learnNoise(): Promise<boolean> {
    if (this.#learned) return false;
    this.#learned = true;
    let learned = false;
    const pairs: (readonly [Execution, Execution])[] = [];
    for (const order of this.#orders) {
      for (let time = 0; time < REPEATS; time++) {
        const again = await this.#calls.inOrder(order.order!);
        this.#repeats.push(again);
        this.#places.learn(again);
        pairs.push([order, again]);
      }
    }
    this.#measure = this.#measured();
    for (const [order, again] of pairs) learned = this.#compare(order, again) || learned;
    if (!learned) return false;
    // Execute each order of the calls once more. If the results still differ, they cannot be used to judge trials.
    for (const order of this.#orders) this.isUnsteady ||= await this.#differsAgain(order);
    return true;
  }

  /**
   * Repeats each order of the calls, to find times in whole minutes or days that went on since the orders were executed. Comparisons then treat them
   * like other times. Only the first {@link MOST_CLOCKS} calls of this method have an effect. @returns `true` if there are such times
   */
  async learnClock(): Promise<boolean> {
    if (this.#clockLeft-- <= 0) return false;
    let learned = false;
    for (const order of this.#orders) {
      const again = await this.#calls.inOrder(order.order!);
      const [one, other] = [order.states[0]!.facts, again.states[0]!.facts];
      learned = this.#measure.states.learnTimes(one, other, { isSameOrder: true }) || learned;
    }
    return learned;
  }

  /**
   * Learns which places hold ids of new rows from a further execution of the calls. The new rows of this execution may have different ids, because a
   * sequence also advances in a transaction that is rolled back.
   */
  learnIds(execution: Execution): void {
    this.#places.learn({ ...execution, after: [execution.states[0]!.facts] });
    this.#measure = this.#measured();
  }

  /**
   * Finds numbers that depend on the duration of the calls, because such numbers may explain why a trial differs from all orders of the calls. Makes
   * further trials to find these numbers, which comparisons then ignore.
   * @param again Executes the calls simultaneously once more.
   * @returns `true` if any number was a duration
   */
  async learnDurations(trial: Execution, again: () => Promise<Execution | undefined>, times: number): Promise<boolean> {
    // Leave out places that hold a counter. Some of these places are in the list only because their names suggest a duration.
    const places = [...orderless([...this.#orders, ...this.#repeats])].filter((place) => !this.#places.counts(place));
    const met = [trial];
    const differing = (): readonly string[] => {
      const [alone, together] = [this.#samples(this.#orders), this.#samples(met)];
      const texts = (samples: readonly Sample[] | undefined): string =>
        JSON.stringify([...new Set(samples?.map(({ value }) => value))].sort((a, b) => a - b));
      return places.filter((place) => texts(alone.get(place)) !== texts(together.get(place)));
    };
    if (differing().length === 0) return false;
    for (let time = 0; time < times; time++) {
      const execution = await again();
      if (execution !== undefined) met.push(execution);
    }
    const [alone, together] = [this.#samples([...this.#orders, ...this.#repeats]), this.#samples(met)];
    const durations = differing().filter((place) => areDurations(place, alone.get(place) ?? [], together.get(place) ?? []));
    for (const place of durations) this.#noise.drop(place);
    if (durations.length > 0) this.#measure = this.#measured();
    return durations.length > 0;
  }

  #samples(executions: readonly Execution[]): ReadonlyMap<string, readonly Sample[]> {
    const found = new Map<string, readonly Sample[]>();
    for (const [place, samples] of executions.flatMap((one) => [...numbersOf(one)]))
      found.set(place, [...(found.get(place) ?? []), ...samples]);
    return found;
  }

  #measured(): Measure {
    return {
      before: this.#before,
      orders: this.#orders,
      states: new States(this.#canonicalizer, this.#places, this.rules, this.#noise),
      without: (sides) => this.#leaveOut(sides),
      refusing: (refusals) => this.#refuse(refusals),
      interleaved: (requests, refusals) => this.#interleave(requests, refusals),
    };
  }

  /** Compares two executions with the same order of the calls, and ignores the differences from then on. @returns `true` if there were differences */
  #compare(a: Execution, b: Execution): boolean {
    const [one, other] = [a.states[0]!.facts, b.states[0]!.facts];
    const times = this.#measure.states.learnTimes(one, other, { isSameOrder: true });
    const states = this.#learn(a, b, "states", () => this.#measure.states.agree(one, other));
    const masked = this.#mask(a, b);
    if (a.calls.some((call, side) => call!.kind !== b.calls[side]!.kind || !isSameAnswer(call!, b.calls[side]!))) {
      this.isUnsteady = true;
      return true;
    }
    const answers = this.#learn(a, b, "answers", () => this.#answersAgree(a, b));
    return times || states || masked || answers;
  }

  #answersAgree(a: Execution, b: Execution): boolean {
    const answered = ({ calls, states }: Execution): { calls: readonly CallEnd[]; facts: Facts } => ({
      calls: calls.filter((call) => call !== undefined),
      facts: states[0]!.facts,
    });
    return this.#measure.states.answersAgree(answered(a), answered(b));
  }

  #learn(a: Execution, b: Execution, part: Part, agree: () => boolean): boolean {
    const blank = (text: string): string => this.#measure.states.texts.blank(text);
    let learned = false;
    const round = (): void => {
      for (let time = 0; time < ROUNDS && !agree(); time++) {
        const { states } = this.#measure;
        const timeDifferences: States["timeDifferences"] = (one, other) => states.timeDifferences(one, other);
        if (!learnNoise(a, b, part, { noise: this.#noise, places: this.#places, blank, timeDifferences })) return;
        learned = true;
        this.#measure = this.#measured();
      }
    };
    round();
    if (!learned || agree()) return learned;
    // The executions differ although their random texts were replaced by equal placeholders. Ignore the values at the places of these texts
    // completely.
    this.#noise.undraw();
    this.#measure = this.#measured();
    round();
    return true;
  }

  /** Ignores the fields of the state in which two executions still differ. @returns `true` if the states still differed */
  #mask(a: Execution, b: Execution): boolean {
    const { states } = this.#measure;
    const [one, other] = [a.states[0]!.facts, b.states[0]!.facts];
    if (states.agree(one, other)) return false;
    const [left, right] = [states.renamed(one), states.renamed(other)];
    const fields = differingFields(this.#canonicalizer.describe(left), this.#canonicalizer.describe(right), rowKinds(one));
    // If no field differs, the target adds or removes rows by itself. Races of such a target cannot be detected.
    if (fields.length === 0) this.isUnsteady = true;
    else this.#canonicalizer = this.#canonicalizer.masking([...fields]);
    this.#measure = this.#measured();
    return true;
  }

  async #differsAgain(order: Execution): Promise<boolean> {
    const again = await this.#calls.inOrder(order.order!);
    const [one, other] = [order.states[0]!.facts, again.states[0]!.facts];
    const { states } = this.#measure;
    states.learnTimes(one, other, { isSameOrder: true });
    for (const { place } of states.timeDifferences(one, other)) this.#noise.ignoreTimes(place);
    this.#measure = this.#measured();
    return !states.agreeWithoutTimes(one, other);
  }

  async #leaveOut(sides: readonly number[]): Promise<readonly Execution[]> {
    const key = sides.join();
    const known = this.#without.get(key);
    if (known !== undefined) return known;
    const found: Execution[] = [];
    const seen = new Set<string>();
    for (const { order } of this.#orders) {
      const rest = order!.filter((side) => !sides.includes(side));
      if (seen.has(rest.join())) continue;
      seen.add(rest.join());
      found.push(rest.length === 0 ? this.#nothing() : await this.#calls.inOrder(rest));
    }
    this.#without.set(key, found);
    return found;
  }

  /** Executes each order without the refused requests. If the calls are alike, each of them may be the refused call. */
  async #refuse(refusals: Refusals): Promise<readonly Execution[]> {
    const key = this.#keyOf(refusals);
    const known = this.#refusing.get(key);
    if (known !== undefined) return known;
    const found: Execution[] = [];
    for (const { order, calls } of this.#orders) {
      for (const one of areAlike(calls) ? [order!, order!.toReversed()] : [order!]) {
        found.push(await this.#calls.inOrder(one, refusing(refusals)));
      }
    }
    this.#refusing.set(key, found);
    return found;
  }

  async #interleave(requests: readonly number[], refusals: Refusals): Promise<readonly Execution[] | undefined> {
    const key = `${requests.join()} ${this.#keyOf(refusals)}`;
    if (!this.#interleaved.has(key)) this.#interleaved.set(key, await this.#executed(requests, refusals));
    return this.#interleaved.get(key);
  }

  #keyOf(refusals: Refusals): string {
    const key = keyOf(refusals, (text) => this.#measure.states.texts.blank(text));
    return this.#refusing.has(key) || this.#refusing.size < MOST_REFUSALS ? key : keyOf(refusals, () => "");
  }

  async #executed(requests: readonly number[], refusals: Refusals): Promise<readonly Execution[] | undefined> {
    const isEqual = refusals.size === 0 && areAlike(this.#orders[0]!.calls);
    const all = interleavings(requests, isEqual, MOST_INTERLEAVINGS);
    if (all === undefined) return undefined;
    const found: Execution[] = [];
    for (const turns of all) {
      if (this.#calls.isCancelled) return undefined;
      found.push(await this.#calls.interleaved(turns, (deliver) => refusing(refusals, deliver)));
    }
    return found;
  }

  #nothing(): Execution {
    const [before, orders] = [this.#before, this.#orders];
    return { order: [], calls: orders[0]!.calls.map(() => undefined), states: [{ merged: [], facts: before }], broken: [], after: [] };
  }
}
