import {
  changedFields,
  compareExecutions,
  differingFields,
  joined,
  NOTHING_KNOWN,
  rowKinds,
  valuesAt,
  type Compared,
  type DroppedField,
  type Execution,
  joinedTimes,
  looksRandom,
  type Knowledge,
  type RowKinds,
} from "../../state/index.ts";
import type { Calibration, CalibrationWalk } from "../../messages/lane-messages.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/bring-up.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import { LateWrites, poll } from "./late-writes.ts";
import { storesFingerprint } from "../state/stores-view.ts";

/**
 * Largest number of steps of the path that an experiment executes. There is no time limit, because the result must not depend on the speed of the
 * machine.
 */
const MOST_STEPS = 40;
/**
 * Number of executions after the first two differed. A value that is chosen at random from three values is then equal in some of them. A generated
 * value never is.
 */
const WALKS = 4;
/**
 * Number of executions if the differing values are short or are words. Then even a value that is chosen at random from a dozen values is equal in
 * some of them.
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
/** Time in milliseconds between the starts of two executions, so that even times in whole seconds differ between them. */
const APART_MS = 1_100;

interface Stop extends Execution {
  readonly stores: Fingerprint;
  readonly action: number;
  readonly status: number;
  readonly strict: number;
  readonly lines: readonly string[];
  readonly kinds: RowKinds;
}

interface Differences {
  /** Values that were recognised as generated. `stop`: the index of the step after which the value was found. */
  readonly generated: (Compared["generated"][number] & { readonly stop: number })[];
  readonly times: Compared["times"][number][];
  readonly unexplained: DroppedField[];
}

/**
 * Executes a path several times from the root state and compares the states after each step. Values that differ are generated values, times, or
 * unexplained.
 *
 * @param goHome Brings the lane to the root state, whatever its present state is.
 */
export async function calibrate(base: LaneBase, goHome: () => Promise<unknown>, walk: CalibrationWalk = {}): Promise<Calibration> {
  const nothing = { learned: NOTHING_KNOWN, suspects: [], lasting: [], unlike: [], late: [], states: [], missed: [] };
  if (!base.isIdentified) return nothing;
  try {
    const walks = new Walks(base, goHome, walk);
    if (walk.idleMs !== undefined)
      return { ...nothing, learned: { ...NOTHING_KNOWN, background: await walks.idle(walk.idleMs, walk.quietMs) } };
    return walk.late === undefined ? await walks.compare(walk) : { ...nothing, late: await walks.late(walk.late, walk.watchMs) };
  } catch (error) {
    if (!(error instanceof LaneLost)) throw error;
    // End the run, since nothing is explored yet and there is no result with which it could continue.
    const differing = error.differences.length === 0 ? "" : ` (${error.differences.slice(0, 5).join("; ")})`;
    throw new SeqqaError("NOT_PUT_BACK", `${error.message}${differing}.`, {
      hint: 'Make the target and `setup` produce the same state each time. List values that change by themselves in the World: `ignore: ["table.column"]`.',
    });
  }
}

class Walks {
  readonly #base: LaneBase;
  readonly #goHome: () => Promise<unknown>;
  readonly #late: LateWrites;
  readonly #walks: (readonly Stop[])[] = [];
  /** The executions that ended early, because a step failed or the target did not answer. */
  readonly #cut: Set<readonly Stop[]> = new Set();
  readonly #wanted: readonly number[] | undefined;
  readonly #backwards: boolean;
  #path: readonly number[] | undefined;
  #missed: readonly number[] = [];
  #worked = 0;
  /** The time at which each execution began, and that of the last one, in milliseconds. */
  readonly #begun: number[] = [];
  #begunMs = 0;
  /** `true` if only executions that began in different seconds are compared. */
  #onlyApart = false;

