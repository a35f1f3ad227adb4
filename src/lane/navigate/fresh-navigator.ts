import type { UnitRequest } from "../../messages/lane-messages.ts";
import { CheckpointNavigator } from "./checkpoint-navigator.ts";
import type { TargetRestart } from "../bring-up/target-restart.ts";
import { samePath, type NavigatorOptions } from "./navigator.ts";
import type { SavedWorld } from "../state/saved-world.ts";

/** Thrown if a snapshot of another lane does not fit this lane. */
class DoesNotFit extends Error {}

/**
 * Brings a lane to nodes for `target.rollback: restart`, if the stores can be written. Before each action it ends the target's process, writes the
 * node's snapshot to the stores, and starts a new process. The new process remembers nothing of earlier states. If the snapshot cannot be written on
 * this lane, the lane replays the path of the node and takes its own snapshot.
 */
export class FreshNavigator extends CheckpointNavigator {
  readonly #restart: TargetRestart;
  /** The last unit whose snapshot this lane took itself, because the snapshot of the unit could not be written. */
  #own: UnitRequest | undefined;

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

  /** @throws DoesNotFit because the target is stopped while a snapshot is written, so that the path cannot be replayed */
  protected override withoutSnapshot(): Promise<SavedWorld> {
    return Promise.reject(new DoesNotFit());
  }

  async #renew(unit: UnitRequest): Promise<SavedWorld> {
    this.here = undefined;
    const write = (node: UnitRequest): Promise<SavedWorld> =>
      this.#restart.around(async () => {
        await this.options.home.first();
        return super.goTo(node, true);
      });
    try {
      const isWritten = unit.path.length === 0 || this.canWrite(unit);
      const mark = await write(isWritten ? unit : await this.#captured(unit)).catch(async (error: unknown) => {
        if (!(error instanceof DoesNotFit) || !isWritten) throw error;
        return write(await this.#captured(unit));
      });
      return this.arrive(unit, mark);
    } catch (error) {
      this.here = undefined;
      throw error;
    }
  }

  /** Returns the unit with a snapshot of this lane. To take the snapshot, starts a process in the root state and executes the path of the unit. */
  async #captured(unit: UnitRequest): Promise<UnitRequest> {
    const { home, state } = this.options;
    if (this.#own !== undefined && samePath(this.#own.path, unit.path) && this.canWrite(this.#own)) return this.#own;
    await this.#restart.around(async () => {
      await home.first();
      return this.replay([]);
    });
    await super.goTo(unit, false);
    this.here = undefined;
    return (this.#own = { ...unit, snapshot: await state.capture() });
  }
}
