import type { LaneBase } from "../bring-up/bring-up.ts";
import { FreshNavigator } from "./fresh-navigator.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import { ReplayNavigator } from "./replay-navigator.ts";
import type { Navigator, NavigatorOptions } from "./navigator.ts";

/**
 * The ways that a lane has. Most targets: marks, for everything. `target.rollback: restart`: states are written and the process started
 * on them; where they cannot be (or a check showed that the target's memory matters), and for checks, by a restart at the root and replay.
 * A world with `reset`: by reset and replay.
 */
export class Navigation {
  /** Gets to nodes by executing their path. */
  readonly replayer: Navigator;
  /** Gets to nodes by writing their state. */
  readonly #writer: Navigator;
  #chosen: Navigator;

  constructor(base: LaneBase, settle: () => Promise<void> | void) {
    const { state, stepper, canonicalizer, actions, home, restart, drawing } = base;
    const options: NavigatorOptions = { state, stepper, canonicalizer, actions, home, drawing, settle };
    this.replayer = home.remade ? new ReplayNavigator(options) : new CheckpointNavigator(options);
    this.#writer = restart !== undefined && state.portable ? new FreshNavigator(options, restart) : this.replayer;
    this.#chosen = this.replayer;
  }

  get replayed(): number {
    return this.replayer === this.#writer ? this.replayer.replayed : this.replayer.replayed + this.#writer.replayed;
  }

  /** The way for a chunk; neither knows where the other one went. */
  choose(direct: boolean): Navigator {
    const chosen = direct ? this.#writer : this.replayer;
    if (chosen !== this.#chosen) this.leave();
    return (this.#chosen = chosen);
  }

  leave(): void {
    this.replayer.leave();
    this.#writer.leave();
  }
}