  constructor(base: LaneBase, goHome: () => Promise<unknown>, { path, wanted, backwards = false }: CalibrationWalk) {
    this.#path = path;
    this.#wanted = wanted;
    this.#backwards = backwards;
    this.#base = base;
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
  async late(known: Fingerprint, watchMs?: number): Promise<readonly string[]> {
    await this.#goHome();
    await this.#walk();
    const late = await this.#lateAtEnd(known, watchMs);
    await this.#goHome();
    return late;
  }

  async compare({ once = false, thorough = false }: CalibrationWalk): Promise<Calibration> {
    await this.#goHome();
    await this.#walk();
    const states = this.#walks[0]!.map(({ strict }) => strict);
    const missed = this.#missed;
    const inVain = this.#wanted !== undefined && this.#worked === 0;
    // The second execution must begin some time after this one, so the stores can be watched until then.
    const firstMs = this.#begunMs;
    const apartMs = this.#walks[0]!.some(({ facts }) => mayHoldTimes(facts)) ? firstMs + APART_MS - performance.now() : 0;
    const late = once || inVain ? [] : await this.#lateAtEnd(undefined, apartMs);
    const nothing = { learned: NOTHING_KNOWN, suspects: [], lasting: [], unlike: [], late, states, missed };
    await this.#goHome();
    // If the root state was not restored, return no differences: they would come from the restore, which must be reported as a divergence.
    if (once || inVain || !(await this.#isRoot())) return nothing;
    if (apartMs > 0) await sleep(firstMs + APART_MS - performance.now());
    await this.#again(2);
    if (!thorough && this.#differing(0, 1) < 0 && !(await this.#differsInAnotherSecond())) return nothing;
    const first = this.#compared();
    await this.#separate(first.counters);
    await this.#again(WALKS);
    if (thorough || first.generated.some(({ isShort, isLoose }) => isShort || isLoose === true)) await this.#again(MORE_WALKS);
    await this.#spread();
    const { generated, times, suspects, noisyActions } = this.#judged();
    const unlike = this.#unlike();
    const all = late.length > 0 || suspects.length + unlike.length === 0 ? late : await this.#lateActions(LATE_MS);
    await this.#goHome();
    const learned = joined(NOTHING_KNOWN, { ...NOTHING_KNOWN, generated, times, noisyActions });
    if (all.length > 0) return { ...nothing, learned, late: all };
    return { learned, suspects, lasting: this.#lasting(suspects, learned), unlike, late: all, states, missed };
  }

  /** Returns the unexplained fields that still differ if the generated values and times that were just found are taken into account. */
  #lasting(suspects: readonly DroppedField[], learned: Knowledge): readonly DroppedField[] {
    if (suspects.length === 0) return [];
    const known = joined(this.#base.options.knowledge, learned);
    const differing = new Set<string>();
    for (const [a, b] of this.#pairs()) {
      const { generated, unexplained } = this.#between(a, b, known);
      for (const { field } of [...generated, ...unexplained]) differing.add(field);
    }
    return suspects.filter(({ field }) => differing.has(field));
  }

  #pairs(): readonly (readonly [number, number])[] {
    const all = this.#walks.flatMap((_, b) => Array.from({ length: b }, (__, a) => [a, b] as const));
    return this.#onlyApart ? all.filter(([a, b]) => this.#isApart(a, b)) : all;
  }

  #isApart(a: number, b: number): boolean {
    return Math.abs(this.#begun[a]! - this.#begun[b]!) >= APART_MS;
  }

  #forgetLast(): void {
    this.#walks.pop();
    this.#begun.pop();
  }

  /**
   * Executes the path once more in another second if a state holds a token that may follow from the time, such as a hash of the time in seconds. Resolves
   * to `true` if the two executions then differ.
   */
  async #differsInAnotherSecond(): Promise<boolean> {
    if (this.#isApart(0, 1) || !this.#walks[0]!.some(({ facts }) => mayHoldTokens(facts))) return false;
    this.#forgetLast();
    await sleep(this.#begun[0]! + APART_MS - performance.now());
    await this.#again(2);
    return this.#differing(0, 1) >= 0;
  }

  /** Returns `true` if a value differs between all executions except some that began in the same second. The value may follow from the second. */
  #dependsOnSecond(): boolean {
    const pairs = this.#pairs().map(([a, b]) => ({
      isApart: this.#isApart(a, b),
      places: new Set(this.#between(a, b).generated.map(({ place }) => place)),
    }));
    const places = new Set(pairs.flatMap((pair) => [...pair.places]));
    return [...places].some((place) => {
      const equal = pairs.filter((pair) => !pair.places.has(place));
      return equal.length > 0 && equal.every(({ isApart }) => !isApart);
    });
  }

  /**
   * Executes the path as often as before, but in another second each time, as long as a value seems to follow from the second. If it does in the end,
   * only executions that began in different seconds are compared from then on.
   */
  async #spread(): Promise<void> {
    for (let left = this.#walks.length - 1; left > 0 && this.#dependsOnSecond(); left--) {
      await sleep(this.#begunMs + APART_MS - performance.now());
      await this.#again(this.#walks.length + 1);
    }
    this.#onlyApart = this.#dependsOnSecond();
  }

  async #again(count: number): Promise<void> {
    while (this.#walks.length < count) {
      await this.#goHome();
      await this.#walk();
    }
    await this.#goHome();
  }

