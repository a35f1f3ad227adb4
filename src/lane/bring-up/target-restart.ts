import type { SavedWorld, WorldState } from "../state/world-state.ts";

/** The process of a lane's target, as the lane may end it and start it anew. */
export interface TargetControl {
  /** Ends the process at once: what it would still write is part of the branch that is put back. */
  halt(): Promise<void>;
  /** Starts it where it was and returns when it is ready. */
  start(): Promise<void>;
}

/** Starts a target anew on stores that were put back before. */
export class TargetRestart {
  readonly #target: TargetControl;
  readonly #state: WorldState;

  constructor(target: TargetControl, state: WorldState) {
    this.#target = target;
    this.#state = state;
  }

  /**
   * Ends the process, lets `putBack` write the stores while nobody uses them, and starts the process on what was written, so that nothing
   * which it read is of another state. Returns what `putBack` returned.
   */
  async around(putBack: () => Promise<SavedWorld>): Promise<SavedWorld> {
    const state = this.#state;
    await this.#target.halt();
    const mark = await putBack();
    await state.pause();
    try {
      await this.#target.start();
    } finally {
      await state.resume();
    }
    // What a start itself writes was there at the root, too.
    if (await state.storesChanged(mark)) await state.restoreStores(mark);
    return mark;
  }
}
