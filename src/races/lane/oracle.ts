import type { LaneBase } from "../../lane/index.ts";
import type { Facts } from "../../state/facts.ts";
import { differingFields, rowKinds } from "../../state/index.ts";
import type { Execution } from "../oracle/execution.ts";
import { FreshIds } from "../oracle/fresh-ids.ts";
import type { Measure } from "../oracle/judge.ts";
import { noisyPaths } from "../oracle/responses-agree.ts";
import { States } from "../oracle/states-agree.ts";
import type { Calls } from "./calls.ts";
import { interleavings } from "./interleavings.ts";

/** Of the requests of all calls; three of each of two calls are 20. */
const MOST_INTERLEAVINGS = 100;

/** What the trials of one probe are judged by. It learns what differs by itself when a trial does not fit. */
export class Oracle {
  /** Even two executions of one order do not come out alike, in more than single fields. */
  isUnsteady = false;
  readonly #base: LaneBase;
  readonly #calls: Calls;
  readonly #without: Map<string, readonly Execution[]> = new Map();
  readonly #interleaved: Map<string, readonly Execution[] | undefined> = new Map();
  #measure: Measure;
  #learned = false;

  constructor(base: LaneBase, calls: Calls, before: Facts, orders: readonly Execution[]) {
    this.#base = base;
    this.#calls = calls;
    const answers = { placeholders: base.placeholders, clockMs: base.options.clockMs, noisy: new Set<string>() };
    const states = new States(before, base.lookalikes);
    this.#measure = {
      before,
      orders,
      states,
      answers,
      without: (sides) => this.#leaveOut(sides),
      interleaved: (requests) => this.#interleave(requests),
    };
  }

  get measure(): Measure {
    return this.#measure;
  }

  /** Milliseconds that a call takes by itself, at most. */
  get longest(): number {
    const ends = this.#measure.orders.flatMap(({ calls }) =>
      calls.map((call) => call?.exchanges.reduce((sum, one) => sum + one.durationMs, 0) ?? 0),
    );
    return Math.max(0, ...ends);
  }

  /** Executes every order once more, and leaves out from now on what came out otherwise; whether there was such a thing. Only the first time. */
  async learnNoise(): Promise<boolean> {
    if (this.#learned) return false;
    this.#learned = true;
    const fields = new Set<string>();
    const paths = new Set<string>();
    for (const order of this.#measure.orders) this.#compare(order, await this.#calls.inOrder(order.order!), fields, paths);
    if (fields.size === 0 && paths.size === 0) return false;
    const canonicalizer = fields.size === 0 ? this.#base.lookalikes : this.#base.lookalikes.masking([...fields]);
    const { before, orders } = this.#measure;
    this.#measure = {
      ...this.#measure,
      states: new States(before, canonicalizer),
      answers: { ...this.#measure.answers, noisy: paths },
    };
    // What even the masked fields do not explain is no measure for anything.
    for (const order of orders) this.isUnsteady ||= await this.#differsAgain(order);
    return true;
  }

  #compare(a: Execution, b: Execution, fields: Set<string>, paths: Set<string>): void {
    const { before, states, answers } = this.#measure;
    if (!states.agree(a.states[0]!.facts, b.states[0]!.facts)) {
      const { lookalikes: canonicalizer } = this.#base;
      const [one, other] = [a.states[0]!.facts, b.states[0]!.facts];
      for (const field of differingFields(canonicalizer.describe(one), canonicalizer.describe(other), rowKinds(one))) fields.add(field);
      // Nothing that has a name differs: rows came or went by themselves.
      if (fields.size === 0) this.isUnsteady = true;
    }
    const [freshA, freshB] = [new FreshIds(before, a.states[0]!.facts), new FreshIds(before, b.states[0]!.facts)];
    a.calls.forEach((call, side) => {
      const found = noisyPaths(call!, b.calls[side]!, freshA, freshB, answers);
      if (found === undefined) this.isUnsteady = true;
      for (const path of found ?? []) paths.add(path);
    });
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
    for (const { order } of this.#measure.orders) {
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
    const isEqual = new Set(this.#measure.orders[0]!.calls.map((call) => call!.action)).size === 1;
    const all = interleavings(requests, isEqual, MOST_INTERLEAVINGS);
    if (all === undefined) return undefined;
    const found: Execution[] = [];
    for (const turns of all) found.push(await this.#calls.interleaved(turns));
    return found;
  }

  /** No call was made at all. */
  #nothing(): Execution {
    const { before, orders } = this.#measure;
    return { order: [], calls: orders[0]!.calls.map(() => undefined), states: [{ merged: [], facts: before }], broken: [], after: [] };
  }
}
