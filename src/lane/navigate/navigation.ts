import type { LaneBase } from "../bring-up/bring-up.ts";
import { FreshNavigator } from "./fresh-navigator.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import { ReplayNavigator } from "./replay-navigator.ts";
import type { Navigator, NavigatorOptions } from "./navigator.ts";

/**
 * The navigators of a lane. Most targets use checkpoints for everything, and a World with `reset` uses reset and replay. With `target.rollback:
 * restart`, snapshots are written and the process is started on them. Cross-checks instead restart the target at the root state and replay the path.
 * Targets whose stores cannot be written, or whose memory matters, do the same.
 */
export class Navigation {
  readonly replayer: Navigator;
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

  /** Returns the navigator for a chunk. On a change of navigators the lane's position is forgotten, since neither knows what the other one did. */
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
