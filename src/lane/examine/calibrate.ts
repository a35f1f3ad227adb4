import { setTimeout as sleep } from "node:timers/promises";
import {
  changedFields,
  DerivedTimes,
  joined,
  knowsNothing,
  looksRandom,
  NOTHING_KNOWN,
  rowKinds,
  type Execution,
  type Knowledge,
} from "../../state/index.ts";
import type { Calibration, CalibrationWalk, LateWriter } from "../../messages/lane-messages.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import { APART_MS, Executions, type Stop } from "./executions.ts";
import { LateWrites, poll } from "./late-writes.ts";
import { storesFingerprint } from "../state/stores-view.ts";

/**
 * Largest number of steps of the path that an experiment executes. There is no time limit, because the result must not depend on the speed of the
 * machine.
 */
const MOST_STEPS = 40;
/**
 * Total number of executions if the first two differ. A value that is chosen at random from three values is then equal in some of the executions. A
 * generated value differs in all executions.
 */
const WALKS = 4;
/**
 * Total number of executions if the differing values are short or are words. Even a value that is chosen at random from a dozen values is then equal
 * in some of the executions.
 */
const MORE_WALKS = 8;
/**
 * Times in milliseconds for finding late writes: how long to watch the stores after the last step, how long after each step, and the interval between
 * two reads.
 */
const END_WATCH_MS = 100;
const LATE_MS = 200;
const LOOK_MS = 20;
/** Interval in milliseconds between two reads of the stores, while they are watched and no request is sent. */
const IDLE_LOOK_MS = 50;

/**
 * Executes a path several times from the root state and compares the states after each step. A value that differs is a generated value, a time, or
 * has no explanation.
 *
 * @param goHome Brings the lane from any state to the root state.
 */
export async function calibrate(base: LaneBase, goHome: () => Promise<unknown>, walk: CalibrationWalk = {}): Promise<Calibration> {
  const nothing = { learned: NOTHING_KNOWN, suspects: [], lasting: [], unlike: [], late: [], states: [], missed: [] };
  if (!base.isIdentified) return nothing;
  try {
    const walks = new Walks(base, goHome, walk);
    if (walk.idleMs !== undefined)
      return { ...nothing, learned: { ...NOTHING_KNOWN, background: await walks.idle(walk.idleMs, walk.quietMs) } };
    if (walk.seconds === true) return { ...nothing, dependsOnSeconds: await walks.dependsOnSeconds() };
    return walk.late === undefined ? await walks.compare(walk) : { ...nothing, late: await walks.late(walk.late, walk.watchMs) };
  } catch (error) {
    if (!(error instanceof LaneLost)) throw error;
    const learned = error.kind === "dirty" && base.home.remade ? await learnSetup(base) : NOTHING_KNOWN;
    if (!knowsNothing(learned)) return { ...nothing, learned };
    // End the run, since there is no result to report before the exploration has begun.
    const differing = error.differences.length === 0 ? "" : ` (${error.differences.slice(0, 5).join("; ")})`;
    throw new SeqqaError("NOT_PUT_BACK", `${error.message}${differing}.`, {
      hint: 'Make the target and `setup` produce the same state each time. If a column changes by itself, add it to the option `ignore` of the World: `ignore: ["table.column"]`.',
    });
  }
}

/** Makes the root state several times, and returns the generated values and times that `setup` wrote. */
async function learnSetup({ home, options }: LaneBase): Promise<Knowledge> {
  const executions = new Executions(options.knowledge, ["setup"]);
  const again = async (count: number): Promise<void> => {
    while (executions.count < count) {
      const begunMs = performance.now();
      const { facts, window } = await home.sample();
      const print = { lo: 0, hi: 0 };
      executions.add([{ facts, window, print, stores: print, action: 0, status: 200, lines: [], kinds: rowKinds(facts) }], begunMs, false);
    }
  };
  await again(1);
  // Wait, so that times in whole seconds differ between the executions, too.
  await sleep(executions.lastBegunMs + APART_MS - performance.now());
  await again(2);
  await again(executions.compared().generated.some(({ isShort }) => isShort) ? MORE_WALKS : WALKS);
  const { generated, times } = executions.judged();
  return { ...NOTHING_KNOWN, generated, times };
}

