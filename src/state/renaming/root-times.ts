import { ROOT_TIMES, type TimeKey, type TimeOrigin } from "../values/origins.ts";
import { FURTHEST_MS, simplestOffset, type StepWindow } from "../values/times.ts";

const DAY_MS = 86_400_000;

/**
 * The times of the root state, whose names are the same in all states. The times are first collected while the root state is read; {@link name} then
 * names them. Each lane makes its root state at another time, so names contain distances from the start instead of times.
 */
export class RootTimes {
  /** All times of the root state. `isKnown`: the time was found at a place where experiments showed times. */
  readonly #moments = new Map<number, { isKnown: boolean }>();
  /** The times that were found at places where experiments showed times, as keys of `timeKeyAt`. */
  readonly #placed = new Set<TimeKey>();
  /** The times in signed tokens, as keys that `timeKeyAt` makes from the time and a hash of the token. */
  readonly #inTokens = new Set<TimeKey>();
  #named: ReadonlyMap<number, TimeOrigin> = new Map();
  /** The times that were in the future when the root state was made. */
  #future: readonly number[] = [];
  /** The times that `setup` may have written. */
  #ofSetup: readonly number[] = [];
  #endMs = 0;

  /** Forgets all times. @param endMs The time at which the root state was complete. */
  clear(endMs: number): void {
    this.#endMs = endMs;
    this.#named = new Map();
    this.#moments.clear();
    this.#placed.clear();
    this.#inTokens.clear();
  }

  meet(ms: number, isKnown: boolean): void {
    const known = this.#moments.get(ms);
    if (known === undefined) this.#moments.set(ms, { isKnown });
    else known.isKnown ||= isKnown;
  }

  meetAt(key: TimeKey): void {
    this.#placed.add(key);
  }

  meetInToken(key: TimeKey): void {
    this.#inTokens.add(key);
  }

  /** Names the collected times. @param window The time in which the root state was made. */
  name(window: StepWindow): void {
    const named = new Map<number, TimeOrigin>();
    const ofSetup: number[] = [];
    for (const [ms, { isKnown }] of this.#moments) {
      const offset = simplestOffset(ms - window.endMs - 1_002, ms - window.startMs + 1_002);
      // A time that `setup` wrote differs between runs, so it is named by its offset. Any other time at a known place, such as a time in a template
      // of the store, is named by its value.
      const isSimple = offset % 60_000 === 0 && Math.abs(offset) < FURTHEST_MS;
      const isOwn = isKnown && isSimple;
      const isNear = Math.abs(ms - window.endMs) <= DAY_MS;
      if (isSimple || isNear) ofSetup.push(ms);
      const isFuture = ms > window.endMs + 1_000;
      if (isOwn || isNear) named.set(ms, { name: isOwn ? `root${offset}` : "root0", step: 0, domain: "", isFuture });
      else if (isKnown) named.set(ms, { name: `root=${ms}`, step: 0, domain: "", isFuture });
    }
    this.#ofSetup = ofSetup;
    this.#named = ranked(named);
    this.#future = [...this.#named].filter(([, { isFuture }]) => isFuture).map(([ms]) => ms);
  }

  get named(): ReadonlyMap<number, TimeOrigin> {
    return this.#named;
  }

  get endMs(): number {
    return this.#endMs;
  }

  get hasPlaces(): boolean {
    return this.#placed.size > 0;
  }

  /** Returns `true` if the root state contains the time at any place. The time need not have a name. */
  has(ms: number): boolean {
    return this.#moments.has(ms);
  }

  isAt(key: TimeKey): boolean {
    return this.#placed.has(key);
  }

  isInToken(key: TimeKey): boolean {
    return this.#inTokens.has(key);
  }

  /** Returns `true` if a named time lies in the second that begins at `secondMs`, in milliseconds since 1970. */
  hasIn(secondMs: number): boolean {
    for (const ms of this.#named.keys()) if (ms >= secondMs && ms < secondMs + 1_000) return true;
    return false;
  }

  /**
   * Returns `true` if a time equals a time that `setup` wrote, or differs from such a time by whole minutes. Each lane runs `setup` at another time,
   * so the times that `setup` writes differ between lanes.
   */
  isOfSetup(ms: number): boolean {
    return this.#ofSetup.some((one) => (ms - one) % 60_000 === 0 && Math.abs(ms - one) <= FURTHEST_MS);
  }

  /**
   * Returns the future times that can pass because real time passes during the run. Times that passed only because the target's clock was moved are
   * left out, because the position of this clock is part of the state.
   * @param aheadMs The milliseconds by which the target's clock is ahead.
   */
  waiting(aheadMs: number): readonly number[] {
    return this.#future.filter((ms) => ms - aheadMs > this.#endMs);
  }
}

/** Numbers the times that have the same name, from the earliest on. */
function ranked(times: ReadonlyMap<number, TimeOrigin>): ReadonlyMap<number, TimeOrigin> {
  const named = new Map<string, number[]>();
  for (const [ms, { name }] of times) named.set(name, [...(named.get(name) ?? []), ms]);
  const all = new Map(times);
  for (const same of named.values()) {
    if (same.length < 2) continue;
    for (const [rank, ms] of same.toSorted((a, b) => a - b).entries()) all.set(ms, { ...times.get(ms)!, domain: ROOT_TIMES, rank });
  }
  return all;
}
