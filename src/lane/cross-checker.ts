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
  type Expansion,
  type ExpansionCheck,
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
  async check(unit: UnitRequest, { expected, merge }: ExpansionCheck): Promise<Expansion["divergences"][number] | undefined> {
    const { state, stepper, actions, drawing } = this.#base;
    this.#traveller.leave();
    const { path } = unit;
    const differences: string[] = [];
    let mark: WorldMark | undefined;
    for (let action = unit.from; action < unit.to; action++) {
      mark = await this.#traveller.replay(path, unit.draws);
      drawing.at(path, path.length, action, unit.draws);
      const outcome = await stepper.run(actions[action]!);
      this.#traveller.departed();
      this.#traveller.replayed++;
      if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
      await this.#settle();
      const row = expected.subarray(action * ROW, (action + 1) * ROW);
      if (!(await this.#same(unit, row, outcome, await state.changed(mark)))) {
        differences.push(...(await this.#explain(action, row[STATUS]!, outcome)));
      }
    }
    // Before that the next replay has put everything back.
    if (mark !== undefined) await state.restore(mark);
    this.#traveller.leave();
    return differences.length === 0 ? undefined : divergence(merge, path, differences.slice(0, LINES));
  }

  async #same(unit: UnitRequest, row: Int32Array, outcome: Outcome, changed: boolean): Promise<boolean> {
    const bits = row[KIND]!;
    const kind = outcome.kind === "skipped" ? SKIPPED : outcome.kind === "failed" ? FAILED : EXECUTED;
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

function divergence(merge: boolean, path: readonly number[], differences: readonly string[]): Expansion["divergences"][number] {
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
