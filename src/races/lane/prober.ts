import type { RaceAnswer, RaceHit, RaceRequest } from "../../messages/race-messages.ts";
import { isAt, LaneLost, lossOf, type RaceGround } from "../../lane/index.ts";
import type { RaceDelivery, RaceOutcome, RaceSchedule } from "../../model/results/result.ts";
import { Severity } from "../../model/declare/severity.ts";
import type { WireRoute } from "../../model/http/wire.ts";
import { markedDifferences, sameNames, stateView, whatDiffers, type Marked, type StateView } from "../../state/index.ts";
import type { Execution } from "../oracle/execution.ts";
import { judge, shows, type Judgement } from "../oracle/judge.ts";
import { verdictRank } from "../oracle/verdict-rank.ts";
import { isSuspect } from "../oracle/suspect.ts";
import { areTwins } from "../own-data.ts";
import { permutations } from "../permutations.ts";
import { Calls } from "./calls.ts";
import { Oracle } from "./oracle.ts";
import { stopFollowing, type Deliver } from "./race-scope.ts";
import { Plans, type Trial, type TrialPlan, type Delivery } from "./deliveries.ts";
import type { DeliveriesOfLane } from "./deliveries-of-lane.ts";

/** Milliseconds between the end of one call and the start of the next in a control arm. */
const STAGGER = 50;
/** Longest time in milliseconds between two calls of a repeated control arm, unless a call takes longer. */
const MOST_STAGGER = 2_000;
/** Maximum number of times that a control arm is repeated because its calls overlapped. */
const MOST_REPEATS = 3;
const CHANGES = 40;
/**
 * Limits for detecting a target that varies by itself, because such a target seems to have a race. `OVERLOOKED`: the accepted probability of not
 * detecting such a target. `MOST_ORDERS`: the maximum number of executions for detecting it.
 */
const OVERLOOKED = 0.01;
const MOST_ORDERS = 100;
/**
 * `DURATION_TRIALS`: number of trials that show if a number is a duration. `MOST_DURATIONS`: limit for how often these trials are made in one state.
 */
const DURATION_TRIALS = 4;
const MOST_DURATIONS = 2;
/** Maximum number of writes by one call that are tried with a gate (which holds a write in a store). Each trial holds one write. */
const MOST_WRITES = 4;

/** A control arm showed the race: with calls that did not overlap (`control`), or that overlapped each time (`control_overlaps`). */
type Refuted = "control" | "control_overlaps";

/** Looks for a race in one state: executes the calls one after another, then simultaneously, and compares the results. */
export class Prober {
  readonly #ground: RaceGround;
  readonly #request: RaceRequest;
  readonly #ways: DeliveriesOfLane;
  readonly #calls: Calls;
  #hits = 0;
  #trials = 0;
  #misses = 0;
  #suspect = false;
  #dismissed: RaceAnswer["dismissed"];
  #hit: RaceHit | undefined;
  #dismissedHit: RaceHit | undefined;
  #durationsAsked = 0;
  #oracle: Oracle | undefined;
  #last: RaceOutcome | undefined;
  /** The state in which the calls are sent. `undefined` if its fingerprint was not recorded. */
  #before: StateView | undefined;
  readonly #deliveries: Partial<Record<RaceDelivery, number>> = {};

  constructor(ground: RaceGround, request: RaceRequest, ways: DeliveriesOfLane) {
    this.#ground = ground;
    this.#request = request;
    this.#ways = ways;
    this.#calls = new Calls({ ground, path: request.path, draws: request.draws, sides: request.sides });
  }