  /** Returns the index of the first step after which two executions differ. Returns -1 if they do not differ. */
  #differing(a: number, b: number): number {
    const [x, y] = [this.#walks[a]!, this.#walks[b]!];
    const length = Math.min(x.length, y.length);
    for (let i = 0; i < length; i++) if (x[i]!.strict !== y[i]!.strict || x[i]!.status !== y[i]!.status) return i;
    return x.length === y.length ? -1 : length;
  }

  #unlike(): readonly string[] {
    const [first, ...others] = this.#walks as [readonly Stop[], ...(readonly Stop[])[]];
    for (const [index, stop] of first.entries()) {
      const other = others.find((walk) => walk[index]?.status !== stop.status && (index < walk.length || !this.#cut.has(walk)));
      if (other === undefined) continue;
      const { name } = this.#base.actions[stop.action]!;
      const then = other[index]?.status;
      const again =
        then === undefined ? `seqqa could not call ${name} when it repeated the path` : `with ${then} when seqqa repeated the path`;
      return [`the target answered ${name} with ${stop.status} the first time, but ${again}`];
    }
    return [];
  }

  /** Compares the first two executions. `counters`: the counters that differ, each with the index of the first step after which it differs. */
  #compared(): {
    readonly generated: readonly (Compared["generated"][number] & { readonly isShort: boolean })[];
    readonly counters: ReadonlyMap<string, number>;
  } {
    const { generated } = this.#between(0, 1);
    const counters = new Map<string, number>();
    for (const { place, domain, isLoose, stop } of generated) {
      // The counter of an integer is unknown if the integer is not in a key of a table. Use its place in the state instead.
      const counter = isLoose === true ? place : domain;
      if (counter !== undefined && !counters.has(counter)) counters.set(counter, stop);
    }
    return { generated: generated.map((one) => ({ ...one, isShort: one.domain === undefined && one.sample.some(isShort) })), counters };
  }

