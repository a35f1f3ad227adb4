import type { TimePlace } from "../compare/knowledge.ts";
import { coarsestOf, knownOffset, stepOffset } from "../compare/resolutions.ts";
import { Time } from "../values/named.ts";
import { msOf, NO_ORIGINS, timeKeyAt, timeKeyIn, type Origins, type TimeKey, type TimeOrigin } from "../values/origins.ts";
import { fieldOf, isInToken, tableOf } from "../values/places.ts";
import { isFixed, momentOf, zoneOf, type Moment } from "../values/times.ts";
import type { RootTimes } from "./root-times.ts";
import type { StepOrigin } from "./step-origin.ts";

/** The smallest distance between the target's clock and the real time at which times of both clocks can be distinguished. */
const LEAST_AHEAD_MS = 3_600_000;
/** The largest difference between the clocks of a store and of seqqa. */
const STORE_CLOCK_MS = 2_000;
/** The distance from which two times of one step count as different. Smaller distances occur by chance. */
const LEAST_APART_MS = 2;
/** Matches the places of times that are made together with a token. Other times, such as `auth_time`, may be copies from an earlier token. */
const OF_TOKEN = /"\{(?:jwt\}","claims","(?:iat|exp|nbf)|signed\}","time)"\]$/;

/** The target's clock. */
export interface TargetClock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** The milliseconds by which the clock is ahead of the real time. */
  readonly aheadMs: number;
}

/**
 * The purpose for which facts are read: to collect the values of the root state (`root`), to replace only values of the root state (`constant`), or
 * to replace all named values and name the new ones (`observed`).
 */
export type Reading = "root" | "constant" | "observed";

/**
 * Names the times in the state that is being read, either by their offset from the step that wrote them, or by their distance from another time. Also
 * decides which times are the same as times of earlier states, and which times have passed since.
 */
export class TimeNames {
  readonly #root: RootTimes;
  /** The columns that the step filled with the real time, although the target's clock is far ahead. */
  readonly realTimeColumns: Set<string> = new Set();
  /**
   * The kind of row that is being read. `new`: no row of the root state has its key. `removed`: the state no longer contains the row. `undefined`:
   * another row, or no row.
   */
  row: "new" | "removed" | undefined;
  /** The signed token that is being read, without `Bearer`; `undefined` outside of tokens. */
  token: string | undefined;
  #reading: Reading = "constant";
  #before: Origins = NO_ORIGINS;
  #step: StepOrigin | undefined;
  #clock: TargetClock = { now: () => 0, aheadMs: 0 };
  #nowMs = 0;
  #found: Map<TimeKey, TimeOrigin> = new Map();
  /** The times that the step wrote, with their keys in `#found`. */
  #new: { readonly key: TimeKey; readonly ms: number }[] = [];
  /** The times in tokens that the step signed. */
  readonly #signed = new Set<TimeKey>();

  constructor(root: RootTimes) {
    this.#root = root;
  }

  /** Begins to read a state. @param before The origins of the state before the step. @param step `undefined` if no new times are expected. */
  begin(reading: Reading, before: Origins, step: StepOrigin | undefined, clock: TargetClock): void {
    this.#reading = reading;
    this.#before = before;
    this.#step = step;
    this.#clock = clock;
    this.#nowMs = clock.now();
    // No time of the root state counts as passed in the root state itself, even if it is observed long after it was made.
    if (reading === "observed" && before === NO_ORIGINS) this.#nowMs = Math.min(this.#nowMs, this.#root.endMs);
    // Start empty, so that times that no longer occur in the state are dropped.
    this.#found = new Map();
    this.#new = [];
    this.#signed.clear();
    this.realTimeColumns.clear();
  }

  /** The times of earlier steps that were found in the state, and the times that the step wrote. */
  get found(): ReadonlyMap<TimeKey, TimeOrigin> {
    return this.#found;
  }

  get hasNew(): boolean {
    return this.#new.length > 0;
  }

  /** `true` if times have names. */
  get hasNames(): boolean {
    return this.#before.times.size + this.#found.size + this.#root.named.size > 0;
  }

