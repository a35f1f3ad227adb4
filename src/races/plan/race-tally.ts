import type { RaceAnswer, RaceHit, RaceRequest } from "../../messages/race-messages.ts";
import type { RaceCoverage, RaceDelivery } from "../../model/results/result.ts";
import { pairOf, type RacePlan } from "./plan-races.ts";

/** Calls that are sent at the same time, and the path to the state in which they are sent. */
type Calls = Pick<RaceRequest, "path" | "sides">;

/** A detected race that is not reported. */
export interface DismissedHit {
  readonly request: Calls;
  readonly hit: RaceHit;
  readonly reason: string;
  /** Number of races of this pair of actions that were dismissed for the same reason. */
  readonly count: number;
  /** A sentence about the different state to which the path led in the second attempt; see {@link RaceAnswer.difference}. */
  readonly difference?: string | undefined;
  /** How often the race occurred in its state, and in the states of shorter paths. Only set for a race that did not occur again. */
  readonly rate?: { readonly hits: number; readonly trials: number } | undefined;
}

export class RaceTally {
  trials = 0;
  #misses = 0;
  readonly #pairs: number;
  /** Number of pairs of calls that were not planned, for each reason. */
  readonly #skipped: Readonly<Record<string, number>>;
  readonly #dismissed: Record<string, number> = {};
  readonly #dismissedHits: Map<string, DismissedHit> = new Map();
  readonly #deliveries: Partial<Record<RaceDelivery, number>> = {};
  /** The probed pairs of calls, in the form of {@link keyOf}. A pair that is probed with equal test data and with different data is counted once. */
  readonly #probed: Set<string> = new Set();
  /** The pairs of calls that were planned but not probed, with the reasons. Keys are in the form of {@link keyOf}. */
  readonly #unprobed: Map<string, string> = new Map();
  readonly #hits: Set<string> = new Set();
  readonly #unreached: Calls[] = [];
  readonly #probedPairs: Set<string> = new Set();
  /** For each pair of actions that was not probed in some state: the last reason. Keys are in the form of {@link pairOf}. */
  readonly #left: Map<string, string> = new Map();
  readonly #begun: number = performance.now();
  #durationMs = 0;

  constructor({ pairs, skipped, cut, readOnly }: RacePlan) {
    this.#pairs = pairs;
    for (const pair of readOnly) this.#left.set(pair, "read_only");
    for (const pair of cut) this.#left.set(pair, "finding");
    this.#skipped = skipped;
  }

  add(answer: RaceAnswer, request: DismissedHit["request"]): void {
    this.addTrials(answer);
    const { dismissed } = answer;
    if (answer.failure !== undefined && answer.hit === undefined) {
      this.leave("lane_lost", request);
      // A trial showed a race, but its control arm could not be executed.
      if (dismissed === undefined && answer.dismissedHit !== undefined) this.dismiss("lane_lost", request, answer.dismissedHit);
      return;
    }
    if (dismissed === "not_there") this.#unreached.push(request);
    if (dismissed === "order_fails" || dismissed === "not_there" || dismissed === "one_connection") return this.leave(dismissed, request);
    const { hit, trials, misses } = answer;
    if (hit === undefined && dismissed === undefined && trials === 0) return this.leave(misses > 0 ? "no_overlap" : "no_write", request);
    if (!this.#unprobed.has(keyOf(request))) this.#probed.add(keyOf(request));
    this.#probedPairs.add(pairOf(request.sides));
    if (answer.hit !== undefined) this.#hits.add(keyOf(request));
    else if (dismissed !== undefined) this.dismiss(dismissed, request, answer.dismissedHit);
  }

  get probed(): number {
    return this.#probed.size;
  }

  /** Number of pairs of calls that showed a race. */
  get hits(): number {
    return this.#hits.size;
  }

  /** Adds the trials of one request to the counts. */
  addTrials({ trials, misses, deliveries }: RaceAnswer): void {
    this.trials += trials;
    this.#misses += misses;
    for (const [delivery, count] of Object.entries(deliveries) as [RaceDelivery, number][]) {
      this.#deliveries[delivery] = (this.#deliveries[delivery] ?? 0) + count;
    }
  }

  /**
   * Counts calls that were planned but not probed. If they were probed with other test data, they no longer count as probed, because the run may have
   * missed their race.
   */
  leave(reason: string, request: Calls): void {
    const key = keyOf(request);
    this.#probed.delete(key);
    if (!this.#unprobed.has(key)) this.#unprobed.set(key, reason);
    this.#left.set(pairOf(request.sides), reason);
  }

  /** For each planned pair of actions that was not probed in any state: the reason. Keys are in the form of {@link pairOf}. */
  get unprobed(): ReadonlyMap<string, string> {
    return new Map([...this.#left].filter(([pair]) => !this.#probedPairs.has(pair)));
  }

  /** Calls that were not sent at the same time, because their path no longer led to the recorded state. */
  get unreached(): readonly Calls[] {
    return this.#unreached;
  }

  dismiss(
    reason: string,
    request: DismissedHit["request"],
    hit: RaceHit | undefined,
    more: Pick<DismissedHit, "difference" | "rate"> = {},
  ): void {
    if (reason === "not_there") this.#unreached.push(request);
    this.#dismissed[reason] = (this.#dismissed[reason] ?? 0) + 1;
    if (hit === undefined) return;
    const key = JSON.stringify([request.sides.slice(0, 2), hit.verdict, hit.invariant, reason]);
    const known = this.#dismissedHits.get(key);
    this.#dismissedHits.set(key, known === undefined ? { request, hit, reason, count: 1, ...more } : { ...known, count: known.count + 1 });
  }

  /** The dismissed races. Of several races with the same pair of actions, verdict and reason, only the first race is listed. */
  get dismissedHits(): readonly DismissedHit[] {
    return [...this.#dismissedHits.values()];
  }

  end(): void {
    this.#durationMs = performance.now() - this.#begun;
  }

  coverage(): RaceCoverage {
    const skipped = { ...this.#skipped };
    for (const reason of this.#unprobed.values()) skipped[reason] = (skipped[reason] ?? 0) + 1;
    return {
      pairs: this.#pairs,
      probed: this.probed,
      trials: this.trials,
      misses: this.#misses,
      skipped,
      dismissed: this.#dismissed,
      deliveries: this.#deliveries,
      durationMs: this.#durationMs,
    };
  }
}

function keyOf({ path, sides }: Calls): string {
  return JSON.stringify([path, pairOf(sides)]);
}
