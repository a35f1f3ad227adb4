import type { UnitRequest } from "../../messages/lane-messages.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import type { TargetRestart } from "../bring-up/target-restart.ts";
import type { NavigatorOptions } from "./navigator.ts";
import type { SavedWorld } from "../state/world-state.ts";

/**
 * Brings a lane to nodes for `target.rollback: restart`, if the stores can be written. Before each action it ends the target's process, writes the
 * node's snapshot to the stores, and starts a new process. The new process remembers nothing of earlier states.
 */
export class FreshNavigator extends CheckpointNavigator {
  readonly #restart: TargetRestart;

  constructor(options: NavigatorOptions, restart: TargetRestart) {
    super(options);
    this.#restart = restart;
  }

  override departed(): void {
    this.here = undefined;
  }

  override get away(): boolean {
    return this.here === undefined;
  }

  override again(unit: UnitRequest): Promise<SavedWorld> {
    return this.#renew(unit);
  }

  override goTo(unit: UnitRequest, _direct: boolean): SavedWorld | Promise<SavedWorld> {
    return this.isHere(unit) ? this.here!.mark : this.#renew(unit);
  }

  async #renew(unit: UnitRequest): Promise<SavedWorld> {
    this.here = undefined;
    try {
      const mark = await this.#restart.around(async () => {
        await this.options.home.first();
        return super.goTo(unit, true);
      });
      return this.arrive(unit, mark);
    } catch (error) {
      this.here = undefined;
      throw error;
    }
  }
}
