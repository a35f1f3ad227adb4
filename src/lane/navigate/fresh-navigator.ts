import type { UnitRequest } from "../../messages/lane-messages.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import type { TargetRestart } from "../bring-up/target-restart.ts";
import type { NavigatorOptions } from "./navigator.ts";
import type { SavedWorld } from "../state/world-state.ts";

/**
 * Navigator for `target.rollback: restart` where stores can be written. Before each action it writes the node's stores and then starts a process on
 * them. The process knows nothing of another state, not even from reading stores while it starts.
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
