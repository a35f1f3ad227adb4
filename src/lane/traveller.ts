import type { Action } from "../model/action.ts";
import { isPromise } from "../model/system.ts";
import type { UnitRequest } from "../engine/messages.ts";
import type { Canonicalizer } from "../state/index.ts";
import type { Fingerprint } from "../state/facts.ts";
import { LaneLost } from "./lane-lost.ts";
import { SpotCheck } from "./spot-check.ts";
import type { Stepper } from "./stepper.ts";
import type { WorldImage, WorldMark, WorldState } from "./world-state.ts";

export interface TravellerOptions {
  readonly state: WorldState;
  readonly stepper: Stepper;
  readonly canonicalizer: Canonicalizer;
  readonly actions: readonly Action<never, never>[];
  readonly root: WorldMark;
  /** Waits until the target has committed what it does after its answer. */
  readonly settle: () => Promise<void> | void;
}

/**
 * Brings the lane to a node: stays where it is, writes the node's captured state, or rolls back to the common ancestor and replays
 * the rest.
 */
export class Traveller {
  /** Actions executed again on the way, since the start. */
  replayed = 0;
  readonly #options: TravellerOptions;
  /** Marks along the path that the lane came by; the first is the root's. Empty gaps do not occur: writing a state ends the path at the root. */
  #marks: WorldMark[];
  #path: number[] = [];
  /** The node that the lane stands at, put back and unharmed. */
  #here: { readonly path: readonly number[]; readonly mark: WorldMark } | undefined;
  readonly #check: SpotCheck = new SpotCheck();
  readonly #fingerprint: Fingerprint = { lo: 0, hi: 0 };

  constructor(options: TravellerOptions) {
    this.#options = options;
    this.#marks = [options.root];
  }

  /** Nothing is known about where the lane stands; the next way begins at a mark. */
  leave(): void {
    this.#here = undefined;
  }

  /** Goes to a unit's node and returns its mark. @throws LaneLost when it is not the node on record. */
  goTo(unit: UnitRequest, direct: boolean): WorldMark | Promise<WorldMark> {
    if (this.#here !== undefined && samePath(this.#here.path, unit.path)) return this.#here.mark;
    if (direct && unit.image !== undefined && unit.path.length > 0) {
      const written = this.#options.state.write(unit.image as WorldImage);
      if (this.#path.length > 0) {
        this.#marks.length = 1;
        this.#path = [];
      }
      if (!isPromise(written)) {
        const mark = this.#options.state.mark();
        if (!isPromise(mark) && !this.#check.due()) return this.#arrive(unit, mark);
      }
      return this.#finishWriting(unit, written);
    }
    return this.replay(unit.path).then((mark) => this.#verified(unit, mark));
  }

  /** Rolls back to the longest common prefix and executes the rest, whatever state that leads to. */
  async replay(path: readonly number[]): Promise<WorldMark> {
    const { state } = this.#options;
    this.#here = undefined;
    let common = 0;
    while (common < this.#path.length && common < path.length && this.#path[common] === path[common]) common++;
    this.#marks.length = common + 1;
    this.#path.length = common;
    await state.restore(this.#marks[common]!);
    for (let depth = common; depth < path.length; depth++) {
      await this.#step(path[depth]!);
      this.#marks.push(await state.mark());
      this.#path.push(path[depth]!);
    }
    const mark = this.#marks[path.length]!;
    this.#here = { path, mark };
    return mark;
  }

  async #step(index: number): Promise<void> {
    const action = this.#options.actions[index]!;
    const outcome = await this.#options.stepper.run(action);
    this.replayed++;
    if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
    if (outcome.kind !== "executed") {
      const what = outcome.kind === "skipped" ? "does not apply any more" : `fails: ${outcome.message}`;
      throw new LaneLost("dirty", `Replaying a path, action "${action.name}" ${what}`);
    }
    await this.#options.settle();
  }

  #arrive(unit: UnitRequest, mark: WorldMark): WorldMark {
    this.#here = { path: unit.path, mark };
    return mark;
  }

  async #finishWriting(unit: UnitRequest, written: void | Promise<void>): Promise<WorldMark> {
    await written;
    const mark = await this.#options.state.mark();
    return this.#check.due() ? this.#verified(unit, mark) : this.#arrive(unit, mark);
  }

  async #verified(unit: UnitRequest, mark: WorldMark): Promise<WorldMark> {
    if (unit.uncertain) return this.#arrive(unit, mark);
    const { state, canonicalizer } = this.#options;
    await state.fingerprint(canonicalizer, this.#fingerprint);
    if (this.#fingerprint.lo !== unit.lo || this.#fingerprint.hi !== unit.hi) {
      const lines = canonicalizer.describe(await state.facts());
      throw new LaneLost("dirty", "The state reached again is not the one that was found", lines.slice(0, 20));
    }
    return this.#arrive(unit, mark);
  }
}

function samePath(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}
