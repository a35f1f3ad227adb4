import type { WorldState } from "../state/world-state.ts";
import type { SavedWorld } from "../state/saved-world.ts";

/** Ends and starts the process of a lane's target. */
export interface TargetControl {
  /** Kills the process. The process loses its unfinished writes, and the next restore undoes its finished writes. */
  halt(): Promise<void>;
  /** Starts the process at the same address as before. Resolves when the process is ready. */
  start(): Promise<void>;
}

/** Starts a target whose process has ended, with the present content of its stores. */
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
   * Ends the process, calls `putBack` to write the stores while no process uses them, and starts a new process. The new process remembers nothing of
   * earlier states. Returns the result of `putBack`.
   */
  async around(putBack: () => Promise<SavedWorld>): Promise<SavedWorld> {
    const state = this.#state;
    await this.#target.halt();
    const mark = await putBack();
    await startOnStores(this.#target, state);
    // The process may write when it starts. The root state already contains these writes, so undo the repeated writes.
    if (await state.storesChanged(mark)) await state.restoreStores(mark);
    return mark;
  }
}
