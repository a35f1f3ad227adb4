import type { SavedWorld, WorldState } from "../state/world-state.ts";

/** The process of a lane's target, which the lane may end and start again. */
export interface TargetControl {
  /** Ends the process at once. Its later writes are lost, and the restore that follows undoes the earlier ones. */
  halt(): Promise<void>;
  /** Starts the process at its old address. Resolves when the process is ready. */
  start(): Promise<void>;
}

/** Starts a target that was ended, on the present content of its stores. */
export async function startOnStores(target: TargetControl, state: Pick<WorldState, "pause" | "resume">): Promise<void> {
  await state.pause();
  try {
    await target.start();
  } finally {
    await state.resume();
  }
}

export class TargetRestart {
  readonly #target: TargetControl;
  readonly #state: WorldState;

  constructor(target: TargetControl, state: WorldState) {
    this.#target = target;
    this.#state = state;
  }

  /**
   * Ends the process, lets `putBack` write the stores while no process uses them, and starts the process. The new process knows nothing of another
   * state. Returns the result of `putBack`.
   */
  async around(putBack: () => Promise<SavedWorld>): Promise<SavedWorld> {
    const state = this.#state;
    await this.#target.halt();
    const mark = await putBack();
    await startOnStores(this.#target, state);
    // The start itself may write. The root state already contains such writes, so they are undone.
    if (await state.storesChanged(mark)) await state.restoreStores(mark);
    return mark;
  }
}
