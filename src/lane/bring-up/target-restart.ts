import type { SavedWorld, WorldState } from "../state/world-state.ts";

/** The process of a lane's target. The lane may end and restart it. */
export interface TargetControl {
  /** Ends the process at once, so that its later writes are lost with the branch that is undone. */
  halt(): Promise<void>;
  /** Starts the process at its old address and returns when it is ready. */
  start(): Promise<void>;
}

/** Starts a target that was ended, on its present stores. */
export async function startOnStores(target: TargetControl, state: Pick<WorldState, "pause" | "resume">): Promise<void> {
  await state.pause();
  try {
    await target.start();
  } finally {
    await state.resume();
  }
}

/** Restarts a target on restored stores. */
export class TargetRestart {
  readonly #target: TargetControl;
  readonly #state: WorldState;

  constructor(target: TargetControl, state: WorldState) {
    this.#target = target;
    this.#state = state;
  }

  /**
   * Ends the process, lets `putBack` write the stores while no process uses them, and starts the process on them. So the process has not read
   * anything of another state. Returns the result of `putBack`.
   */
  async around(putBack: () => Promise<SavedWorld>): Promise<SavedWorld> {
    const state = this.#state;
    await this.#target.halt();
    const mark = await putBack();
    await startOnStores(this.#target, state);
    // A start itself may write; those writes were part of the root, too.
    if (await state.storesChanged(mark)) await state.restoreStores(mark);
    return mark;
  }
}