  /** Returns the origin of a time outside of the state, such as in a request. */
  originOf(ms: number): TimeOrigin | undefined {
    return this.#found.get(ms) ?? this.#before.times.get(ms) ?? this.#root.named.get(ms);
  }

  /** Completes the names of new times after all facts were read once. */
  complete(): void {
    this.#order();
    // Two equal times with separate keys (with a place or token) are equal only by chance. If only one of the two is left, also store it under its
    // plain key, so that copies of the time at other places are found.
    for (const [key, origin] of this.#found) {
      const ms = msOf(key);
      if (typeof key === "string" && !this.#found.has(ms) && !this.#root.named.has(ms)) this.#found.set(ms, origin);
    }
  }

  /** Returns those of the given times that have passed. Records the origins of all given times in {@link found}. */
  passed(times: readonly number[]): readonly Time[] {
    return times.flatMap((ms) => {
      const origin = this.#known(ms);
      return origin?.isPassed === true ? [new Time(ms, "", origin)] : [];
    });
  }

  /** Returns the replacement for a time at a place where experiments showed no times; `undefined` if no equal time has a name. */
  elsewhere(ms: number, form: string): Time | undefined {
    const origin = this.#known(ms);
    return origin === undefined ? undefined : this.#shown(ms, form, origin);
  }

  /**
   * Returns the replacement for a value at a place where experiments showed times. Returns `undefined` if the value is not a time, or has no name.
   */
  at(value: unknown, place: TimePlace): Time | undefined {
    const moment = momentOf(value);
    if (moment === undefined) return undefined;
    if (this.#isRealTime(moment, place)) this.realTimeColumns.add(fieldOf(place.place));
    const origin = this.#inToken(moment, place) ?? this.#atPlace(moment, place) ?? this.#named(moment, place, moment.ms);
    return origin === undefined ? undefined : this.#shown(moment.ms, moment.form, origin);
  }

  /**
   * Names a time. If the target's clock was moved after the time was written, the name also says how far the clock was moved, because a time that is
   * due in ten days differs from a time that is due now.
   */
  #shown(ms: number, form: string, origin: TimeOrigin): Time {
    const movedMs = this.#clock.aheadMs - (origin.aheadMs ?? 0);
    return new Time(ms, form, movedMs === 0 ? origin : { ...origin, name: `${origin.name}~${movedMs}` });
  }

  /**
   * Returns `true` if the step wrote the real time into a column, and the target's clock is so far ahead that the target cannot have written this
   * time.
   */
  #isRealTime({ ms }: Moment, time: TimePlace): boolean {
    const { place, resolutionMs } = time;
    const step = this.#step;
    const { aheadMs } = this.#clock;
    if (step === undefined || aheadMs < LEAST_AHEAD_MS || tableOf(place) === undefined) return false;
    // If an earlier state or the root state contained the time, the step did not write the time, or only copied it.
    if (this.#before.times.has(ms) || this.#root.has(ms)) return false;
    const slack = Math.min(coarsestOf(time), 1_000) + STORE_CLOCK_MS;
    return ms >= step.startMs - aheadMs - slack && ms <= step.endMs - aheadMs + slack && resolutionMs <= 1_000;
  }

  /**
   * Returns the origin of a time in a signed token that says when the token was made or how long it is valid. Returns `undefined` if the time is
   * named like times outside of tokens. Times in tokens with different signatures have different origins, even if the tokens were signed in the same
   * second.
   */
  #inToken(moment: Moment, place: TimePlace): TimeOrigin | undefined {
    if (this.token === undefined || !OF_TOKEN.test(place.place)) return undefined;
    const key = timeKeyIn(moment.ms, this.token);
    if (this.#reading === "root") this.#root.meetInToken(key);
    if (this.#step === undefined || this.#signed.has(key)) return this.#known(key);
    const before = this.#before.times.get(key);
    if (before !== undefined && !this.#isSignedAgain(before)) return this.#known(key);
    const { offsets = [], base } = place;
    if (before === undefined) {
      if (this.#root.isInToken(key) || base === "stored") return undefined;
      // A time that the token copied from elsewhere keeps the origin of that time.
      const isOwn = offsets.length === 0 || knownOffset(moment, this.#step, place) !== undefined;
      if (!isOwn && this.#known(moment.ms) !== undefined) return undefined;
    }
    this.#signed.add(key);
    return this.#named(moment, place, key);
  }

  /**
   * Returns `true` if this step signed a known token again, with the same content in the same second. This happens by chance, and the names of the
   * token's times must not depend on chance. Only the action that signed the token first counts, because another action may merely return the token.
   * In a step that also writes, the answer to a GET does not count, because it may list the tokens of earlier steps, such as all mails.
   */
  #isSignedAgain({ source }: TimeOrigin): boolean {
    const { action, exchanges } = this.#step!;
    if (source === undefined || source.slice(0, source.lastIndexOf("@")) !== action) return false;
    const writes = exchanges.filter(({ method }) => method !== "GET");
    return (writes.length > 0 ? writes : exchanges).some(
      ({ answer, answerHeaders = "" }) => answer.includes(this.token!) || answerHeaders.includes(this.token!),
    );
  }

  /** Returns the origin of a time at a place where experiments showed times; `undefined` if no equal time with an origin is known. */
  #atPlace(moment: Moment, place: TimePlace): TimeOrigin | undefined {
    const { ms } = moment;
    const own = timeKeyAt(ms, place.place);
    if (this.row === "new" && coarsestOf(place) >= 1_000 && this.#root.isAt(own)) return this.#inNewRow(moment, place);
    const here = this.#known(own);
    if (here !== undefined) return here;
    const known = this.#known(ms);
    if (known === undefined || known.domain === place.place || place.base === "stored" || this.#step === undefined) return known;
    if (this.#root.isAt(own)) return known;
    // A later step may have written an equal time by chance, especially in whole seconds. If the time has a known offset from this step, this step
    // wrote it.
    const fitting = knownOffset(moment, this.#step, place);
    if (fitting !== undefined && `step${fitting.offset}` !== known.name) return this.#named(moment, place, own);
    // If the time is a copy of an earlier time, it keeps the origin of that time, even if its offset from this step is also a known offset.
    if (place.offsets?.some((one) => `step${one}` !== known.name)) this.#found.set(own, known);
    return known;
  }

  /** Returns the origin of a time of the root state in a row that a step added. In whole seconds, the step may have written an equal time. */
  #inNewRow(moment: Moment, place: TimePlace): TimeOrigin | undefined {
    const key = timeKeyAt(moment.ms, `${place.place}+`);
    const here = this.#known(key);
    if (here !== undefined) return here;
    if (this.#step !== undefined && knownOffset(moment, this.#step, place) !== undefined) return this.#named(moment, place, key);
    const known = this.#known(moment.ms);
    if (known !== undefined) this.#found.set(key, known);
    return known;
  }

  #known(key: TimeKey): TimeOrigin | undefined {
    const removed = this.row === "removed" && typeof key === "number" ? this.#root.named.get(key) : undefined;
    if (removed !== undefined) return removed;
    const known = this.#signed.has(key) ? undefined : this.#before.times.get(key);
    // A time that this step wrote never counts as passed. Otherwise, the result would depend on the delay until the state is read.
    if (known === undefined) return this.#found.get(key) ?? (typeof key === "number" ? this.#rootTime(key) : undefined);
    // If a time of an earlier step has passed, the state is a different one, although nothing was written.
    const now: TimeOrigin =
      known.isFuture && msOf(key) - (known.zoneMs ?? 0) <= this.#nowMs ? { ...known, isFuture: false, isPassed: true } : known;
    this.#found.set(key, now);
    return now;
  }

  /** Returns the origin of a time of the root state. A time that was in the future is recorded like a time that a step wrote, because it can pass. */
  #rootTime(ms: number): TimeOrigin | undefined {
    const known = this.#root.named.get(ms);
    if (known?.isFuture !== true || this.#reading !== "observed") return known;
    const now: TimeOrigin = ms <= this.#nowMs ? { ...known, isFuture: false, isPassed: true } : known;
    this.#found.set(ms, now);
    return now;
  }

  #named(moment: Moment, place: TimePlace, key: TimeKey): TimeOrigin | undefined {
    const { ms } = moment;
    if (this.#reading === "root") {
      this.#root.meet(ms, true);
      this.#root.meetAt(timeKeyAt(ms, place.place));
    }
    const step = this.#step;
    if (step === undefined) return undefined;
    const { offset: own, resolutionMs, isKnown } = stepOffset(moment, step, place);
    // An offset that experiments showed is more likely than a distance from a stored time, because such a distance may be simple by chance. Without a
    // known offset, use a distance if experiments showed distances from stored times at this place, or if the distance is simpler than the offset.
    const isLikely = (apart: number): boolean => place.base === "stored" || unitOf(apart) < unitOf(own);
    const isConstant = !isKnown && place.constants?.includes(ms) === true;
    const from = !isKnown && !isConstant ? this.#storedBase(ms, isLikely) : undefined;
    // A constant or fixed time gets no origin, because its distance from the step says nothing except when the step ran.
    if (isConstant || (!isKnown && from === undefined && isFixed(moment, step, resolutionMs))) return undefined;
    const zoneMs = zoneOf(moment, step);
    // A time that is at most rounded up from the present is not in the future, even if it is later than the end of its step. A time in whole seconds
    // that is at least a second ahead was in the future, even if it passed before its step ended.
    const aheadMs = own - zoneMs;
    const isFuture = aheadMs > 0 && (ms - zoneMs > step.endMs || (resolutionMs === 1_000 && aheadMs >= 1_000));
    const origin = {
      name: from?.name ?? `step${own}`,
      step: from?.step ?? this.#before.steps + 1,
      domain: place.place,
      isFuture,
      zoneMs: zoneMs || undefined,
      source: isInToken(place.place) ? `${step.action}@${this.#before.atStores ?? ""}` : undefined,
      aheadMs: (from === undefined ? this.#clock.aheadMs : from.aheadMs) || undefined,
    };
    this.#found.set(key, origin);
    this.#new.push({ key, ms });
    return origin;
  }

  /** Sets the positions (`within`) of the times that a step wrote at one place if these times differ, for example in several rows. */
  #order(): void {
    const groups = new Map<string, { readonly key: TimeKey; readonly ms: number }[]>();
    for (const one of this.#new) {
      const { domain, name } = this.#found.get(one.key)!;
      const group = `${name} ${domain}`;
      groups.set(group, [...(groups.get(group) ?? []), one]);
    }
    for (const some of groups.values()) {
      const sorted = some.toSorted((a, b) => a.ms - b.ms);
      let within = 0;
      const positions = sorted.map(({ ms }, index) => (index > 0 && ms - sorted[index - 1]!.ms >= LEAST_APART_MS ? ++within : within));
      if (within > 0)
        for (const [index, { key }] of sorted.entries()) this.#found.set(key, { ...this.#found.get(key)!, within: positions[index] });
    }
  }

  /**
   * Names a time by its distance from another time in the state. Of the likely distances in whole seconds, chooses the simplest one. Returns the
   * name, and the step of the other time; `undefined` if no distance is likely.
   */
  #storedBase(ms: number, isLikely: (apart: number) => boolean): Pick<TimeOrigin, "name" | "step" | "aheadMs"> | undefined {
    let best: Pick<TimeOrigin, "name" | "step" | "aheadMs"> | undefined;
    let least = Infinity;
    for (const [other, { name, step, aheadMs }] of [...this.#before.times, ...this.#root.named]) {
      const apart = ms - msOf(other);
      if (apart === 0 || apart % 1_000 !== 0 || !isLikely(apart)) continue;
      const weight = simplicity(apart);
      if (weight < least) [least, best] = [weight, { name: `${name}+${apart}`, step, aheadMs }];
    }
    return best;
  }
}

/** Returns the index of the largest unit of which a duration is a multiple: days, hours, minutes, seconds, or a smaller one. */
function unitOf(ms: number): number {
  const unit = [86_400_000, 3_600_000, 60_000, 1_000].findIndex((grain) => ms % grain === 0);
  return unit === -1 ? 4 : unit;
}

/** Returns a weight of a duration that is smaller for simpler durations: whole days before hours, minutes and seconds. */
function simplicity(ms: number): number {
  return unitOf(ms) * 1e9 + Math.abs(ms) / 1_000;
}
