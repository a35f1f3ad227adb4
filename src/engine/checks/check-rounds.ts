import { hasEnded } from "../../model/results/target-end.ts";
import type { CheckQueue } from "./check-queue.ts";
import type { Expansion, LaneDivergence, LaneFailure, UnitRequest } from "../../messages/lane-messages.ts";

/** Number of chunks that a lane gets for the search before it gets a chunk of cross-checks. */
const BETWEEN = 8;
/** If at least this many cross-checks wait, lanes get no other work. */
const MOST_WAITING = 500;
/** Largest number of cross-checks that are sent to a lane in one chunk. */
const AT_ONCE = 100;

export interface CheckRoundsOptions {
  readonly checks: CheckQueue;
  /** Returns the number of nodes that a lane can reach by replay and expand during the time planned for one chunk. */
  readonly atOnce: () => number;
  readonly post: (lane: number, units: readonly UnitRequest[], take: (expansion: Expansion) => Promise<void>) => void;
  readonly measured: (lane: number, expansion: Expansion) => void;
  readonly diverged: (divergence: LaneDivergence) => void;
  readonly rebuild: (lane: number, failure: LaneFailure) => Promise<void>;
}

/** Sends cross-checks to lanes, between the chunks of the search. Cross-checks only report divergences and commit nothing. */
export class CheckRounds {
  readonly #options: CheckRoundsOptions;
  /** For each lane: the number of chunks that the lane got since its last chunk of cross-checks. */
  readonly #since: number[] = [];
  /**
   * Cross-checks that wait for their second and last try, because their path led to another state than recorded. The value is the failure of the
   * first try.
   */
  readonly #differed = new Map<UnitRequest, LaneFailure>();

  constructor(options: CheckRoundsOptions) {
    this.#options = options;
  }

  /** Returns `true` if the next chunk of a lane should consist of cross-checks, although there is other work. */
  due(lane: number): boolean {
    const { checks } = this.#options;
    if (checks.size === 0) return false;
    this.#since[lane] = (this.#since[lane] ?? 0) + 1;
    if (this.#since[lane] <= BETWEEN && checks.size < MOST_WAITING) return false;
    this.#since[lane] = 0;
    return true;
  }

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
      if (differed !== undefined)
        this.#diverged(
          unit,
          differed,
          "seqqa executed a path three times: the second execution led to another state than the first and the third",
        );
      this.#differed.delete(unit);
      checks.done(unit);
    }
    if (failure === undefined) return;
    const culprit = units[failure.unit];
    if (culprit !== undefined) this.#failed(culprit, failure);
    for (const unit of units.slice(finished)) if (unit !== culprit) checks.again(unit);
    await rebuild(lane, failure);
  }

  /**
   * Repeats an unfinished cross-check once, on a fresh lane. If the path led to another state the first time, this difference is reported even if the
   * second try succeeds.
   */
  #failed(unit: UnitRequest, failure: LaneFailure): void {
    const { checks } = this.#options;
    const { kind, target } = failure;
    if (unit.suspect === undefined || (kind === "dirty" && unit.suspect !== kind)) {
      // The target may have ended in a state after the node. The search itself finds such an end, so the second try does not compare states after the
      // node.
      const again = { ...unit, suspect: kind, ...(unit.check && { check: { ...unit.check, followed: undefined } }) };
      if (kind === "dirty") this.#differed.set(again, failure);
      return checks.again(again);
    }
    // Both tries failed. Only report the second failure, since the first failure may come from a store that was about to be lost.
    this.#differed.delete(unit);
    checks.done(unit, false);
    const isMerge = unit.check?.merge === true;
    // If the target ends after the second path in both tries, the two paths lead to different states.
    const isEnded = kind === "unreachable" && target !== undefined && hasEnded(target);
    if (kind === "dirty" || (isMerge && isEnded)) this.#diverged(unit, failure, "seqqa could not execute a path a second time");
  }

  #diverged({ path, check }: UnitRequest, { message, differences }: LaneFailure, what: string): void {
    this.#options.diverged({
      kind: check?.merge === true ? "merge" : "cross_check",
      path,
      calls: path,
      reduced: check?.reduced,
      unlinked: check?.unlinked,
      message: `${what}: ${message}`,
      differences: differences ?? [],
    });
  }
}
