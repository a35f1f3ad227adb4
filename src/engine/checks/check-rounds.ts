import { hasEnded } from "../../model/results/target-end.ts";
import type { CheckQueue } from "./check-queue.ts";
import type { Expansion, LaneDivergence, LaneFailure, UnitRequest } from "../../messages/lane-messages.ts";

/** Chunks that a lane works on between two rounds of checks. */
const BETWEEN = 8;
/** Checks that may wait before they are what every chunk is. */
const MOST_WAITING = 500;
/** Checks in a chunk. */
const AT_ONCE = 100;

export interface CheckRoundsOptions {
  readonly checks: CheckQueue;
  /** How many nodes keep a lane busy for a chunk, when each is gone to by a path. */
  readonly atOnce: () => number;
  readonly post: (lane: number, units: readonly UnitRequest[], take: (expansion: Expansion) => Promise<void>) => void;
  /** Takes in what lanes did for it. */
  readonly measured: (lane: number, expansion: Expansion) => void;
  readonly diverged: (divergence: LaneDivergence) => void;
  readonly rebuild: (lane: number, failure: LaneFailure) => Promise<void>;
}

/** Sends what is to be compared to lanes, in chunks between those that commits need. What they find is reported, and nothing is committed by them. */
export class CheckRounds {
  readonly #options: CheckRoundsOptions;
  /** By lane. */
  readonly #since: number[] = [];
  /** Paths that led to another state once and are tried again. */
  readonly #differed = new Map<UnitRequest, LaneFailure>();

  constructor(options: CheckRoundsOptions) {
    this.#options = options;
  }

  /** A lane takes checks between chunks now and then, and whenever it has nothing else to do. */
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
      if (differed !== undefined) this.#diverged(unit, differed, "A path led to another state once, and not when it was tried again");
      this.#differed.delete(unit);
      checks.done(unit);
    }
    if (failure === undefined) return;
    const culprit = units[failure.unit];
    if (culprit !== undefined) this.#failed(culprit, failure);
    for (const unit of units.slice(finished)) if (unit !== culprit) checks.again(unit);
    await rebuild(lane, failure);
  }

  /** A check that did not come to its end is made once more on a fresh lane. A path that led elsewhere is reported also if the second try agrees. */
  #failed(unit: UnitRequest, failure: LaneFailure): void {
    const { checks } = this.#options;
    const { kind, target } = failure;
    if (unit.suspect === undefined || (kind === "dirty" && unit.suspect !== kind)) {
      const again = { ...unit, suspect: kind };
      if (kind === "dirty") this.#differed.set(again, failure);
      return checks.again(again);
    }
    // A store that was about to be lost may have shown another state the first time.
    this.#differed.delete(unit);
    checks.done(unit);
    const isMerge = unit.check?.merge === true;
    // A target that ends each time behind another way to a state tells the two apart.
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
