import {
  BOUNDED,
  EXECUTED,
  FAILED,
  HI,
  KIND,
  LO,
  ROW,
  SKIPPED,
  STATUS,
  type ExpansionCheck,
  type LaneDivergence,
  type UnitRequest,
} from "../engine/messages.ts";
import type { Fingerprint } from "../state/facts.ts";
import type { LaneBase } from "./bring-up.ts";
import { LaneLost } from "./lane-lost.ts";
import type { Outcome } from "./outcome.ts";
import type { Traveller } from "./traveller.ts";
import type { WorldMark } from "./world-state.ts";

/** At most this many lines say what differed, and so many of them describe one state. */
const LINES = 20;
const STATE_LINES = 8;

/** Expands nodes once more, reached the other way or along another path, and compares. */
export class CrossChecker {
  readonly #base: LaneBase;
  readonly #traveller: Traveller;
  readonly #settle: () => Promise<void> | void;
  readonly #reached: Fingerprint = { lo: 0, hi: 0 };

  constructor(base: LaneBase, traveller: Traveller, settle: () => Promise<void> | void) {
    this.#base = base;
    this.#traveller = traveller;
    this.#settle = settle;
  }

  /** Returns what differed, or nothing. @throws LaneLost */
  async check(unit: UnitRequest, { expected: known, along, merge, reduced = false }: ExpansionCheck): Promise<LaneDivergence | undefined> {
    const { state } = this.#base;
    this.#traveller.leave();
    const { path } = unit;
    const expected = known ?? (await this.#rowsAlong({ ...unit, ...along }));
    const differences: string[] = [];
    let calls: readonly number[] | undefined;
    let mark: WorldMark | undefined;
    for (let action = unit.from; action < unit.to; action++) {
      const { outcome, mark: at } = await this.#step(unit, action);
      mark = at;
      const row = expected.subarray(action * ROW, (action + 1) * ROW);
      if (!(await this.#same(unit, row, outcome, await state.changed(at)))) {
        calls ??= [...path, action];
        differences.push(...(await this.#explain(action, row[STATUS]!, outcome)));
      }
    }
    // Before that the next replay has put everything back.
    if (mark !== undefined) await state.restore(mark);
    this.#traveller.leave();
    if (calls === undefined) return undefined;
    return { ...divergence(merge, path, differences.slice(0, LINES)), calls, reduced };
  }

  /** Executes every action of a node along its own path, and returns rows as if they were on record. */
  async #rowsAlong(unit: UnitRequest): Promise<Int32Array> {
    const { state, canonicalizer, actions } = this.#base;
    const rows = new Int32Array(actions.length * ROW);
    for (let action = unit.from; action < unit.to; action++) {
      const { outcome, mark } = await this.#step(unit, action);
      const isOther = outcome.kind === "executed" && (await state.changed(mark));
      if (isOther) canonicalizer.fingerprint(await state.facts(true), this.#reached);
      const bounded = isOther && canonicalizer.wasBounded ? BOUNDED : 0;
      const { lo, hi } = isOther ? this.#reached : unit;
      rows.set([kindOf(outcome) | bounded, outcome.status, lo, hi, 0, 0], action * ROW);
    }
    return rows;
  }

  async #step({ path, draws }: UnitRequest, action: number): Promise<{ readonly outcome: Outcome; readonly mark: WorldMark }> {
    const { stepper, actions, drawing } = this.#base;
    const mark = await this.#traveller.replay(path, draws);
    drawing.at(path, path.length, action, draws);
    const outcome = await stepper.run(actions[action]!);
    this.#traveller.departed();
    this.#traveller.replayed++;
    if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
    await this.#settle();
    return { outcome, mark };
  }

  async #same(unit: UnitRequest, row: Int32Array, outcome: Outcome, changed: boolean): Promise<boolean> {
    const bits = row[KIND]!;
    const kind = kindOf(outcome);
    if ((bits & 0xff) !== kind) return false;
    if (kind !== EXECUTED) return true;
    if (row[STATUS] !== outcome.status) return false;
    // A bounded form is its own each time.
    if ((bits & BOUNDED) !== 0) return true;
    if (!changed) return row[LO] === unit.lo && row[HI] === unit.hi;
    this.#base.canonicalizer.fingerprint(await this.#base.state.facts(true), this.#reached);
    return row[LO] === this.#reached.lo && row[HI] === this.#reached.hi;
  }

  async #explain(action: number, expectedStatus: number, outcome: Outcome): Promise<readonly string[]> {
    const { name } = this.#base.actions[action]!;
    if (expectedStatus !== outcome.status) return [`${name}: status ${expectedStatus} before, ${outcome.status} now`];
    const lines = this.#base.canonicalizer.describe(await this.#base.state.facts());
    return [
      `${name}: status ${outcome.status} both times, but another state; now it is:`,
      ...lines.slice(0, STATE_LINES).map((line) => `  ${line}`),
    ];
  }
}

/** The kind of an outcome's row. */
function kindOf({ kind }: Outcome): number {
  return kind === "skipped" ? SKIPPED : kind === "failed" ? FAILED : EXECUTED;
}

function divergence(merge: boolean, path: readonly number[], differences: readonly string[]): LaneDivergence {
  if (merge) {
    return {
      kind: "merge",
      path,
      message:
        "Two paths that lead to one state go on differently from there: something that tells them apart is not observed, or was renamed or masked",
      differences,
      hint: "Declare every store of the target, and look at what the differing lines have in common.",
    };
  }
  return {
    kind: "cross_check",
    path,
    message:
      "A state that was written directly goes on differently from the same state reached by its calls: the target remembers something that its stores do not say",
    differences,
    hint: "The run goes on by replay. Keep such memory in a store, or set `target.rollback: restart`.",
  };
}
