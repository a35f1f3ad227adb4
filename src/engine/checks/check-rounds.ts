import { hasEnded } from "../../model/results/target-end.ts";
import type { CheckQueue } from "./check-queue.ts";
import type { Expansion, LaneDivergence, LaneFailure, UnitRequest } from "../../messages/lane-messages.ts";

/** Chunks of a lane between two rounds of checks. */
const BETWEEN = 8;
/** If more checks wait than this, every chunk is a chunk of checks. */
const MOST_WAITING = 500;
/** Checks in a chunk. */
const AT_ONCE = 100;

export interface CheckRoundsOptions {
  readonly checks: CheckQueue;
  /** The number of nodes that keep a lane busy for one chunk if each is reached by replay. */
  readonly atOnce: () => number;
  readonly post: (lane: number, units: readonly UnitRequest[], take: (expansion: Expansion) => Promise<void>) => void;
  /** Counts the work that a lane did for checks. */
  readonly measured: (lane: number, expansion: Expansion) => void;
  readonly diverged: (divergence: LaneDivergence) => void;
  readonly rebuild: (lane: number, failure: LaneFailure) => Promise<void>;
}

/** Sends cross-checks to lanes, in chunks between those that commits need. Differences are reported; checks commit nothing. */
export class CheckRounds {
  readonly #options: CheckRoundsOptions;
  /** The number of chunks since the last round of checks, by lane. */
  readonly #since: number[] = [];
  /** Paths that led to another state once and are tried again. */
  readonly #differed = new Map<UnitRequest, LaneFailure>();

  constructor(options: CheckRoundsOptions) {
    this.#options = options;
  }

  /** Returns `true` if it is time for a lane to take a chunk of checks. A lane without other work takes checks anyway. */
  due(lane: number): boolean {
    const { checks } = this.#options;
    if (checks.size === 0) return false;
    this.#since[lane] = (this.#since[lane] ?? 0) + 1;
    if (this.#since[lane] <= BETWEEN && checks.size < MOST_WAITING) return false;
    this.#since[lane] = 0;
    return true;
  }

  /** Sends checks, if there are any. */
  send(lane: number): void {
    const { checks, atOnce, post } = this.#options;
    const units = checks.next(Math.min(atOnce(), AT_ONCE));
    if (units.length > 0) post(lane, units, (expansion) => this.#take(lane, units, expansion));
  }

  async #take(lane: number, units: readonly UnitRequest[], expansion: Expansion): Promise<void> {
    const { checks, measured, diverged, rebuild } = this.#options;
    const { finished, divergences, failure } = expansion;
    measured(lane, expansion);
    for (const divergence of divergences) diverged(divergence);
    for (const unit of units.slice(0, finished)) {
      const differed = this.#differed.get(unit);
      if (differed !== undefined) this.#diverged(unit, differed, "A path led to a different state once, but not when it was repeated");
      this.#differed.delete(unit);
      checks.done(unit);
    }
    if (failure === undefined) return;
    const culprit = units[failure.unit];
    if (culprit !== undefined) this.#failed(culprit, failure);
    for (const unit of units.slice(finished)) if (unit !== culprit) checks.again(unit);
    await rebuild(lane, failure);
  }

  /** Repeats an unfinished check once on a fresh lane. A path that led to another state is reported even if the second try agrees. */
  #failed(unit: UnitRequest, failure: LaneFailure): void {
    const { checks } = this.#options;
    const { kind, target } = failure;
    if (unit.suspect === undefined || (kind === "dirty" && unit.suspect !== kind)) {
      const again = { ...unit, suspect: kind };
      if (kind === "dirty") this.#differed.set(again, failure);
      return checks.again(again);
    }
    // The first difference may come from a store that was about to be lost.
    this.#differed.delete(unit);
    checks.done(unit);
    const isMerge = unit.check?.merge === true;
    // If the target ends each time behind the second path, the two paths lead to different states.
    const isEnded = kind === "unreachable" && target !== undefined && hasEnded(target);
    if (kind === "dirty" || (isMerge && isEnded)) this.#diverged(unit, failure, "A path could not be executed again");
  }

  #diverged({ path, check }: UnitRequest, { message, differences }: LaneFailure, what: string): void {
    this.#options.diverged({
      kind: check?.merge === true ? "merge" : "cross_check",
      path,
      calls: path,
      reduced: check?.reduced,
      message: `${what}: ${message}`,
      differences: differences ?? [],
    });
  }
}
