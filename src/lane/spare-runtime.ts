import {
  KIND_BITS,
  type Calibration,
  type CalibrationWalk,
  KIND,
  ROW,
  SKIPPED,
  type Chunk,
  type Expansion,
  type LaneFailure,
  type PathEnd,
  type Recording,
  type UnitRequest,
} from "../messages/lane-messages.ts";
import type { LaneBase } from "./bring-up/lane-base.ts";
import type { LaneControl } from "./bring-up/control.ts";
import { ExpansionSum } from "./report/expansion-sum.ts";
import { LaneRuntime, type Known } from "./bring-up/lane-runtime.ts";
import type { LaneWork } from "./bring-up/lane-work.ts";
import type { RaceGround } from "./races/race-ground.ts";
import type { BeforeStep } from "./navigate/record-path.ts";

/** A copy of the lane, which has its own stores, target process and world. */
interface Slot {
  readonly runtime: LaneRuntime;
  /** The key of the node at which this copy is or to which it is being brought. `undefined` after an action was executed at the node. */
  node: string | undefined;
  /** Resolves when the copy has reached its node, or has failed to reach it. Never rejects. */
  ready: Promise<void>;
  /** The number of the copy's last preparation, in the order of preparations. The copy with the lowest number is used first. */
  since: number;
}

/**
 * A lane with copies, for `target.rollback: restart`. While one copy executes an action, the other copies are prepared for the next actions: their
 * stores are written and their target processes are started. Any copy can execute any action, since all copies have the same root state. The outcomes
 * are returned in the order of the actions.
 */
export class SpareRuntime implements LaneWork {
  readonly #slots: readonly Slot[];
  readonly #control: LaneControl;
  #setOut = 0;

  constructor(bases: readonly LaneBase[], control: LaneControl) {
    this.#control = control;
    this.#slots = bases.map((base) => ({ runtime: new LaneRuntime(base, control), node: undefined, ready: Promise.resolve(), since: 0 }));
  }

  get visited(): Known | undefined {
    return this.#slots[0]!.runtime.visited;
  }

  set visited(known: Known | undefined) {
    for (const { runtime } of this.#slots) runtime.visited = known;
  }

  async expand(chunk: Chunk): Promise<Expansion> {
    const { units, direct } = chunk;
    const sum = new ExpansionSum();
    const before = this.#replayed();
    const answer = (finished: number, failure?: LaneFailure): Expansion => sum.finish(finished, this.#replayed() - before, failure);
    for (let at = 0; at < units.length; at++) {
      const unit = units[at]!;
      this.#control.unitOffset = at;
      if (this.#control.cancelled) return answer(at);
      if (unit.check !== undefined) {
        for (const part of await this.#check(unit, direct)) {
          sum.add(part, at);
          if (part.failure !== undefined) return answer(at, placed(part.failure, at));
        }
        continue;
      }
      for (let action = unit.from; action < unit.to; action++) {
        if (this.#control.cancelled) return answer(at);
        this.#control.beat(0, action);
        this.#sendAhead(chunk, at, action);
        const part = await this.#execute(unit, action, chunk);
        sum.add(part, at);
        if (part.failure !== undefined) return answer(at, placed(part.failure, at));
        if (part.finished === 0) return answer(at);
      }
    }
    return answer(units.length);
  }

  record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording> {
    return this.#alone((runtime) => runtime.record(path, draws, beforeStep));
  }

  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return this.#alone((runtime) => runtime.probe(path, draws));
  }

  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T> {
    return this.#alone((runtime) => runtime.lend(work));
  }

  calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    return this.#alone((runtime) => runtime.calibrate(walk));
  }

  cut(): void {
    for (const { runtime } of this.#slots) runtime.cut();
  }

  async rest(): Promise<void> {
    await Promise.all(this.#slots.map(({ ready }) => ready));
  }

  /** Prepares copies for the next actions. A copy that is already at the node of one of these actions stays there. */
  #sendAhead({ units, direct }: Chunk, at: number, action: number): void {
    const free = new Set(this.#slots);
    const wanted: UnitRequest[] = [];
    for (let unit = at, next = action; unit < units.length && wanted.length < this.#slots.length; unit++, next = units[unit]?.from ?? 0) {
      const request = units[unit]!;
      if (request.check !== undefined) continue;
      for (; next < request.to && wanted.length < this.#slots.length; next++) wanted.push(request);
    }
    const missing = wanted.filter((unit) => {
      const there = [...free].find(({ node }) => node === nodeOf(unit, direct));
      if (there !== undefined) free.delete(there);
      return there === undefined;
    });
    const idle = [...free];
    for (const unit of missing) this.#send(idle.shift()!, unit, direct);
  }

  #send(slot: Slot, unit: UnitRequest, direct: boolean): void {
    slot.node = nodeOf(unit, direct);
    slot.since = this.#setOut++;
    // Ignore a failure here. The execution of the action tries again to reach the node, and reports a failure.
    slot.ready = slot.ready.then(() => slot.runtime.prepare(unit, direct)).catch(() => undefined);
  }

  async #execute(unit: UnitRequest, action: number, chunk: Omit<Chunk, "units">): Promise<Expansion> {
    const node = nodeOf(unit, chunk.direct);
    const slot = this.#slots.filter((one) => one.node === node).reduce((a, b) => (b.since < a.since ? b : a));
    await slot.ready;
    const suspect = action === unit.from ? unit.suspect : undefined;
    const part = await slot.runtime.expand({ ...chunk, units: [{ ...unit, from: action, to: action + 1, suspect }] });
    if (!isUntouched(part)) slot.node = undefined;
    return part;
  }

  /**
   * Divides the actions of a cross-check among the copies. Each action is executed on its own path from the root state, so any copy can execute any
   * of these actions.
   */
  async #check(unit: UnitRequest, direct: boolean): Promise<readonly Expansion[]> {
    let next = unit.from;
    const parts: Expansion[] = [];
    const work = async (slot: Slot): Promise<void> => {
      await slot.ready;
      while (next < unit.to && parts.every(({ failure }) => failure === undefined)) {
        const from = next++;
        slot.node = undefined;
        parts[from - unit.from] = await slot.runtime.expand({ units: [{ ...unit, from, to: from + 1 }], direct });
      }
    };
    await Promise.all(this.#slots.map(work));
    return Object.values(parts);
  }

  /** Does work that takes longer than a single action. Always uses the first copy. */
  async #alone<T>(work: (runtime: LaneRuntime) => Promise<T>): Promise<T> {
    const slot = this.#slots[0]!;
    await slot.ready;
    slot.node = undefined;
    return work(slot.runtime);
  }

  #replayed(): number {
    return this.#slots.reduce((sum, { runtime }) => sum + runtime.replayed, 0);
  }
}

function nodeOf({ path, lo, hi }: UnitRequest, direct: boolean): string {
  return `${direct ? "written" : "replayed"} ${path.join()} ${lo} ${hi}`;
}

/** Returns `true` if the action did not apply, so that the copy is still in the state of its node. */
function isUntouched({ rows, stepEvents, failure }: Expansion): boolean {
  return failure === undefined && stepEvents.length === 0 && rows.length === ROW && (rows[KIND]! & KIND_BITS) === SKIPPED;
}

function placed(failure: LaneFailure, unit: number): LaneFailure {
  return failure.unit < 0 ? failure : { ...failure, unit };
}