  /**
   * Executes beginnings of the path, so that the counters advance by different amounts before the next execution. This shows from which counter an
   * integer comes, even if two counters had equal values before. Only affects counters that a restore does not reset.
   */
  async #separate(counters: ReadonlyMap<string, number>): Promise<void> {
    const whole = this.#path;
    const stops = [...new Set(counters.values())].toSorted((a, b) => a - b);
    for (const stop of stops.slice(0, -1)) {
      await this.#goHome();
      this.#path = whole!.slice(0, stop + 1);
      await this.#walk();
      this.#forgetLast();
    }
    this.#path = whole;
    if (stops.length > 1) await this.#goHome();
  }

  /**
   * Compares all pairs of executions. A value that differs in every pair is a generated value. A value that is equal in some pair was chosen at
   * random, so it is not recognised.
   */
  #judged(): Pick<Knowledge, "generated" | "times" | "noisyActions"> & { readonly suspects: readonly DroppedField[] } {
    const all = withWholes(this.#pairs().map(([a, b]) => this.#between(a, b)));
    const keyOf = ({ place, after }: { readonly place: string; readonly after: string }): string => `${place}\n${after}`;
    const suspects = new Map(all.flatMap(({ unexplained }) => unexplained).map((one) => [one.field, one]));
    const generated = new Map(all.flatMap((one) => one.generated).map((one) => [keyOf(one), one]));
    const times = joinedTimes(all.flatMap((pair) => pair.times));
    const counters = new Map<string, string>();
    for (const [key, one] of generated) {
      const pairs = all.map((pair) => pair.generated.filter((other) => keyOf(other) === key));
      const isHeld = (domain: string): boolean => pairs.every((some) => some.some(({ domains }) => domains.includes(domain)));
      // A short hexadecimal id may consist of digits only by chance. If the value is no integer in one pair, it is text.
      const isText = pairs.some((some) => some.some(({ domain }) => domain === undefined));
      // A column may refer to several tables, so its values may come from several counters. Take the counter that explains the values in all pairs,
      // or else the column's own.
      const counter = one.domains.find(isHeld) ?? one.domain;
      if (counter !== undefined && !isText) counters.set(key, counter);
      const isMade = one.isLoose !== true || (pairs.flat().every(isGrowing) && this.#stays(one.place));
      if (isMade && pairs.every((some) => some.length > 0)) continue;
      generated.delete(key);
      suspects.set(one.field, { field: one.field, values: one.sample });
    }
    // If no difference was found in the states, a request causes the difference, or a field was classified wrongly.
    const noisy = generated.size + times.length + suspects.size > 0 ? [] : this.#unplaced(suspects);
    return {
      generated: [...generated].map(([key, { place, after }]) => ({ place, after, domain: counters.get(key) })),
      times,
      suspects: [...suspects.values()],
      noisyActions: noisy,
    };
  }

  /** Returns `true` if some value at this place stayed the same from one step to the next in the first execution. */
  #stays(place: string): boolean {
    const all = this.#walks[0]!.map(({ facts }) => valuesAt(facts, place));
    return all.some((values, stop) => values.some((value) => all[stop + 1]?.includes(value)));
  }

  /**
   * Explains why two executions differ if all differing values are known. Adds the fields that still differ to `suspects`. If there are none, returns
   * the name of the action whose requests differ each time.
   */
  #unplaced(suspects: Map<string, DroppedField>): readonly string[] {
    const noisy = new Set<string>();
    const at = this.#differing(0, 1);
    const [x, y] = [this.#walks[0]![at], this.#walks[1]![at]];
    if (x === undefined || y === undefined || x.status !== y.status) return [];
    const fields = differingFields(x.lines, y.lines, x.kinds);
    for (const field of fields) suspects.set(field, { field, values: ["?", "?"] });
    if (fields.length === 0) noisy.add(this.#base.actions[x.action]!.name);
    return [...noisy];
  }

  /** Compares two executions step by step. Values that are recognised after one step are taken into account for the later steps. */
  #between(a: number, b: number, before: Knowledge = this.#base.options.knowledge): Differences {
    const [x, y] = [this.#walks[a]!, this.#walks[b]!];
    const found: Differences = { generated: [], times: [], unexplained: [] };
    let known = before;
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
      if (x[i]!.status !== y[i]!.status) break;
      const compared = compareExecutions(x[i]!, y[i]!, { known });
      found.generated.push(...compared.generated.map((one) => ({ ...one, stop: i })));
      found.times.push(...compared.times);
      found.unexplained.push(...compared.unexplained);
      known = joined(known, { ...NOTHING_KNOWN, generated: compared.generated, times: compared.times, dropped: compared.unexplained });
    }
    return found;
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
   * Returns the actions that write after they have answered. Only searches for them if the state changes after the last step, or if it differs from
   * `known`. `watchMs`: how long to watch the stores, if this is longer than usual.
   */
  async #lateAtEnd(known?: Fingerprint, watchMs = 0): Promise<readonly string[]> {
    const stops = this.#walks[0]!;
    const last = stops.at(-1);
    if (last === undefined) return [];
    const isLate = await this.#isLate(last.stores, Math.max(END_WATCH_MS, watchMs));
    // On a slow machine a late write may happen before the first read, so that no change is seen. It then shows as a difference from the recorded
    // state.
    if (!isLate && (known === undefined || stops.length < this.#path!.length || (await this.#isAt(known)))) return [];
    const ms = isLate ? Math.max(LATE_MS, watchMs) : LATE_MS;
    const late = await this.#lateActions(ms);
    if (ms === LATE_MS) return late.length > 0 ? late : this.#lateActions(ms);
    // In such a long time a timer of the target or another client may have written, which does not meet the same action again.
    const again = await this.#lateActions(ms);
    const both = late.filter((action) => again.includes(action));
    if (both.length > 0 || late.length + again.length === 0) return both;
    const third = await this.#lateActions(ms);
    return third.filter((action) => late.includes(action) || again.includes(action));
  }

  /** Executes the path again. Returns the actions after which a store changes without a further request, within `watchMs` milliseconds. */
  async #lateActions(watchMs: number): Promise<readonly string[]> {
    const { state, stepper, actions, drawing, canonicalizer } = this.#base;
    await this.#goHome();
    const late = new Set<string>();
    const gone: number[] = [];
    for (const action of this.#path!) {
      drawing.at(gone, gone.length, action);
      const { kind } = await stepper.run(actions[action]!);
      if (kind !== "executed") break;
      gone.push(action);
      await this.#late.settle();
      if (await this.#isLate(storesFingerprint(await state.facts(), canonicalizer), watchMs)) late.add(actions[action]!.name);
      if (late.size > 0 && watchMs > LATE_MS) break;
    }
    return [...late];
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
      // A time that passes changes the state without a write.
      known = now;
      return false;
    };
    return poll(isOther, ms, LOOK_MS);
  }

  /**
   * Reads the World's probe again. Without this, the result of its last read would still count as the state. Errors are ignored here, since a step
   * reports them.
   */
  async #readProbe(): Promise<void> {
    await this.#base.state.probe().catch(() => undefined);
  }

  /**
   * Executes the path. The first execution also chooses the path, if none was given. Waits for late writes, so that they do not affect the next
   * execution.
   */
  async #walk(): Promise<void> {
    const { actions } = this.#base;
    this.#begunMs = performance.now();
    const stops: Stop[] = [];
    const gone: number[] = [];
    let accepted = false;
    const take = async (action: number): Promise<boolean> => {
      const stop = await this.#step(gone, action);
      if (stop === "ended") {
        this.#cut.add(stops);
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
      /** Executes an action. Returns `true` if it worked, `false` if it may work in a later state, and `undefined` if the execution must end. */
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
      // If a step without an outcome ended this execution, the same would happen next time. Do not list the remaining actions as missed.
      this.#missed = this.#cut.has(stops) ? [] : [...waiting];
      this.#path = gone;
    }
    if (accepted) await this.#late.drain(this.#base.home.mark);
    this.#walks.push(stops);
    this.#begun.push(this.#begunMs);
  }

  /**
   * Executes one action. Returns `undefined` if the action did not apply, and `"ended"` if it failed. A failed action is not reported here, since the
   * exploration executes it again.
   */
  async #step(gone: readonly number[], action: number): Promise<Stop | "ended" | undefined> {
    const { state, stepper, actions, canonicalizer, drawing } = this.#base;
    drawing.at([...gone], gone.length, action);
    const before = await state.position();
    const outcome = await stepper.run(actions[action]!);
    if (outcome.kind === "lost" || outcome.kind === "failed") return "ended";
    if (outcome.kind === "skipped") return (await state.changed(before)) ? "ended" : undefined;
    const { window } = stepper;
    await this.#late.settle();
    const facts = structuredClone(await state.observed());
    const named = await state.facts();
    const stores = storesFingerprint(named, canonicalizer);
    canonicalizer.fingerprint(named, { lo: 0, hi: 0 });
    const { strict } = canonicalizer;
    return { stores, action, status: outcome.status, facts, window, strict, lines: canonicalizer.describe(named), kinds: rowKinds(facts) };
  }
}