  async run(): Promise<RaceAnswer> {
    const { mode, wanted, isSeen } = this.#request;
    let failure: RaceAnswer["failure"];
    try {
      await this.#calls.listening(async () => {
        await this.#probe();
        const race = this.#hit ?? (isSeen === true && this.#dismissed === undefined && this.#trials > 0 ? wanted : undefined);
        if (mode === "measure" && race !== undefined) await this.#compareOrders(race);
      });
    } catch (error) {
      failure = { kind: lossOf(error), message: error instanceof Error ? error.message : String(error) };
    } finally {
      stopFollowing();
      // Drop errors of the user's code that occurred while probing, because they belong to no step of the exploration.
      this.#ground.base.stepper.strays.length = 0;
      this.#ground.base.stepper.uncaught.length = 0;
      this.#ground.leave();
    }
    const dismissedHit = this.#hit === undefined && (this.#dismissed ?? failure) !== undefined ? this.#dismissedHit : undefined;
    const [before, now] = [this.#request.before, this.#before];
    const isKnown = before !== undefined && now !== undefined;
    return {
      hit: this.#hit,
      last: this.#hit === undefined ? this.#last : undefined,
      suspect: this.#suspect,
      drew: this.#calls.drew,
      hits: this.#hits,
      trials: this.#trials,
      misses: this.#misses,
      deliveries: this.#deliveries,
      dismissed: this.#dismissed,
      before: (this.#hit ?? dismissedHit) === undefined ? undefined : this.#before,
      difference: isKnown && this.#dismissed === "not_there" ? whatDiffers(before, now) : undefined,
      dismissedHit,
      failure,
    };
  }

  async #view(): Promise<StateView> {
    const { state, canonicalizer } = this.#ground.base;
    return stateView(canonicalizer.marked(await state.facts()), state.own().origins);
  }

  async #probe(): Promise<void> {
    const { effort, mode } = this.#request;
    const before = await this.#calls.arrive();
    if (this.#request.at !== undefined) this.#before = await this.#view();
    if (!(await isAt(this.#ground.base, this.#request.at))) return void (this.#dismissed = "not_there");
    const orders: Execution[] = [];
    const routes = new Map<string, WireRoute>();
    const note: Deliver = (_side, request, route, send) => {
      routes.set(route.key, route);
      return send(request);
    };
    for (const order of ordersOf(this.#request)) {
      const execution = await this.#calls.inOrder(order, note);
      // Dismiss the pair if a call fails when the calls are executed one after another, because there is then no result with which trials can be
      // compared.
      if (execution.calls.some((call) => call?.kind === "lost" || call?.kind === "failed")) return void (this.#dismissed = "order_fails");
      orders.push(execution);
    }
    const { base } = this.#ground;
    const oracle = (this.#oracle = new Oracle(base, this.#calls, before, orders));
    this.#suspect = isSuspect(before, orders, oracle.rules);
    const plans = new Plans(orders, effort.seed);
    const ways = await this.#ways.delivered(this.#request, [...routes.values()], plans.durations);
    if (ways === "one_connection") return void (this.#dismissed = ways);
    if (await this.#gated(oracle, plans)) return;
    // Execute the control arm before the trials, because a trial that loses a call would leave the lane unusable for the control arm.
    if (this.#isOfLost() && ways[0] !== undefined) {
      this.#dismissed = await this.#control(ways[0], oracle, plans.first(), undefined);
      if (this.#dismissed !== undefined) return;
    }
    const wanted = (): number => (this.#suspect || mode === "measure" ? effort.trials : effort.first);
    for (let trial = 0; ways.length > 0 && this.#trials < wanted() && this.#misses < 2 * wanted() && !this.#ground.isCancelled(); trial++) {
      // The first two trials use the best delivery, each with another call first. Later trials use all deliveries in turn.
      const way = ways[trial < 2 ? 0 : trial % ways.length]!;
      const plan = plans.at(trial, way.delivery);
      const tried = await this.#try(way, plan);
      if (tried !== undefined && (await this.#judge(tried, way, oracle, plan)) && mode === "search") return;
    }
  }

  /**
   * Makes one trial for each write that a gate can hold. A gate makes a trial deterministic, so repeating it would show nothing new.
   * @returns `true` if the pair needs no further trials
   */
  async #gated(oracle: Oracle, plans: Plans): Promise<boolean> {
    const { sides, schedule, mode } = this.#request;
    const places = new Set(sides).size === 1 ? [0] : sides.map((_, place) => place);
    if (schedule !== undefined && this.#ways.gates(this.#request).length > 0) {
      await this.#follow(schedule, oracle, plans.first());
      return true;
    }
    for (const system of this.#ways.gates(this.#request)) {
      for (const held of places) {
        for (let write = 1; write <= MOST_WRITES; write++) {
          const way = this.#ways.gated({ system, held, write, statement: "" });
          const trial = await this.#try(way, plans.first());
          if (this.#ground.isCancelled()) return true;
          // The call has no write with this number.
          if (trial === undefined) break;
          if ((await this.#judge(trial, way, oracle, plans.first())) && mode === "search") return true;
          if (!this.#suspect) return true;
        }
      }
    }
    return false;
  }

  /** Makes trials in which a gate holds the given write: one trial to search, or several to measure how often the race occurs. */
  async #follow(schedule: RaceSchedule, oracle: Oracle, plan: TrialPlan): Promise<void> {
    const { effort, mode } = this.#request;
    const way = this.#ways.gated(schedule);
    for (let trial = 0; trial < (mode === "search" ? 1 : effort.trials) && !this.#ground.isCancelled(); trial++) {
      const tried = await this.#try(way, plan);
      // End if the call no longer makes the write that the gate should hold.
      if (tried === undefined) return;
      await this.#judge(tried, way, oracle, plan);
    }
  }

  async #try(way: Delivery, plan: TrialPlan): Promise<Trial | undefined> {
    const trial = await way.try(this.#calls, plan);
    if (trial === undefined) return undefined;
    if (trial.overlapped) {
      this.#trials++;
      this.#deliveries[way.delivery] = (this.#deliveries[way.delivery] ?? 0) + 1;
    } else {
      this.#misses++;
      const lost = trial.isRefused === true ? undefined : trial.execution.calls.find((call) => call?.kind === "lost");
      // The missing answer shows no race, because the calls did not overlap. The target no longer accepts requests, so the lane is given up.
      if (lost !== undefined) throw new LaneLost(lost.lost!, `${lost.action} got no answer`);
    }
    return trial.overlapped ? trial : undefined;
  }

  /** Returns `true` if a trial shows a race that does not occur in the control arm, in which the same calls do not overlap. */
  async #judge(trial: Trial, way: Delivery, oracle: Oracle, plan: TrialPlan): Promise<boolean> {
    const lost = trial.execution.calls.find((call) => call?.kind === "lost");
    if (lost === undefined) return this.#judged(trial, way, oracle, plan);
    // A call without an answer is a race, because this call got an answer when it was executed alone. The call may still be running in the target, so
    // the lane is given up.
    const message = `${lost.action} got no answer when the calls were sent at the same time, but gets an answer when they are sent one after the other`;
    const judgement = { verdict: "server_error", invariant: undefined, severity: Severity.HIGH, message } as const;
    if (this.#isWanted(judgement)) {
      this.#hits++;
      this.#hit ??= this.#hitOf(judgement, trial.execution, way, oracle);
    }
    throw new LaneLost(lost.lost!, message);
  }

  async #judged({ execution }: Trial, way: Delivery, oracle: Oracle, plan: TrialPlan): Promise<boolean> {
    let judgement = await judge(execution, oracle.measure);
    if (this.#request.mode === "measure" && this.#hit === undefined) {
      const before = this.#ground.base.lookalikes.marked(oracle.measure.before);
      this.#last = this.#outcome(execution, before, this.#named(execution, before));
    }
    if (judgement === undefined) return false;
    this.#suspect = true;
    if (await oracle.learnNoise()) judgement = await judge(execution, oracle.measure);
    const isOfNumbers = judgement?.verdict === "responses" || judgement?.verdict === "state";
    if (isOfNumbers && (await this.#areDurations(execution, way, oracle, plan))) {
      judgement = await judge(execution, oracle.measure);
    }
    if (judgement === undefined || !this.#isWanted(judgement)) return false;
    const earlier = { dismissed: this.#dismissed, hit: this.#dismissedHit };
    // Keep the trial before its control arm, because the lane may be lost during the control arm. The trial is then neither confirmed nor refuted.
    if (this.#hit === undefined) this.#dismissedHit = this.#hitOf(judgement, execution, way, oracle);
    this.#dismissed = undefined;
    const dismissed = await this.#whyNot(judgement, way, oracle, plan);
    if (dismissed !== undefined) {
      this.#dismissed = dismissed;
      // Keep the first dismissed trial together with its own reason. A trial that nothing refutes is more important.
      const isUnknown = dismissed === "control_overlaps" && earlier.dismissed !== "control_overlaps";
      if (earlier.dismissed !== undefined && !isUnknown) ({ dismissed: this.#dismissed, hit: this.#dismissedHit } = earlier);
      return false;
    }
    // The control arm may have shown which values are times.
    if (this.#hit === undefined && (await judge(execution, oracle.measure)) === undefined) {
      ({ dismissed: this.#dismissed, hit: this.#dismissedHit } = earlier);
      return false;
    }
    this.#hits++;
    this.#hit ??= this.#hitOf(judgement, execution, way, oracle);
    return true;
  }

  /**
   * Returns the reason why a detected race is not reported; `undefined` to report it. A rule that holds in each order of the calls and breaks in a
   * trial is always reported.
   */
  async #whyNot(
    judgement: Judgement,
    way: Delivery,
    oracle: Oracle,
    plan: TrialPlan,
  ): Promise<"noise" | "idempotent" | Refuted | undefined> {
    if (judgement.excused !== undefined) return judgement.excused;
    if (oracle.isUnsteady && judgement.verdict !== "invariant") return "noise";
    return this.#hit === undefined ? this.#control(way, oracle, plan, judgement) : undefined;
  }

  /**
   * Makes further trials. Returns `true` if numbers that depend on the duration of calls explain why a trial differs from all orders of the calls.
   */
  async #areDurations(execution: Execution, way: Delivery, oracle: Oracle, plan: TrialPlan): Promise<boolean> {
    if (this.#durationsAsked++ >= MOST_DURATIONS) return false;
    const again = async (): Promise<Execution | undefined> => {
      const trial = await way.try(this.#calls, plan);
      const lost = trial?.execution.calls.find((call) => call?.kind === "lost");
      if (lost !== undefined) throw new LaneLost(lost.lost!, `${lost.action} got no answer`);
      return trial?.overlapped === true ? trial.execution : undefined;
    };
    return oracle.learnDurations(execution, again, DURATION_TRIALS);
  }

  /**
   * Executes a control arm: sends the calls with the same delivery, but so far apart that they do not overlap. Returns `undefined` if the race does
   * not occur in the control arm. Without a given `judgement`, returns `undefined` if the result equals the result of an order of the calls.
   */
  async #control(way: Delivery, oracle: Oracle, { meetAt }: TrialPlan, judgement: Judgement | undefined): Promise<Refuted | undefined> {
    const sides = meetAt.length;
    const queue = [0, 1];
    const least = STAGGER + oracle.longest;
    let repeats = MOST_REPEATS;
    for (const first of queue) {
      const distance = Math.min(least * 2 ** (MOST_REPEATS - repeats), Math.max(least, MOST_STAGGER));
      const offsets = Array.from({ length: sides }, (_, side) => ((side + first) % sides) * distance);
      const trial = await way.try(this.#calls, { meetAt, offsets, reversed: false });
      if (trial === undefined) continue;
      const lost = trial.execution.calls.find((call) => call?.kind === "lost");
      if (lost !== undefined && trial.isRefused !== true) {
        // Without a judgement, the control arm tests a race in which a call gets no answer, so a missing answer here refutes the race. For all other
        // races, a missing answer means that the control arm could not be executed.
        if (judgement === undefined) this.#dismissed = "control";
        throw new LaneLost(lost.lost!, `${lost.action} got no answer`);
      }
      const { execution } = trial;
      const isStillShown = async (): Promise<boolean> =>
        judgement === undefined
          ? (await judge(execution, oracle.measure)) !== undefined
          : await shows(execution, judgement, oracle.measure);
      let isShown = await isStillShown();
      // A minute or a day may have gone on since the orders were executed.
      if (isShown && judgement?.verdict !== "invariant" && (await oracle.learnClock())) isShown = await isStillShown();
      // On a busy machine, the calls of a control arm may overlap. The control arm then proves nothing. A gate always counts as an overlap.
      if (!isShown) continue;
      if (!trial.overlapped || way.delivery === "gated") return "control";
      if (repeats-- === 0) return "control_overlaps";
      queue.push(first);
    }
    return undefined;
  }

  /** Returns `true` if the request is to confirm a race in which a call may get no answer. */
  #isOfLost(): boolean {
    const { mode, wanted } = this.#request;
    return mode === "measure" && wanted?.verdict === "server_error";
  }

  /**
   * Repeats each order of the calls, to detect a target that varies by itself, which looks like a rare race. A target that varies as often as the
   * race occurred is detected with a probability of 99 %, unless that needs more than `MOST_ORDERS` executions.
   */
  async #compareOrders(race: Pick<Judgement, "verdict" | "invariant">): Promise<void> {
    const oracle = this.#oracle!;
    const share = Math.min(Math.max(this.#hits, 1) / this.#trials, 0.99);
    const times = Math.min(Math.ceil(Math.log(OVERLOOKED) / Math.log(1 - share)), MOST_ORDERS);
    const { orders } = oracle.measure;
    let isShown = false;
    for (const order of orders) isShown ||= await shows(order, race, oracle.measure);
    for (let time = 0; !isShown && time < times && !this.#ground.isCancelled(); time++) {
      const order = orders[time % orders.length]!;
      const again = await this.#calls.inOrder(order.order!);
      // Times in whole minutes or days show that they are times only when the clock goes on to the next one.
      oracle.measure.states.learnTimes(order.states[0]!.facts, again.states[0]!.facts, { isSameOrder: true });
      isShown = await shows(again, race, oracle.measure);
    }
    if (!isShown) return;
    this.#dismissedHit = this.#hit;
    this.#hit = undefined;
    this.#hits = 0;
    this.#dismissed = "noise";
  }

  #isWanted({ verdict, invariant }: Judgement): boolean {
    const { wanted } = this.#request;
    if (wanted === undefined || verdictRank(verdict) < verdictRank(wanted.verdict)) return true;
    // Compare the rule only for the verdict `invariant`. For other verdicts, a recorded race may name the rule that asked for probing the pair. No
    // trial names this rule.
    return wanted.verdict === verdict && (verdict !== "invariant" || wanted.invariant === invariant);
  }

  #hitOf(judgement: Judgement, execution: Execution, way: Delivery, { measure }: Oracle): RaceHit {
    const before = this.#ground.base.lookalikes.marked(measure.before);
    // Give a generated value the same name in all results, so that reports can compare the result of the trial with the results of the orders.
    const observed = this.#named(execution, before);
    return {
      ...judgement,
      observed: this.#outcome(execution, before, observed),
      allowed: measure.orders.map((order) => this.#outcome(order, before, this.#named(order, [...before, ...observed]))),
      delivery: way.delivery,
      schedule: way.schedule,
    };
  }

  #named({ states }: Execution, like: Marked): Marked {
    return sameNames(like, this.#ground.base.lookalikes.marked(states[0]!.facts));
  }

  #outcome({ order, calls, broken }: Execution, before: Marked, after: Marked): RaceOutcome {
    return {
      order,
      calls: calls.flatMap((call) =>
        call === undefined ? [] : [{ action: call.action, status: call.status === 0 ? null : call.status, requests: call.exchanges }],
      ),
      changes: markedDifferences(before, after, CHANGES),
      broken: broken.map(({ invariant }) => invariant),
    };
  }
}

/** Returns every order of the calls. Calls that are interchangeable have only one order. */
function ordersOf(request: RaceRequest): readonly (readonly number[])[] {
  const places = request.sides.map((_, place) => place);
  return areTwins(request) ? [places] : permutations(places);
}
