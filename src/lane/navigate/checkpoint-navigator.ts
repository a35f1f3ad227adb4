import { SeqqaError } from "../../model/errors.ts";
import { isPromise } from "../../model/stores/store-adapter.ts";
import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { Draws } from "../bring-up/data-draws.ts";
import { OtherState } from "../bring-up/lane-lost.ts";
import { SpotCheck } from "../step/spot-check.ts";
import { samePath, Navigator, type NavigatorOptions } from "./navigator.ts";
import { passesAt, SOON_MS, type WorldSnapshot, type SavedWorld } from "../state/saved-world.ts";

/** Returns `true` for the error of a store in which a snapshot changes a row that does not exist, or adds a row that exists. */
const doesNotFit = (error: unknown): boolean =>
  error instanceof SeqqaError && (error.code === "JOURNAL_INCOHERENT" || error.code === "STORE_NOT_PUT_BACK");

const isOld = (saved: WorldSnapshot | SavedWorld): boolean => passesAt(saved) <= Date.now() + SOON_MS;

/**
 * Brings a lane to nodes by checkpoints and snapshots, if the stores hold the whole state of the target. If the lane is at another node, it writes
 * the node's snapshot, or replays the node's path if the snapshot cannot be written. A replay restores a checkpoint of the lane's last path if both
 * paths begin with the same steps, and executes the remaining steps.
 */
export class CheckpointNavigator extends Navigator {
  /**
   * Checkpoints along the path that the lane has executed: one for the root state and one after each step. Writing a snapshot removes all checkpoints
   * except the one for the root state.
   */
  #marks: SavedWorld[];
  #path: number[] = [];
  /**
   * For each step of the path that the lane has executed: the path from which the step's test data was computed. `undefined`: the executed path
   * itself.
   */
  #drawn: (readonly number[] | undefined)[] = [];
  readonly #check: SpotCheck = new SpotCheck();

  constructor(options: NavigatorOptions) {
    super(options);
    this.#marks = [options.home.mark];
  }

  override departed(): void {
    // Nothing to do: the lane restores the node's checkpoint after each action, which undoes all effects.
  }

  /** `true` if a time in the state passes soon. The state would then turn into another state. */
  override get away(): boolean {
    return this.here !== undefined && isOld(this.here.mark);
  }

  override async again(unit: UnitRequest): Promise<SavedWorld> {
    if (this.away) this.leave();
    return this.goTo(unit, true);
  }

  override goTo(unit: UnitRequest, direct: boolean): SavedWorld | Promise<SavedWorld> {
    if (this.isHere(unit)) return this.here!.mark;
    if (direct && this.canWrite(unit)) {
      if (this.options.state.isOfOtherRoot(unit.snapshot as WorldSnapshot)) return this.#writeOther(unit);
      let written;
      try {
        written = this.options.state.write(unit.snapshot as WorldSnapshot, true);
      } catch (error) {
        this.#forgetPath();
        return this.#instead(unit, error);
      }
      this.#forgetPath();
      if (!isPromise(written)) {
        const mark = this.options.state.mark();
        if (!isPromise(mark) && !this.#check.due()) return this.arrive(unit, mark);
      }
      return this.#finishWriting(unit, written);
    }
    return this.replay(unit.path, unit.draws).then((mark) => this.verified(unit, mark));
  }

  /** Returns `true` if the snapshot of a unit can be written on this lane. */
  protected canWrite({ snapshot, path }: UnitRequest): boolean {
    if (snapshot === undefined || path.length === 0) return false;
    return !isOld(snapshot as WorldSnapshot) && this.options.state.accepts(snapshot as WorldSnapshot);
  }

  /**
   * Restores the last checkpoint that this path shares with the path that the lane has executed, and executes the remaining steps. The reached state
   * is not compared with a recorded one.
   */
  override async replay(path: readonly number[], draws?: Draws): Promise<SavedWorld> {
    const { state, home } = this.options;
    this.here = undefined;
    if (this.#marks[0] !== home.mark) {
      // The root state was made again, so the checkpoints of all later states are invalid.
      this.#marks = [home.mark];
      this.#path = [];
      this.#drawn = [];
    }
    let common = 0;
    while (
      common < this.#path.length &&
      common < path.length &&
      this.#path[common] === path[common] &&
      this.#drewAlike(common, path, draws) &&
      !isOld(this.#marks[common + 1]!)
    )
      common++;
    this.#marks.length = common + 1;
    this.#path.length = common;
    this.#drawn.length = common;
    await state.restore(this.#marks[common]!);
    for (let depth = common; depth < path.length; depth++) {
      await this.step(path, depth, draws);
      this.#marks.push(await state.mark());
      this.#path.push(path[depth]!);
      this.#drawn.push(draws?.[depth]);
    }
    const mark = this.#marks[path.length]!;
    this.here = { path, mark };
    return mark;
  }

  /** Returns `true` if the lane drew the same test data for a step as the path requires. With different data, the step led to a different state. */
  #drewAlike(depth: number, path: readonly number[], draws: Draws): boolean {
    const drawn = this.#drawn[depth];
    const draw = draws?.[depth];
    if (drawn === draw) return true;
    return samePath(drawn ?? path.slice(0, depth), draw ?? path.slice(0, depth));
  }

  /** Writes a snapshot of a lane with another root state, and verifies the reached state, because the snapshot may not fit this lane. */
  async #writeOther(unit: UnitRequest): Promise<SavedWorld> {
    const { state } = this.options;
    this.here = undefined;
    // The state of an uncertain unit cannot be verified.
    if (unit.uncertain) return this.withoutSnapshot(unit);
    this.#forgetPath();
    try {
      await state.write(unit.snapshot as WorldSnapshot, true);
      return await this.verified(unit, await state.mark());
    } catch (error) {
      return this.#instead(unit, error);
    }
  }

  /**
   * Brings the lane to a node whose snapshot does not fit this lane. From now on, the lane refuses snapshots of other lanes.
   * @throws `error` if it has another cause
   */
  #instead(unit: UnitRequest, error: unknown): Promise<SavedWorld> {
    if (!(error instanceof OtherState) && !doesNotFit(error)) throw error;
    this.options.state.refuseOtherLanes();
    return this.withoutSnapshot(unit);
  }

  /** Brings the lane to a node by replaying its path. */
  protected async withoutSnapshot(unit: UnitRequest): Promise<SavedWorld> {
    return this.verified(unit, await this.replay(unit.path, unit.draws));
  }

  /** Forgets the checkpoints of the path that the lane has executed, because writing a snapshot removes them. */
  #forgetPath(): void {
    if (this.#path.length === 0) return;
    this.#marks.length = 1;
    this.#path = [];
    this.#drawn = [];
  }

  async #finishWriting(unit: UnitRequest, written: void | Promise<void>): Promise<SavedWorld> {
    try {
      await written;
    } catch (error) {
      // Tables that are left out of states may differ between lanes, too, and the root states do not show it.
      return this.#instead(unit, error);
    }
    const mark = await this.options.state.mark();
    return this.#check.due() ? this.verified(unit, mark) : this.arrive(unit, mark);
  }
}
