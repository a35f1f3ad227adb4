import { BOUNDED, EXECUTED, FAILED, HI, KIND, LO, SKIPPED, STATUS, type Expansion, type UnitRequest } from "../engine/messages.ts";
import type { Fingerprint } from "../state/facts.ts";
import type { LaneBase } from "./bring-up.ts";
import { LaneLost } from "./lane-lost.ts";
import type { Outcome } from "./outcome.ts";
import type { RowWriter } from "./row-writer.ts";
import type { Traveller } from "./traveller.ts";

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

  /** `rows` holds the unit's outcomes from row `first` on. Returns what differed, or nothing. @throws LaneLost */
  async check(unit: UnitRequest, rows: RowWriter, first: number): Promise<Expansion["divergences"][number] | undefined> {
    const { state, stepper, actions } = this.#base;
    this.#traveller.leave();
    const path = unit.otherPath ?? unit.path;
    const mark = await this.#traveller.replay(path);
    const differences: string[] = [];
    for (let action = unit.from; action < unit.to; action++) {
      const outcome = await stepper.run(actions[action]!);
      this.#traveller.replayed++;
      if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
      await this.#settle();
      const row = first + action - unit.from;
      if (!(await this.#same(unit, rows, row, outcome, await state.changed(mark)))) {
        differences.push(...(await this.#explain(action, rows.value(row, STATUS), outcome)));
      }
      await state.restore(mark);
    }
    return differences.length === 0 ? undefined : divergence(unit, path, differences.slice(0, LINES));
  }

  async #same(unit: UnitRequest, rows: RowWriter, row: number, outcome: Outcome, changed: boolean): Promise<boolean> {
    const bits = rows.value(row, KIND);
    const kind = outcome.kind === "skipped" ? SKIPPED : outcome.kind === "failed" ? FAILED : EXECUTED;
    if ((bits & 0xff) !== kind) return false;
    if (kind !== EXECUTED) return true;
    if (rows.value(row, STATUS) !== outcome.status) return false;
    // A bounded form is its own each time.
    if ((bits & BOUNDED) !== 0) return true;
    if (!changed) return rows.value(row, LO) === unit.lo && rows.value(row, HI) === unit.hi;
    await this.#base.state.fingerprint(this.#base.canonicalizer, this.#reached);
    return rows.value(row, LO) === this.#reached.lo && rows.value(row, HI) === this.#reached.hi;
  }

  async #explain(action: number, expectedStatus: number, outcome: Outcome): Promise<readonly string[]> {
    const { name } = this.#base.actions[action]!;
    if (expectedStatus !== outcome.status) return [`${name}: status ${expectedStatus} before, ${outcome.status} now`];
    const lines = this.#base.canonicalizer.describe(await this.#base.state.facts());
    return [`${name}: status ${outcome.status} both times, but another state; now it is:`, ...lines.slice(0, STATE_LINES).map((line) => `  ${line}`)];
  }
}

function divergence(unit: UnitRequest, path: readonly number[], differences: readonly string[]): Expansion["divergences"][number] {
  if (unit.otherPath !== undefined) {
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