class Walks {
  readonly #base: LaneBase;
  readonly #goHome: () => Promise<unknown>;
  readonly #late: LateWrites;
  readonly #executions: Executions;
  readonly #wanted: readonly number[] | undefined;
  readonly #backwards: boolean;
  #path: readonly number[] | undefined;
  #missed: readonly number[] = [];
  /** The indices of the steps before which the next execution pauses. */
  #pauses: ReadonlySet<number> = new Set();
  #worked = 0;

  constructor(base: LaneBase, goHome: () => Promise<unknown>, { path, wanted, backwards = false }: CalibrationWalk) {
    this.#path = path;
    this.#wanted = wanted;
    this.#backwards = backwards;
    this.#base = base;
    this.#executions = new Executions(
      base.options.knowledge,
      base.actions.map(({ name }) => name),
      (ms) => base.canonicalizer.renamer.isOfSetup(ms),
    );
    this.#goHome = goHome;
    this.#late = new LateWrites(base.options.settleMs);
  }

  /** Waits for `quietMs` milliseconds, and then watches the root state for `ms` milliseconds without sending a request. Returns the fields that change. */
  async idle(ms: number, quietMs = 0): Promise<readonly string[]> {
    const { state } = this.#base;
    if (quietMs > 0) await sleep(quietMs);
    await this.#goHome();
    const before = structuredClone(await state.observed());
    const fields = new Set<string>();
    for (const until = performance.now() + ms; performance.now() < until;) {
      await sleep(IDLE_LOOK_MS);
      for (const field of await this.#changedSince(before)) fields.add(field);
    }
    await this.#goHome();
    return [...fields];
  }

  async #changedSince(before: Execution["facts"]): Promise<readonly string[]> {
    const { state, options } = this.#base;
    await this.#readProbe();
    return changedFields(before, await state.observed()).filter((field) => !options.knowledge.background.includes(field));
  }

  /**
   * Executes the path and returns the actions that write after they have answered. `known`: the recorded fingerprint of the state at the end of the
   * path. `watchMs`: how long to watch the stores, if this is longer than usual.
   */
  async late(known: Fingerprint, watchMs?: number): Promise<readonly LateWriter[]> {
    await this.#goHome();
    await this.#walk();
    const late = await this.#lateAtEnd(known, watchMs);
    await this.#goHome();
    return late;
  }

  /**
   * Executes the path three times: first from the beginning of a second, and then twice with each step in a new second. Resolves to `true` if the
   * first execution differs from the second, but the second does not differ from the third.
   */
  async dependsOnSeconds(): Promise<boolean> {
    const { state, stepper } = this.#base;
    const { waitsForSeconds } = stepper.turns;
    await sleep(1_000 - (state.now() % 1_000));
    await this.#goHome();
    await this.#walk();
    stepper.turns.waitsForSeconds = true;
    try {
      await this.#again(3);
    } finally {
      stepper.turns.waitsForSeconds = waitsForSeconds;
    }
    return this.#executions.differing(0, 1) >= 0 && this.#executions.differing(1, 2) < 0;
  }

  async compare({ once = false, thorough = false }: CalibrationWalk): Promise<Calibration> {
    await this.#goHome();
    await this.#walk();
    const states = this.#executions.first.map(({ print }) => print.lo);
    const missed = this.#missed;
    const inVain = this.#wanted !== undefined && this.#worked === 0;
    // The second execution must begin some time after the first, so the stores can be watched until then.
    const firstMs = this.#executions.lastBegunMs;
    const apartMs = this.#executions.first.some(({ facts }) => mayHoldTimes(facts)) ? firstMs + APART_MS - performance.now() : 0;
    const late = once || inVain ? [] : await this.#lateAtEnd(undefined, apartMs);
    const nothing = { learned: NOTHING_KNOWN, suspects: [], lasting: [], unlike: [], late, states, missed };
    await this.#goHome();
    // If the root state was not restored, return no differences. The restore would cause such differences, and is reported as a divergence elsewhere.
    if (once || inVain || !(await this.#isRoot())) return nothing;
    if (apartMs > 0) await sleep(firstMs + APART_MS - performance.now());
    await this.#again(2);
    if (!thorough && this.#executions.differing(0, 1) < 0 && !(await this.#differsInAnotherSecond()))
      return { ...nothing, learned: { ...NOTHING_KNOWN, times: await this.#settledTimes([]) } };
    const first = this.#executions.compared();
    await this.#separate(first.counters);
    await this.#again(WALKS);
    if (thorough || first.generated.some(({ isShort, isLoose }) => isShort || isLoose === true)) await this.#again(MORE_WALKS);
    await this.#spread();
    const { generated, suspects, noisyActions, ...judged } = this.#executions.judged();
    const times = await this.#settledTimes(judged.times);
    const unlike = this.#executions.unlike();
    const all = late.length > 0 || suspects.length + unlike.length === 0 ? late : await this.#lateActions(LATE_MS);
    await this.#goHome();
    const learned = joined(NOTHING_KNOWN, { ...NOTHING_KNOWN, generated, times, noisyActions });
    if (all.length > 0) return { ...nothing, learned, late: all };
    return { learned, suspects, lasting: this.#executions.lasting(suspects, learned), unlike, late: all, states, missed };
  }

  /**
   * Executes the path once more, with pauses, if a time in whole seconds may depend on its step or on a stored time. Returns `found` with the results
   * about these times.
   */
  async #settledTimes(found: Knowledge["times"]): Promise<Knowledge["times"]> {
    const derived = new DerivedTimes(this.#executions.first, found, this.#base.options.knowledge.times);
    if (derived.stops.size === 0) return found;
    await this.#goHome();
    this.#pauses = derived.stops;
    await this.#walk();
    this.#pauses = new Set();
    const { last } = this.#executions;
    this.#executions.forgetLast();
    await this.#goHome();
    return derived.settled(last);
  }

  /**
   * Executes the path once more in another second if a state holds a token that may be computed from the time, such as a hash of the time in seconds.
   * Resolves to `true` if the two executions then differ.
   */
  async #differsInAnotherSecond(): Promise<boolean> {
    if (this.#executions.isApart(0, 1) || !this.#executions.first.some(({ facts }) => mayHoldTokens(facts))) return false;
    this.#executions.forgetLast();
    await sleep(this.#executions.lastBegunMs + APART_MS - performance.now());
    await this.#again(2);
    return this.#executions.differing(0, 1) >= 0;
  }

  /**
   * Executes the path more times, each time in another second, as long as a value seems to depend on the second. If a value still seems to depend on
   * the second after these executions, only executions that began in different seconds are compared from then on.
   */
  async #spread(): Promise<void> {
    let depends = this.#executions.dependsOnSecond();
    for (let left = this.#executions.count - 1; left > 0 && depends; left--) {
      await sleep(this.#executions.lastBegunMs + APART_MS - performance.now());
      await this.#again(this.#executions.count + 1);
      depends = this.#executions.dependsOnSecond();
    }
    this.#executions.onlyApart = depends;
  }

  async #again(count: number): Promise<void> {
    while (this.#executions.count < count) {
      await this.#goHome();
      await this.#walk();
    }
    await this.#goHome();
  }

  /**
   * Executes beginnings of the path, so that the counters advance by different amounts before the next execution. The amounts show from which counter
   * an integer comes, even if two counters had equal values before. Counters that a restore resets cannot be told apart in this way.
   */
  async #separate(counters: ReadonlyMap<string, number>): Promise<void> {
    const whole = this.#path;
    const stops = [...new Set(counters.values())].toSorted((a, b) => a - b);
    for (const stop of stops.slice(0, -1)) {
      await this.#goHome();
      this.#path = whole!.slice(0, stop + 1);
      await this.#walk();
      this.#executions.forgetLast();
    }
    this.#path = whole;
    if (stops.length > 1) await this.#goHome();
  }

  #isRoot(): Promise<boolean> {
    return this.#isAt(this.#base.home.facts.node);
  }

  async #isAt({ lo, hi }: Fingerprint): Promise<boolean> {
    const { state, canonicalizer } = this.#base;
    const now = { lo: 0, hi: 0 };
    await state.fingerprint(canonicalizer, now);
    return now.lo === lo && now.hi === hi;
  }

  /**
   * Returns the actions that write after they have answered. Searches for such actions only if the state changes after the last step, or if the state
   * differs from `known`. `watchMs`: how long to watch the stores, if longer than usual.
   */
  async #lateAtEnd(known?: Fingerprint, watchMs = 0): Promise<readonly LateWriter[]> {
    const stops = this.#executions.first;
    const last = stops.at(-1);
    if (last === undefined) return [];
    const isLate = await this.#isLate(last.stores, Math.max(END_WATCH_MS, watchMs));
    // On a slow machine a late write may happen before the first read, so that no change is seen. The late write then appears as a difference from
    // the recorded state.
    if (!isLate && (known === undefined || stops.length < this.#path!.length || (await this.#isAt(known)))) return [];
    const ms = isLate ? Math.max(LATE_MS, watchMs) : LATE_MS;
    const late = await this.#lateActions(ms);
    if (ms === LATE_MS) return late.length > 0 ? late : this.#lateActions(ms);
    // While the stores are watched for so long, a timer of the target or another client may write. Such a write rarely follows the same action twice,
    // so search again and return only the actions that were found twice.
    const again = await this.#lateActions(ms);
    const both = late.filter(isIn(again));
    if (both.length > 0 || late.length + again.length === 0) return both;
    const third = await this.#lateActions(ms);
    return third.filter(isIn([...late, ...again]));
  }

  /** Executes the path again. Returns the actions after which a store changes without a further request, within `watchMs` milliseconds. */
  async #lateActions(watchMs: number): Promise<readonly LateWriter[]> {
    const { state, stepper, actions, drawing, canonicalizer } = this.#base;
    await this.#goHome();
    const late = new Map<string, ReadonlySet<string>>();
    const gone: number[] = [];
    for (const action of this.#path!) {
      drawing.at(gone, gone.length, action);
      const { kind } = await stepper.run(actions[action]!);
      if (kind !== "executed") break;
      gone.push(action);
      await this.#late.settle();
      const systems = structuredClone((await state.observed()).systems);
      if (await this.#isLate(storesFingerprint(await state.facts(), canonicalizer), watchMs)) {
        const { name } = actions[action]!;
        late.set(name, new Set([...(late.get(name) ?? []), ...changedFields({ systems }, await state.observed())]));
      }
      if (late.size > 0 && watchMs > LATE_MS) break;
    }
    return [...late].map(([action, fields]) => ({ action, fields: [...fields] }));
  }

  /** Resolves to `true` if the stores change within `ms` milliseconds without a request. `before`: the fingerprint of the stores after the answer. */
  async #isLate(before: Fingerprint, ms: number): Promise<boolean> {
    const { state, canonicalizer, world } = this.#base;
    // Only this lane writes to stores in the memory of this process, so there are no late writes.
    if (world.probe === undefined && state.systems.every(({ traits }) => traits.inMemory === true)) return false;
    let known = before;
    const isOther = async (): Promise<boolean> => {
      await this.#readProbe();
      const { nextToPassMs } = state;
      const now = storesFingerprint(await state.facts(), canonicalizer);
      if (nextToPassMs > state.now()) return now.lo !== known.lo || now.hi !== known.hi;
      // The state changed only because time went by (e.g. something expired), not because of a write.
      known = now;
      return false;
    };
    return poll(isOther, ms, LOOK_MS);
  }

  /**
   * Reads the World's probe again, because the state would otherwise contain the result of the last read. Ignores errors here, since a step reports
   * them.
   */
  async #readProbe(): Promise<void> {
    await this.#base.state.probe().catch(() => undefined);
  }

  /**
   * Executes the path. If no path was given, the first execution chooses the path. Waits for late writes, so that they do not affect the next
   * execution.
   */
  async #walk(): Promise<void> {
    const { actions } = this.#base;
    const begunMs = performance.now();
    let isCut = false;
    const stops: Stop[] = [];
    const gone: number[] = [];
    let accepted = false;
    const take = async (action: number): Promise<boolean> => {
      const stop = await this.#step(gone, action);
      if (stop === "ended") {
        isCut = true;
        return false;
      }
      if (stop === undefined) return true;
      gone.push(action);
      stops.push(stop);
      accepted ||= stop.status === 202;
      return true;
    };
    if (this.#path !== undefined) {
      for (const action of this.#path) if (!(await take(action)) || gone.at(-1) !== action) break;
    } else {
      const waiting = new Set(this.#wanted ?? actions.keys());
      /**
       * Executes an action. Returns `true` if it worked, `false` if it may work in a later state, and `undefined` if no further actions may be
       * executed.
       */
      const tryOne = async (action: number): Promise<boolean | undefined> => {
        const length = gone.length;
        if (length >= MOST_STEPS || !(await take(action))) return undefined;
        const isDone = gone.length > length && stops.at(-1)!.status < 400;
        if (isDone && waiting.delete(action)) this.#worked++;
        return isDone;
      };
      const others = [...actions.keys()].filter((action) => !waiting.has(action));
      if (this.#backwards) others.reverse();
      await (this.#wanted === undefined ? inRounds(waiting, tryOne) : wantedFirst(waiting, others, tryOne));
      // If a step without an outcome ended this execution, the next execution would end in the same way. Do not list the remaining actions as missed.
      this.#missed = isCut ? [] : [...waiting];
      this.#path = gone;
    }
    if (accepted) await this.#late.drain();
    this.#executions.add(stops, begunMs, isCut);
  }

  /**
   * Executes one action. Returns `undefined` if the action did not apply, and `"ended"` if it failed. A failed action is not reported here, since the
   * exploration executes it again.
   */
  async #step(gone: readonly number[], action: number): Promise<Stop | "ended" | undefined> {
    const { state, stepper, actions, canonicalizer, drawing } = this.#base;
    drawing.at([...gone], gone.length, action);
    if (this.#pauses.has(gone.length)) await sleep(APART_MS);
    const before = await state.position();
    const outcome = await stepper.run(actions[action]!);
    if (outcome.kind === "lost" || outcome.kind === "failed") return "ended";
    if (outcome.kind === "skipped") return (await state.changed(before)) ? "ended" : undefined;
    const { window } = stepper;
    await this.#late.settle();
    const facts = structuredClone(await state.observed());
    const named = await state.facts();
    const stores = storesFingerprint(named, canonicalizer);
    const print = canonicalizer.unordered(named);
    return { stores, action, status: outcome.status, facts, window, print, lines: canonicalizer.describe(named), kinds: rowKinds(facts) };
  }
}

type TryOne = (action: number) => Promise<boolean | undefined>;

/** Tries all waiting actions in turn. Actions that did not work are tried again in the next round. Ends when no action works in a whole round. */
async function inRounds(waiting: ReadonlySet<number>, tryOne: TryOne): Promise<void> {
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const action of waiting) if ((await tryOne(action)) === undefined) return;
  }
}

/**
 * Tries the waiting actions in each state. If no waiting action works, tries the `others` until one of them works. An action of `others` that worked
 * is not tried again.
 */
async function wantedFirst(waiting: ReadonlySet<number>, others: readonly number[], tryOne: TryOne): Promise<void> {
  const left = [...others];
  while (waiting.size > 0) {
    let works: boolean | undefined = false;
    for (const action of waiting) {
      const isDone = await tryOne(action);
      if (isDone === undefined) return;
      works ||= isDone;
    }
    for (let at = 0; !works; at++) {
      if (at === left.length) return;
      works = await tryOne(left[at]!);
      if (works === undefined) return;
      if (works) left.splice(at, 1);
    }
  }
}

/**
 * Returns `true` if a state has values that may be times, or tokens that may contain times. Two executions within one second would give equal times.
 */
function mayHoldTimes(facts: Execution["facts"]): boolean {
  return /\d{10}|\d\d:\d\d|eyJ/.test(textOf(facts));
}

/** Returns `true` if a state has a text that looks random. UUIDs do not count, because a UUID contains either no time or a precise time. */
function mayHoldTokens(facts: Execution["facts"]): boolean {
  return (textOf(facts).match(TOKENS) ?? []).some((text) => !UUID.test(text) && looksRandom(text));
}

function textOf(facts: Execution["facts"]): string {
  return JSON.stringify(facts, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

const TOKENS = /[\w-]{16,}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns a test that says if the given late writes contain one of the same action. */
function isIn(late: readonly LateWriter[]): (one: LateWriter) => boolean {
  return ({ action }) => late.some((other) => other.action === action);
}
