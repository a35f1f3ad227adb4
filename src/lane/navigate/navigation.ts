import type { LaneBase } from "../bring-up/bring-up.ts";
import { FreshTraveller } from "./fresh-navigator.ts";
import { MarkTraveller } from "./checkpoint-navigator.ts";
import { ReplayTraveller } from "./replay-navigator.ts";
import type { Traveller, TravellerOptions } from "./navigator.ts";

/**
 * The ways that a lane has. Most targets: marks, for everything. `target.rollback: restart`: states are written and the process started
 * on them; where they cannot be (or a check showed that the target's memory matters), and for checks, by a restart at the root and replay.
 * A world with `reset`: by reset and replay.
 */
export class Travel {
  /** Gets to nodes by executing their path. */
  readonly replayer: Traveller;
  /** Gets to nodes by writing their state. */
  readonly #writer: Traveller;
  #chosen: Traveller;

  constructor(base: LaneBase, settle: () => Promise<void> | void) {
    const { state, stepper, canonicalizer, actions, home, restart, drawing } = base;
    const options: TravellerOptions = { state, stepper, canonicalizer, actions, home, drawing, settle };
    this.replayer = home.remade ? new ReplayTraveller(options) : new MarkTraveller(options);
    this.#writer = restart !== undefined && state.portable ? new FreshTraveller(options, restart) : this.replayer;
    this.#chosen = this.replayer;
  }

  get replayed(): number {
    return this.replayer === this.#writer ? this.replayer.replayed : this.replayer.replayed + this.#writer.replayed;
  }

  /** The way for a chunk; neither knows where the other one went. */
  choose(direct: boolean): Traveller {
    const chosen = direct ? this.#writer : this.replayer;
    if (chosen !== this.#chosen) this.leave();
    return (this.#chosen = chosen);
  }

  leave(): void {
    this.replayer.leave();
    this.#writer.leave();
  }
}
