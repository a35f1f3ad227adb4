import type { RaceAnswer, RaceRequest } from "../../engine/race-messages.ts";
import type { LaneWork } from "../../lane/index.ts";
import { Prober } from "./prober.ts";
import { WaysOfLane } from "./ways-of-lane.ts";

/** A lane on which calls are raced; it keeps connections warm from probe to probe. */
export class RaceLane {
  readonly #work: LaneWork;
  #ways: WaysOfLane | undefined;

  constructor(work: LaneWork) {
    this.#work = work;
  }

  race(request: RaceRequest): Promise<RaceAnswer> {
    return this.#work.lend((ground) => {
      this.#ways ??= new WaysOfLane(ground.base);
      return new Prober(ground, request, this.#ways).run();
    });
  }

  async close(): Promise<void> {
    await this.#ways?.close();
  }
}
