import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { Draws } from "../bring-up/data-draws.ts";
import { Navigator, type NavigatorOptions } from "./navigator.ts";
import type { SavedWorld } from "../state/saved-world.ts";

/**
 * Brings a lane to nodes if the target keeps state that no store restores. After each action, makes the root state again and executes the node's
 * whole path. There are no checkpoints except the checkpoint of the root state.
 */
export class ReplayNavigator extends Navigator {
  constructor(options: NavigatorOptions) {
    super(options);
    // A new lane is in the root state: no action was executed since the root state was made.
    this.here = { path: [], mark: options.home.mark };
  }

  /** Forgets that the lane is at the node. Even an action that only sends a GET may have changed the memory of the target. */
  override departed(): void {
    this.here = undefined;
  }

  override get away(): boolean {
    return this.here === undefined;
  }

  override again(unit: UnitRequest): Promise<SavedWorld> {
    return this.#travel(unit);
  }

  override goTo(unit: UnitRequest, _direct: boolean): SavedWorld | Promise<SavedWorld> {
    return this.isHere(unit) ? this.here!.mark : this.#travel(unit);
  }

  override async replay(path: readonly number[], draws?: Draws): Promise<SavedWorld> {
    const { home, state } = this.options;
    const from = this.#startOf(path);
    this.here = undefined;
    let mark = from === 0 ? await home.again() : undefined;
    for (let depth = from; depth < path.length; depth++) {
      await this.step(path, depth, draws);
      mark = undefined;
    }
    mark ??= await state.mark();
    this.here = { path, mark };
    return mark;
  }

  async #travel(unit: UnitRequest): Promise<SavedWorld> {
    return this.verified(unit, await this.replay(unit.path, unit.draws));
  }

  /** Returns the number of the path's first steps that need not be executed, because the lane is already in the state after these steps. */
  #startOf(path: readonly number[]): number {
    const stands = this.here?.path;
    if (stands === undefined || stands.length > path.length) return 0;
    return stands.every((action, depth) => action === path[depth]) ? stands.length : 0;
  }
}
