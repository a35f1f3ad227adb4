import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { Draws } from "../bring-up/data-draws.ts";
import { Navigator, type NavigatorOptions } from "./navigator.ts";
import type { SavedWorld } from "../state/world-state.ts";

/**
 * Navigator for targets that keep state which no store restores. After an action, it makes the root state again and executes the whole path. Apart
 * from the root state there are no checkpoints.
 */
export class ReplayNavigator extends Navigator {
  constructor(options: NavigatorOptions) {
    super(options);
    // The bring-up of the lane ended in the root state, and the lane has only read since.
    this.here = { path: [], mark: options.home.mark };
  }

  /** Forgets the node, since the action's effect on hidden state is unknown. Even a GET may change something. */
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

  /** Returns how many steps at the beginning of a path need no execution, because the lane is in the unchanged state after them. */
  #startOf(path: readonly number[]): number {
    const stands = this.here?.path;
    if (stands === undefined || stands.length > path.length) return 0;
    return stands.every((action, depth) => action === path[depth]) ? stands.length : 0;
  }
}
