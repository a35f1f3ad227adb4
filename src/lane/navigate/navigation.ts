import type { LaneBase } from "../bring-up/bring-up.ts";
import { FreshNavigator } from "./fresh-navigator.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import { ReplayNavigator } from "./replay-navigator.ts";
import type { Navigator, NavigatorOptions } from "./navigator.ts";

/**
 * The navigators of a lane. Most targets use checkpoints for everything. With `target.rollback: restart`, states are written and the process is
 * started on them. Where they cannot be written (or a check showed that the target's memory matters), and for checks, the target is restarted at the
 * root and the path replayed. A world with `reset` uses reset and replay.
 */
export class Navigation {
  /** Reaches nodes by executing their path. */
  readonly replayer: Navigator;
  /** Reaches nodes by writing their state. */
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

  /** Returns the navigator for a chunk. Neither navigator knows where the other one went. */
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
