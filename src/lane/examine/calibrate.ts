import { setTimeout as sleep } from "node:timers/promises";
import {
  DerivedTimes,
  joined,
  knowsNothing,
  looksRandom,
  NOTHING_KNOWN,
  openSeconds,
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
import { isAt } from "./at-state.ts";
import { backgroundWrites } from "./background-writes.ts";
import { LateWriterSearch } from "./late-writer-search.ts";
import { LateWrites } from "./late-writes.ts";
import { inRounds, wantedFirst, type TryOne } from "./path-choice.ts";
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
/** Length of a pause between calls, in milliseconds. The pause changes values that depend on the time between calls. */
const SHORT_PAUSE_MS = 200;
/** How often an execution is repeated whose step ran too late. */
const MOST_IN_VAIN = 3;
/** Time in milliseconds after the beginning of a second, for a step that must run soon after it. */
const EARLY_MS = 100;

/** The result of an experiment that found nothing. */
export const NOTHING_FOUND: Calibration = {
  learned: NOTHING_KNOWN,
  suspects: [],
  lasting: [],
  unlike: [],
  late: [],
  states: [],
  missed: [],
};

/**
 * Executes a path several times from the root state and compares the states after each step. A value that differs is a generated value, a time, or
 * has no explanation.
 *
 * @param goHome Brings the lane from any state to the root state.
 */
export async function calibrate(base: LaneBase, goHome: () => Promise<unknown>, walk: CalibrationWalk = {}): Promise<Calibration> {
  if (!base.isIdentified) return NOTHING_FOUND;
  try {
    const walks = new Walks(base, goHome, walk);
    if (walk.idleMs !== undefined)
      return { ...NOTHING_FOUND, learned: { ...NOTHING_KNOWN, ...(await backgroundWrites(base, goHome, walk.idleMs, walk.quietMs)) } };
    if (walk.seconds === true) return { ...NOTHING_FOUND, dependsOnSeconds: await walks.dependsOnSeconds() };
    return walk.late === undefined ? await walks.compare(walk) : { ...NOTHING_FOUND, late: await walks.late(walk.late, walk.watchMs) };
  } catch (error) {
    if (!(error instanceof LaneLost)) throw error;
    if (error.kind === "dirty" && base.home.remade) {
      const learned = await learnSetup(base);
      if (!knowsNothing(learned)) return { ...NOTHING_FOUND, learned };
    }
    // End the run, since there is no result to report before the exploration has begun.
    const differing = error.differences.length === 0 ? "" : ` (${error.differences.slice(0, 5).join("; ")})`;
    throw new SeqqaError("NOT_PUT_BACK", `${error.message}${differing}.`, {
      hint: 'Make the target and `setup` produce the same state each time. If a column changes by itself, add it to the option `ignore` of the World: `ignore: ["table.column"]`.',
    });
  }
}

/**
 * Makes the root state several times, and returns the generated values and times that `setup` wrote. If there are none, returns the fields that change
 * without a request, for example in the probe of a target with a timer.
 */
async function learnSetup(base: LaneBase): Promise<Knowledge> {
  const { home, options, canonicalizer } = base;
  const executions = new Executions(options.knowledge, ["setup"]);
  const again = async (count: number): Promise<void> => {
    while (executions.count < count) {
      const begunMs = performance.now();
      const sample = await home.sample();
      const facts = canonicalizer.withoutLeftOut(sample.facts);
      const { window } = sample;
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
  const learned = { ...NOTHING_KNOWN, generated, times };
  const idleMs = options.idleWatchMs ?? 0;
  if (!knowsNothing(learned) || idleMs === 0) return learned;
  // Do not make the root state again between the two watches, because a late write of `setup` would then occur in both.
  await home.sample();
  return { ...NOTHING_KNOWN, ...(await backgroundWrites(base, () => Promise.resolve(), idleMs, idleMs)) };
}

/** Executes one path of a lane several times, and compares the executions. Chooses the path in the first execution if none was given. */
class Walks {
  readonly #base: LaneBase;
  readonly #goHome: () => Promise<unknown>;
  readonly #late: LateWrites;
  readonly #writers: LateWriterSearch;
  readonly #executions: Executions;
  readonly #wanted: readonly number[] | undefined;
  readonly #backwards: boolean;
  #path: readonly number[] | undefined;
  #missed: readonly number[] = [];
  /** The indices of the steps before which the next execution pauses. */
  #pauses: ReadonlySet<number> = new Set();
  /** The length of these pauses in milliseconds. */
  #pauseMs = APART_MS;
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
    this.#writers = new LateWriterSearch(base, goHome, this.#late);
  }

  /**
   * Executes the path and returns the actions that write after they have answered. `known`: the recorded fingerprint of the state at the end of the
   * path. `watchMs`: how long to watch the stores, if this is longer than usual.
   */
  async late(known: Fingerprint, watchMs?: number): Promise<readonly LateWriter[]> {
    await this.#goHome();
    await this.#walk();
    const late = await this.#writers.atEnd(this.#executions.first, this.#path!, known, watchMs);
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

  async compare({ once = false, paused = false, thorough = false }: CalibrationWalk): Promise<Calibration> {
    if (paused) [this.#pauses, this.#pauseMs] = [new Set(Array.from({ length: MOST_STEPS }, (_, step) => step)), SHORT_PAUSE_MS];
    await this.#goHome();
    await this.#walk();
    const states = this.#executions.first.map(({ print }) => print.lo);
    const missed = this.#missed;
    const inVain = this.#wanted !== undefined && this.#worked === 0;
    // The second execution must begin some time after the first, so the stores can be watched until then.
    const firstMs = this.#executions.lastBegunMs;
    const apartMs = this.#executions.first.some(({ facts }) => mayHoldTimes(facts)) ? firstMs + APART_MS - performance.now() : 0;
    const late = once || inVain ? [] : await this.#writers.atEnd(this.#executions.first, this.#path!, undefined, apartMs);
    const nothing = { learned: NOTHING_KNOWN, suspects: [], lasting: [], unlike: [], late, states, missed };
    await this.#goHome();
    // If the root state was not restored, return no differences. The failed restore would cause differences, and is reported as a divergence
    // elsewhere.
    if (once)
      return {
        ...nothing,
        reached: this.#executions.first.map(({ action, status, print, lines, kinds }) => ({ action, status, print, lines, kinds })),
      };
    if (inVain || !(await isAt(this.#base, this.#base.home.facts.node))) return nothing;
    if (apartMs > 0) await this.#sleepUntilApart(firstMs);
    await this.#again(2);
    // On a busy machine, the step may have run too late in the second.
    for (let left = MOST_IN_VAIN; left > 0 && apartMs > 0 && openSeconds(this.#executions.last) >= 0; left--) {
      if (openSeconds(this.#executions.first) < 0) break;
      this.#executions.forgetLast();
      await this.#sleepUntilApart(firstMs);
      await this.#again(2);
    }
    // Both executions of the path made the same calls, so another client may have written to a table that changed in only one execution.
    if (this.#executions.differing(0, 1) >= 0) {
      const names = new Set(this.#path!.map((action) => this.#base.actions[action]!.name));
      this.#base.state.asks.writes?.saveSeldom((name) => names.has(name));
    }
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
    const all = late.length > 0 || suspects.length + unlike.length === 0 ? late : await this.#writers.onPath(this.#path!);
    await this.#goHome();
    const learned = joined(NOTHING_KNOWN, { ...NOTHING_KNOWN, generated, times, noisyActions });
    if (all.length > 0) return { ...nothing, learned, late: all };
    return { learned, suspects, lasting: this.#executions.lasting(suspects, learned), unlike, late: all, states, missed };
  }

  /**
   * Sleeps until the second execution may begin. If the first execution wrote a time in whole seconds whose offset it does not show, the same step of
   * the second execution runs at the beginning of a second, where rounding does not change the time.
   */
  async #sleepUntilApart(firstMs: number): Promise<void> {
    const { first } = this.#executions;
    const restMs = firstMs + APART_MS - performance.now();
    const open = openSeconds(first);
    const stepMs = open < 0 ? 0 : first[open]!.window.startMs - first[0]!.window.startMs;
    const phaseMs = (this.#base.state.now() + Math.max(0, restMs) + stepMs) % 1_000;
    await sleep(restMs + (open < 0 ? 0 : (1_000 + EARLY_MS - phaseMs) % 1_000));
  }

  /**
   * Executes the path once more, with pauses, if a time in whole seconds may be computed from the time of its step or from a stored time. The pauses
   * show which of the two is true. Returns `found`, completed with this result.
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
   * Executes only the first steps of the path, up to different steps, so that the counters advance by different amounts before the next execution.
   * The amounts show from which counter an integer comes, even if two counters had equal values before. Counters that a restore resets cannot be
   * distinguished in this way.
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
      const tryOne: TryOne = async (action) => {
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
    if (this.#pauses.has(gone.length)) await sleep(this.#pauseMs);
    const before = await state.position();
    const outcome = await stepper.run(actions[action]!);
    if (outcome.kind === "lost" || outcome.kind === "failed") return "ended";
    if (outcome.kind === "skipped") return (await state.changed(before)) ? "ended" : undefined;
    const { window } = stepper;
    await this.#late.settle();
    const facts = structuredClone(canonicalizer.withoutLeftOut(await state.observed()));
    const named = await state.facts();
    const stores = storesFingerprint(named, canonicalizer);
    const print = canonicalizer.unordered(named);
    return { stores, action, status: outcome.status, facts, window, print, lines: canonicalizer.describe(named), kinds: rowKinds(facts) };
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
