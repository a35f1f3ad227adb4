import type { LaneBase } from "../../lane/index.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { differingFields, rowKinds, type Canonicalizer } from "../../state/index.ts";
import type { AnswerRules } from "../oracle/answers.ts";
import { areDurations, numbersOf, orderless, type Sample } from "../oracle/durations.ts";
import type { CallEnd, Execution } from "../oracle/execution.ts";
import { IdPlaces } from "../oracle/id-places.ts";
import type { Measure } from "../oracle/judge.ts";
import { learnNoise, Noise, type Part } from "../oracle/noise.ts";
import { States } from "../oracle/states-agree.ts";
import type { Calls } from "./calls.ts";
import { interleavings } from "./interleavings.ts";

/** Limit of the orders of all calls' requests; three requests of each of two calls have 20. */
const MOST_INTERLEAVINGS = 100;
/** How often each order is repeated to find values that differ by themselves. */
const REPEATS = 2;
/** Limit of the depth at which drawn keys may be nested. */
const ROUNDS = 10;

/**
 * The specification by which the trials of one probe are judged: the orders of the calls, and the values that differ by themselves. Those are learnt
 * when a trial does not fit.
 */
export class Oracle {
  /** `true` if even two executions of one order differ in more than single fields. */
  isUnsteady = false;
  readonly rules: AnswerRules;
  readonly #calls: Calls;
  readonly #before: Facts;
  readonly #orders: readonly Execution[];
  /** Repeated executions of the orders. */
  readonly #repeats: Execution[] = [];
  readonly #without: Map<string, readonly Execution[]> = new Map();
  readonly #interleaved: Map<string, readonly Execution[] | undefined> = new Map();
  readonly #places: IdPlaces;
  readonly #noise: Noise = new Noise();
  #canonicalizer: Canonicalizer;
  #measure: Measure;
  #learned = false;

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

  /** The longest time, in milliseconds, that a call takes alone. */
  get longest(): number {
    const ends = this.#orders.flatMap(({ calls }) =>
      calls.map((call) => call?.exchanges.reduce((sum, one) => sum + one.durationMs, 0) ?? 0),
    );
    return Math.max(0, ...ends);
  }

  /**
   * Repeats every order a few times, and ignores from now on the values that differed. Returns `true` if there were any. Only the first call does
   * this.
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
    // If a difference remains, the orders cannot serve as a specification.
    for (const order of this.#orders) this.isUnsteady ||= await this.#differsAgain(order);
    return true;
  }

  /**
   * Returns `true` if durations in a trial's answers or its state may be the reason why it fits no order: the numbers that differ are durations
   * according to how long the calls of further trials took. They are not compared from then on. `again` makes the calls meet again.
   */
  async learnDurations(trial: Execution, again: () => Promise<Execution | undefined>, times: number): Promise<boolean> {
    // A counter is not a duration, whatever its name.
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
      interleaved: (requests) => this.#interleave(requests),
    };
  }

  /** Learns the differences between two executions of one order; returns `true` if there were any. */
  #compare(a: Execution, b: Execution): boolean {
    const states = this.#learn(a, b, "states", () => this.#measure.states.agree(a.states[0]!.facts, b.states[0]!.facts));
    const masked = this.#mask(a, b);
    if (a.calls.some((call, side) => call!.kind !== b.calls[side]!.kind || call!.status !== b.calls[side]!.status)) {
      this.isUnsteady = true;
      return true;
    }
    const answers = this.#learn(a, b, "answers", () => this.#answersAgree(a, b));
    return states || masked || answers;
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
        if (!learnNoise(a, b, part, { noise: this.#noise, places: this.#places, blank })) return;
        learned = true;
        this.#measure = this.#measured();
      }
    };
    round();
    if (!learned || agree()) return learned;
    // The two executions do not use these texts in the same way, so they were not drawn names.
    this.#noise.undraw();
    this.#measure = this.#measured();
    round();
    return true;
  }

  /** Ignores the remaining fields of the state that differ. */
  #mask(a: Execution, b: Execution): boolean {
    const { states } = this.#measure;
    const [one, other] = [a.states[0]!.facts, b.states[0]!.facts];
    if (states.agree(one, other)) return false;
    const [left, right] = [states.renamed(one), states.renamed(other)];
    const fields = differingFields(this.#canonicalizer.describe(left), this.#canonicalizer.describe(right), rowKinds(one));
    // Nothing that has a name differs: rows were added or removed without a call.
    if (fields.length === 0) this.isUnsteady = true;
    else this.#canonicalizer = this.#canonicalizer.masking([...fields]);
    this.#measure = this.#measured();
    return true;
  }

  async #differsAgain(order: Execution): Promise<boolean> {
    const again = await this.#calls.inOrder(order.order!);
    return !this.#measure.states.agree(order.states[0]!.facts, again.states[0]!.facts);
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

  async #interleave(requests: readonly number[]): Promise<readonly Execution[] | undefined> {
    const key = requests.join();
    if (!this.#interleaved.has(key)) this.#interleaved.set(key, await this.#executed(requests));
    return this.#interleaved.get(key);
  }

  async #executed(requests: readonly number[]): Promise<readonly Execution[] | undefined> {
    const isEqual = new Set(this.#orders[0]!.calls.map((call) => call!.action)).size === 1;
    const all = interleavings(requests, isEqual, MOST_INTERLEAVINGS);
    if (all === undefined) return undefined;
    const found: Execution[] = [];
    for (const turns of all) found.push(await this.#calls.interleaved(turns));
    return found;
  }

  /** Returns the execution of no call. */
  #nothing(): Execution {
    const [before, orders] = [this.#before, this.#orders];
    return { order: [], calls: orders[0]!.calls.map(() => undefined), states: [{ merged: [], facts: before }], broken: [], after: [] };
  }
}
