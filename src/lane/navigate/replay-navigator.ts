import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { Draws } from "../bring-up/data-draws.ts";
import { Navigator, type NavigatorOptions } from "./navigator.ts";
import type { SavedWorld } from "../state/world-state.ts";

/**
 * The way of targets that keep what no store puts back. There are no marks below the root: after anything that was executed the lane
 * goes back to the root, which is made again, and executes the whole path.
 */
export class ReplayNavigator extends Navigator {
  constructor(options: NavigatorOptions) {
    super(options);
    // The lane was brought up to the root, and only looked at since.
    this.here = { path: [], mark: options.home.mark };
  }

  /** What the action did is not known, whatever it answered: a GET may change something, too. */
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

  /** How much of a path need not be executed, since the lane stands untouched on it. */
  #startOf(path: readonly number[]): number {
    const stands = this.here?.path;
    if (stands === undefined || stands.length > path.length) return 0;
    return stands.every((action, depth) => action === path[depth]) ? stands.length : 0;
  }
}