type TryOne = (action: number) => Promise<boolean | undefined>;

/** Tries all waiting actions in turn, and tries those that did not work again in the next round. Ends when no action works in a whole round. */
async function inRounds(waiting: ReadonlySet<number>, tryOne: TryOne): Promise<void> {
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const action of waiting) if ((await tryOne(action)) === undefined) return;
  }
}

/** Tries the waiting actions in each state. Executes one of the `others` only if no waiting action works. Each of them is executed once at most. */
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
 * Returns the pairs with one answer for each place. In some pairs of executions, only a word of a text differs, and in others the texts cannot be paired
 * word by word, because a generated word contains separators by chance (such as `%2F` in an encoded signature). The whole text is then generated.
 */
function withWholes(pairs: readonly Differences[]): readonly Differences[] {
  const wholes = new Set(pairs.flatMap(({ generated }) => generated.filter(({ after }) => after === "").map(({ place }) => place)));
  return pairs.map((pair) => ({
    ...pair,
    generated: pair.generated.map((one) =>
      wholes.has(one.place) && one.after !== "" ? { ...one, after: "", domain: undefined, domains: [] } : one,
    ),
  }));
}

const isGrowing = ({ sample: [a, b] }: Differences["generated"][number]): boolean => BigInt(a) < BigInt(b);

/**
 * Returns `true` for a short text or a word. Such a text may have been chosen at random from a list, and then occurs again after a few executions. An
 * id does not.
 */
function isShort(text: string): boolean {
  return text.length < 10 || !/\d/.test(text);
}

/**
 * Returns `true` if a state has values that may be times, or tokens that may contain times. Executions within one second would not show such times as
 * different.
 */
function mayHoldTimes(facts: Execution["facts"]): boolean {
  return /\d{10}|\d\d:\d\d|eyJ/.test(JSON.stringify(facts, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
}

/** Returns `true` if a state has a text that looks random and is no UUID, which contains either no time or a precise one. */
function mayHoldTokens(facts: Execution["facts"]): boolean {
  return (JSON.stringify(facts, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)).match(TOKENS) ?? []).some(
    (text) => !UUID.test(text) && looksRandom(text),
  );
}

const TOKENS = /[\w-]{16,}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
