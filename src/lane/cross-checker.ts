import {
  BOUNDED,
  EXECUTED,
  FAILED,
  FINDING,
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
import { judgeStep } from "./step-rules.ts";
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
      const changed = await state.changed(at);
      const isSame = await this.#same(unit, row, outcome, changed);
      if (!isSame) differences.push(...(await this.#explain(action, row[STATUS]!, outcome)));
      // Where an order of generation was forgotten, a rule may tell the states apart.
      const broken = isSame && reduced ? await this.#broken(action, outcome, changed, at) : undefined;
      const isJudgedAlike = broken === undefined || broken.length > 0 === ((row[KIND]! & FINDING) !== 0);
      if (!isJudgedAlike) differences.push(judgedOtherwise(this.#base.actions[action]!.name, broken));
      if (!isSame || !isJudgedAlike) calls ??= [...path, action];
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
      const changed = await state.changed(mark);
      const isOther = outcome.kind === "executed" && changed;
      if (isOther) canonicalizer.fingerprint(await state.facts(true), this.#reached);
      const bounded = isOther && canonicalizer.wasBounded ? BOUNDED : 0;
      const { lo, hi } = isOther ? this.#reached : unit;
      const found = (await this.#broken(action, outcome, changed, mark)).length > 0 ? FINDING : 0;
      rows.set([kindOf(outcome) | bounded | found, outcome.status, lo, hi, 0, 0], action * ROW);
    }
    return rows;
  }

  /** The rules that a step broke. The state that it led to is left. */
  async #broken(action: number, outcome: Outcome, changed: boolean, mark: WorldMark): Promise<readonly string[]> {
    if (outcome.kind !== "executed") return [];
    const { checker, state, stepper, actions } = this.#base;
    const definition = actions[action]!;
    await checker.check(definition, !changed && state.systems.length > 0);
    const found = [...outcome.findings, ...checker.checked.findings];
    if (stepper.checkFailure === undefined && checker.rulesAfter(definition).length > 0)
      found.push(...(await judgeStep(this.#base, definition, outcome, changed, mark, this.#settle)).findings);
    const unanswered = stepper.checkFailure;
    if (unanswered !== undefined) throw new LaneLost(unanswered.reason, "a check got no answer", [], unanswered.check);
    return found.map(({ invariant }) => invariant);
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

function judgedOtherwise(action: string, broken: readonly string[]): string {
  return broken.length > 0
    ? `${action}: breaks ${broken.join(", ")} now, and no rule before`
    : `${action}: broke a rule before, and none now`;
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
