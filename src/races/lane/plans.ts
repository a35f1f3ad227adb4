import { mix } from "../../engine/graph/mix.ts";
import type { RaceDelivery } from "../../model/results/result.ts";
import type { Execution } from "../oracle/execution.ts";
import type { TrialPlan } from "./deliveries.ts";

export class Plans {
  readonly #requests: readonly number[];
  /** Milliseconds that the last request of each call took when no other call was in progress. */
  readonly durations: readonly number[];
  readonly #seed: number;

  constructor(orders: readonly Execution[], seed: number) {
    const sides = orders[0]!.calls.map((_, side) => orders.map(({ calls }) => calls[side]!));
    this.#requests = sides.map((calls) => Math.max(calls[0]!.exchanges.length, 1));
    this.durations = sides.map((calls) => Math.min(...calls.map(({ exchanges }) => exchanges.at(-1)?.durationMs ?? 0)));
    this.#seed = seed;
  }

  /** Returns the plan of the first trial: the last requests of all calls are sent together, because the last request usually writes. */
  first(): TrialPlan {
    return { meetAt: this.#requests.map((count) => count - 1), offsets: this.#requests.map(() => 0), reversed: false };
  }

  /**
   * Returns the plan of a trial. From the third trial on, earlier requests of the calls are sent together, too, not only the last requests. If the
   * calls have separate connections, two of every four of these trials delay one call by a random time. The delay is shorter than the other call's
   * duration, so that the calls still overlap.
   */
  at(trial: number, delivery: RaceDelivery): TrialPlan {
    if (trial < 2) return { ...this.first(), reversed: trial === 1 };
    const reversed = (trial & 2) !== 0;
    const meetAt = this.#requests.map((count) => count - 1 - (trial % count));
    const draw = mix(this.#seed, trial) / 2 ** 32;
    const spread = (trial & 3) > 1 && (delivery === "last_byte" || delivery === "plain");
    const [first = 0, second = 0] = this.durations;
    const offset = spread ? draw * (first + second) - second : 0;
    return {
      meetAt,
      reversed,
      offsets: this.#requests.map((_, side) => (side === 0 ? Math.max(-offset, 0) : side === 1 ? Math.max(offset, 0) : 0)),
    };
  }
}
