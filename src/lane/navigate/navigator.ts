import type { Action } from "../../model/declare/action.ts";
import type { Awaitable } from "../../model/stores/store-adapter.ts";
import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { Canonicalizer } from "../../state/index.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { Drawing, Draws } from "../bring-up/data-draws.ts";
import type { RootState } from "../bring-up/root-state.ts";
import { LaneLost, OtherState, PathBroken } from "../bring-up/lane-lost.ts";
import type { Stepper } from "../step/stepper.ts";
import type { WorldState } from "../state/world-state.ts";
import type { SavedWorld } from "../state/saved-world.ts";

export interface NavigatorOptions {
  readonly state: WorldState;
  readonly stepper: Stepper;
  readonly canonicalizer: Canonicalizer;
  readonly actions: readonly Action<never, never>[];
  readonly home: RootState;
  readonly drawing: Drawing;
  /** Waits until the target has finished writing after an answer. */
  readonly settle: () => Promise<void> | void;
}

/** Brings a lane to a node, and brings it back to the node after each action. */
export abstract class Navigator {
  /** Number of steps that were executed again to reach nodes, since the lane was built. */
  replayed = 0;
  protected readonly options: NavigatorOptions;
  /** The node at which the lane is. `undefined` if an action was executed at the node, or if the position is unknown. */
  protected here: { readonly path: readonly number[]; readonly mark: SavedWorld } | undefined;
  readonly #fingerprint: Fingerprint = { lo: 0, hi: 0 };

  constructor(options: NavigatorOptions) {
    this.options = options;
  }

  /** Forgets the lane's position, since other work may have changed it. The next navigation begins at a checkpoint. */
  leave(): void {
    this.here = undefined;
  }

  /**
   * Records that an action was executed at the node. Restoring the node's checkpoint undoes the action's effects on stores, context and clients, but
   * not effects on the memory of the target.
   */
  abstract departed(): void;

  /** Brings the lane to the node of a unit. Returns the checkpoint of the node. @throws OtherState if the reached state is not the recorded one */
  abstract goTo(unit: UnitRequest, direct: boolean): Awaitable<SavedWorld>;

  /**
   * `true` if {@link again} must be called before the next action: an action was executed at the node, and the checkpoint does not undo all of its
   * effects.
   */
  abstract get away(): boolean;

  abstract again(unit: UnitRequest): Promise<SavedWorld>;

  /** Brings the lane to the state at the end of a path, by executing as few steps as possible. Returns a checkpoint of the state. */
  abstract replay(path: readonly number[], draws?: Draws): Promise<SavedWorld>;

  protected isHere(unit: UnitRequest): boolean {
    return this.here !== undefined && samePath(this.here.path, unit.path);
  }

  protected arrive(unit: UnitRequest, mark: SavedWorld): SavedWorld {
    this.here = { path: unit.path, mark };
    return mark;
  }

  protected async step(path: readonly number[], depth: number, draws: Draws): Promise<void> {
    const index = path[depth]!;
    const action = this.options.actions[index]!;
    this.options.drawing.at(path, depth, index, draws);
    const outcome = await this.options.stepper.run(action);
    this.replayed++;
    if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
    if (outcome.kind !== "executed") {
      const what = outcome.kind === "skipped" ? "was skipped this time" : `failed this time: ${outcome.message}`;
      throw new PathBroken("dirty", `seqqa executed a path again, but action "${action.name}" ${what}`);
    }
    await this.options.settle();
    await this.options.state.observeStep();
  }

  protected async verified(unit: UnitRequest, mark: SavedWorld): Promise<SavedWorld> {
    if (unit.uncertain) return this.arrive(unit, mark);
    const { state, canonicalizer } = this.options;
    await state.fingerprint(canonicalizer, this.#fingerprint);
    if (this.#fingerprint.lo !== unit.lo || this.#fingerprint.hi !== unit.hi) {
      const lines = canonicalizer.describe(await state.facts());
      const names = unit.path.map((index) => this.options.actions[index]!.name);
      const again = names.length === 0 ? "returned to the root state" : `executed ${names.join(" -> ")} again`;
      throw new OtherState("dirty", `When seqqa ${again}, the target reached a different state than the first time`, lines.slice(0, 20));
    }
    return this.arrive(unit, mark);
  }
}

export function samePath(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}
