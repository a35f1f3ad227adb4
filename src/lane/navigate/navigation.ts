import type { LaneBase } from "../bring-up/lane-base.ts";
import { FreshNavigator } from "./fresh-navigator.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import { ReplayNavigator } from "./replay-navigator.ts";
import type { Navigator, NavigatorOptions } from "./navigator.ts";

/**
 * The ways in which a lane reaches nodes. Most lanes use checkpoints for all work. A World with `reset` uses reset and replay. With `target.rollback:
 * restart`, the lane writes snapshots and starts the process on them; for cross-checks, the lane restarts the target in the root state and replays
 * the path. Restart and replay are used for all work if the stores cannot be written, or if the memory of the target belongs to the state.
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

  /**
   * Returns the navigator that must be used for a chunk. If another navigator was used last, the lane's position is forgotten, since each navigator
   * only knows about its own work.
   */
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
