import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import type { LaneBase, LaneWork } from "../../lane/index.ts";
import { Prober } from "./prober.ts";
import { DeliveriesOfLane } from "./deliveries-of-lane.ts";

/** A lane on which calls are executed simultaneously. The lane keeps the connections for such calls open until it is closed. */
export class RaceLane {
  readonly #work: LaneWork;
  /** The deliveries for each target of the lane. A lane with standby copies may use any of its targets. */
  readonly #ways: Map<LaneBase, DeliveriesOfLane> = new Map();

  constructor(work: LaneWork) {
    this.#work = work;
  }

  race(request: RaceRequest): Promise<RaceAnswer> {
    return this.#work.lend((ground) => {
      let ways = this.#ways.get(ground.base);
      if (ways === undefined) this.#ways.set(ground.base, (ways = new DeliveriesOfLane(ground.base)));
      return new Prober(ground, request, ways).run();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#ways.values()].map((ways) => ways.close()));
  }
}
