import {
  BOUNDED,
  BROKEN,
  CHECK_SHIFT,
  EXECUTED,
  FAILED,
  FINDING,
  NEWS,
  REDUCED,
  REFUSED,
  RENEWED,
  SKIPPED,
  STORE_CLOCK,
  UNLINKED,
  WROTE,
  type UnitRequest,
  type InconclusiveEvent,
} from "../../messages/lane-messages.ts";
import { isPromise } from "../../model/stores/store-adapter.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import { responseHash, type Canonicalizer } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import type { ChunkReport } from "../report/chunk-report.ts";
import { brokenFinding, withUnanswered, type Judged } from "./findings.ts";
import type { WriteLedger } from "../../stores/external/write-ledger.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import type { LateWrites } from "../examine/late-writes.ts";
import { exchangesOf, type Outcome } from "./outcome.ts";
import { answerChange, divergence, kindOf } from "../report/other-outcome.ts";
import { shapeOf } from "./shape.ts";
import { SpotCheck } from "./spot-check.ts";
import type { StateWatch } from "./state-watch.ts";
import type { TakenStep } from "./taken-step.ts";
import { judgeStep } from "./step-rules.ts";
import { errorEvent } from "./error-events.ts";
import type { SavedWorld } from "../state/saved-world.ts";

interface Reached extends Fingerprint {
  readonly shape: number;
  readonly bits: number;
  /** Columns that the step filled with the real time instead of the target's time; see {@link WorldState.realTimeColumns}. */
  readonly columns: readonly string[];
  /** The counters with many spent ids; see {@link SpentIds}. */
  readonly spent: readonly string[];
}

interface Checking {
  /** The checkpoint after the step and before the checks. `undefined` if the state is not watched for writes by checks. */
  readonly before: SavedWorld | undefined | Promise<SavedWorld>;
  /** Resolves when the checks have ended. `undefined` if they have ended already. */
  readonly checking: void | Promise<void>;
  /** `true` if the restored state must be compared with the node. */
  readonly spot: boolean;
}

/**
 * Processes the outcome of an action: reads the reached state, checks the rules, and reports the result. Afterwards the world is in the state before
 * the action.
 */
export class StepTaker {
  readonly #base: LaneBase;
  readonly #late: LateWrites;
  readonly #report: ChunkReport;
  readonly #watch: StateWatch;
  readonly #putBackCheck: SpotCheck = new SpotCheck();
  readonly #reached: Fingerprint = { lo: 0, hi: 0 };

  constructor(base: LaneBase, late: LateWrites, report: ChunkReport, watch: StateWatch) {
    this.#base = base;
    this.#late = late;
    this.#report = report;
    this.#watch = watch;
  }

  /** Processes the outcome of an action, and restores the state before the action. Only returns a promise if something has to be awaited. */
  take(step: TakenStep): void | Promise<void> {
    if (step.outcome.kind === "lost") return this.#lost(step);
    const { state } = this.#base;
    if (this.#late.waits()) return this.#takeSlowly(step);
    const changed = state.changed(step.mark);
    if (isPromise(changed)) return changed.then((known) => this.#takeChanged(step, known));
    return this.#takeChanged(step, changed);
  }

  async #takeSlowly(step: TakenStep): Promise<void> {
    await this.#late.settle();
    await this.#takeChanged(step, await this.#base.state.changed(step.mark));
  }

  /**
   * Repeats a step that wrote to tables of an external store to which its action has never written before. If the second execution does not write to
   * such a table, another client may have written to the table during the first execution. Only the second execution then counts.
   */
  async #takeAgain(step: TakenStep, writes: WriteLedger, tables: ReadonlySet<string>): Promise<void> {
    const { unit, action, mark } = step;
    const { state, stepper, actions, drawing } = this.#base;
    const definition = actions[action]!;
    // Save the rows before they are undone. They are only reported if the second execution does not write to the same tables.
    const isAsked = (name: string, table: string): boolean => name === definition.name && tables.has(table);
    const saving = writes.saveSeldom(isAsked, false);
    await state.restore(mark);
    drawing.at(unit.path, unit.path.length, action, unit.draws);
    const again = { ...step, outcome: await stepper.run(definition) };
    if (again.outcome.kind === "lost") return this.#lost(again);
    await this.#late.settle();
    const changed = await state.changed(mark);
    // The restore may have read further rows of tables that the second execution did not write.
    writes.saveSeldom(isAsked);
    const seldom = writes.forget(definition.name, tables);
    saving.settle((table) => !seldom.has(table));
    if (seldom.size === 0) this.#compare(step, again.outcome);
    await this.#takeChanged(again, changed, true);
  }

  /** Reports a divergence if the second execution of a step had a different outcome. Only the second outcome counts. */
  #compare({ unit, action, outcome }: TakenStep, again: Outcome): void {
    const broken = ({ findings }: Outcome): string => findings.map(({ invariant }) => invariant).join(", ") || "no rule";
    const { name } = this.#base.actions[action]!;
    const differences = [
      ...(again.kind === outcome.kind && again.status === outcome.status
        ? []
        : [`${name}: ${answerChange(kindOf(outcome), outcome.status, again)}`]),
      ...(broken(again) === broken(outcome) ? [] : [`${name}: broke ${broken(outcome)} the first time, but ${broken(again)} now`]),
    ];
    if (differences.length === 0) return;
    const path = [...unit.path, action];
    this.#report.divergences.push({ ...divergence({ path, differences }, this.#base.report), calls: path });
  }

  #takeChanged(step: TakenStep, changed: boolean, isAgain = false): void | Promise<void> {
    const { unit, index, action, outcome, mark } = step;
    const { state, checker, options } = this.#base;
    const { writes } = state.asks;
    if (changed && !isAgain && writes !== undefined && this.#base.restart === undefined && outcome.kind === "executed") {
      const tables = writes.newTables;
      if (tables.size > 0) return this.#takeAgain(step, writes, tables);
    }
    if (!changed && outcome.kind === "executed" && outcome.findings.length === 0 && outcome.status !== 202) {
      if (state.systems.length > 0 && checker.settled(this.#base.actions[action]!)) {
        // The state is unchanged, and every invariant was checked in this state before.
        this.#report.rows.push(EXECUTED | this.#effectOf(outcome), outcome.status, unit, this.#responseHash(outcome));
        return;
      }
    }
    const ruled = checker.rulesAfter(this.#base.actions[action]!).length > 0;
    if (changed && !this.#watch.watched && !ruled && outcome.kind === "executed" && outcome.findings.length === 0) {
      // Shortcut for worlds in memory: everything is synchronous unless a check returns a promise.
      const { canonicalizer } = this.#base;
      const observed = state.fingerprint(canonicalizer, this.#reached);
      if (!isPromise(observed)) {
        const bits = formOf(canonicalizer) | this.#renewed(mark);
        const lo = this.#reached.lo;
        const hi = this.#reached.hi;
        const shape = options.shapes ? shapeOf(state.facts() as never) : 0;
        const same = lo === unit.lo && hi === unit.hi;
        if (!same && this.#report.wantsStates) this.#report.describe(lo, hi, state.facts() as never);
        if (this.#report.wantsOccurrences) this.#report.noteOccurrences(index, action, state.facts() as never);
        if (!same && this.#report.wanted(lo, hi)) this.#report.snapshots.push({ unit: index, action, snapshot: state.capture() });
        const before = suspicious(unit, lo, hi) ? state.position() : undefined;
        const checking = checker.check(this.#base.actions[action], false);
        const spot = this.#putBackCheck.due();
        if (
          before === undefined &&
          !isPromise(checking) &&
          !spot &&
          checker.checked.findings.length === 0 &&
          checker.checked.errors.length === 0
        ) {
          this.#report.rows.push(EXECUTED | bits | this.#effectOf(outcome), outcome.status, this.#reached, 0, shape);
          return state.restore(mark);
        }
        return this.#finish(step, { lo, hi, shape, bits, columns: [], spent: [] }, { before, checking, spot });
      }
      return observed.then(() => this.#takeCarefully(step, changed));
    }
    return this.#takeCarefully(step, changed);
  }

  async #takeCarefully(step: TakenStep, changed: boolean): Promise<void> {
    const { unit, index, action, outcome, mark } = step;
    const { state, checker, canonicalizer, options } = this.#base;
    const definition = this.#base.actions[action]!;
    if (outcome.kind === "skipped") {
      // `changed` may be `true` without a change if the context contains an object. Only the fingerprint shows if something changed.
      if (!changed || state.hasPassed || !(await this.#watch.differs(unit))) {
        this.#report.rows.push(SKIPPED);
        if (changed) await this.#watch.putBack(unit, action, mark);
        return;
      }
      const error = errorEvent(
        "SKIP_CHANGED_STATE",
        `Action "${definition.name}" returned null (skipped), but it had already changed the state. Return null only before the first call that changes something.`,
        definition.name,
      );
      this.#report.rows.push(SKIPPED | NEWS);
      this.#report.stepEvents.push({ unit: index, action, findings: [], errors: [error], exchanges: [] });
      return this.#watch.putBack(unit, action, mark);
    }
    if (outcome.kind === "failed") {
      await this.#base.stepper.awaitPending();
      this.#report.rows.push(FAILED | NEWS);
      this.#report.stepEvents.push({
        unit: index,
        action,
        findings: [],
        errors: outcome.errors,
        exchanges: exchangesOf(this.#base.stepper.exchanges, outcome),
      });
      return this.#watch.putBack(unit, action, mark);
    }
    let { lo, hi } = unit;
    let bits = 0;
    let shape = 0;
    let columns: readonly string[] = [];
    let spent: readonly string[] = [];
    if (changed) {
      // Use the read that showed the change, without reading the stores again. The checks below detect later writes.
      const facts = await state.facts(true);
      canonicalizer.fingerprint(facts, this.#reached);
      ({ lo, hi } = this.#reached);
      bits = formOf(canonicalizer) | this.#renewed(mark);
      columns = state.realTimeColumns;
      spent = this.#base.spentIds.in(facts.systems, state.rootCounters);
      if (options.shapes) shape = shapeOf(facts);
      if ((lo !== unit.lo || hi !== unit.hi) && this.#report.wantsStates) this.#report.describe(lo, hi, facts);
      if (this.#report.wantsOccurrences) this.#report.noteOccurrences(index, action, facts);
      if ((lo !== unit.lo || hi !== unit.hi) && outcome.findings.length === 0 && this.#report.wanted(lo, hi)) {
        this.#report.snapshots.push({ unit: index, action, snapshot: await state.capture(true) });
      }
    }
    // Take this checkpoint before the checks begin, since the first check may write.
    const before = this.#watch.watched || suspicious(unit, lo, hi) ? await state.position(true) : undefined;
    const checking = checker.check(definition, !changed && state.systems.length > 0);
    await this.#finish(step, { lo, hi, shape, bits, columns, spent }, { before, checking, spot: changed && this.#putBackCheck.due() });
  }

  /** Waits for the checks, reports their findings and the outcome of the step, and restores the state. */
  async #finish(step: TakenStep, reached: Reached, { before, checking, spot }: Checking): Promise<void> {
    const { unit, index, action, outcome, mark } = step;
    const { state, checker, stepper } = this.#base;
    // Handle a rejection of `checking` here, because no other code handles it if the next line throws.
    if (isPromise(checking)) checking.catch(() => undefined);
    const after = await before;
    await checking;
    this.#takeUnanswered(step, reached, checker.checked);
    const findings = [...outcome.findings, ...checker.checked.findings];
    const errors = [...checker.checked.errors];
    let unjudged: readonly InconclusiveEvent[] = reached.columns.map((what) => ({ invariant: STORE_CLOCK, what }));
    const ruled = outcome.kind === "executed" && checker.rulesAfter(this.#base.actions[action]!).length > 0;
    const back = after !== undefined && !ruled && (await this.#watch.putBackUntouched(step, after, spot));
    if (after !== undefined && !back) {
      if (state.ownChanged(after) && (await this.#watch.differs(reached))) errors.push(await this.#watch.impure(action, after, reached));
      else if (await this.#watch.otherState(after, reached)) await this.#watch.writtenDuringChecks(unit, action, after, reached, errors);
      else await this.#watch.watchAccepted(unit, action, outcome, after, reached);
      // Rules must be applied in the state after the step, so first undo the write by a check.
      if (errors.length > checker.checked.errors.length) await state.restore(after);
    }
    if (ruled) {
      const moved = reached.lo !== unit.lo || reached.hi !== unit.hi;
      const judged = { action: this.#base.actions[action]!, outcome, changed: moved, mark };
      const rules = await judgeStep(this.#base, judged, () => this.#late.settle());
      this.#takeUnanswered(step, reached, {
        findings: [...checker.checked.findings, ...rules.findings],
        errors: [...errors, ...rules.errors],
      });
      findings.push(...rules.findings);
      errors.push(...rules.errors);
      unjudged = [...unjudged, ...rules.unjudged];
    }
    let bits = EXECUTED | reached.bits | this.#effectOf(outcome);
    if (findings.length > 0) bits |= FINDING;
    if (findings.length > 0 || errors.length > 0 || unjudged.length > 0 || reached.spent.length > 0) {
      bits |= NEWS;
      this.#report.stepEvents.push({
        unit: index,
        action,
        findings,
        errors,
        ...(unjudged.length > 0 && { unjudged }),
        ...(reached.spent.length > 0 && { spent: reached.spent }),
        exchanges: findings.length > 0 ? exchangesOf(stepper.exchanges, outcome) : [],
      });
    }
    this.#report.rows.push(bits, outcome.status, reached, this.#responseHash(outcome), reached.shape);
    if (!back) await this.#watch.putBack(unit, action, mark, spot);
  }

  /**
   * Handles a check whose request got no answer, so that the result of the check is unknown. The first time, the lane counts as lost, and a fresh
   * lane repeats the step. The second time, the missing answer is reported as a finding. `judged`: the results of the earlier checks.
   * @throws LaneLost the first time, AfterFinding the second time
   */
  #takeUnanswered({ unit, index, action, outcome }: TakenStep, reached: Reached, judged: Judged): void {
    const { stepper, actions } = this.#base;
    const unanswered = stepper.checkFailure;
    if (unanswered === undefined) return;
    const why = unanswered.error instanceof Error ? unanswered.error.message : "a request of a rule got no answer";
    if (unit.suspect !== unanswered.reason || action !== unit.from) throw new LaneLost(unanswered.reason, why, [], unanswered.check);
    const { findings, errors } = withUnanswered(judged, unanswered, actions[action]!.name);
    const bits = EXECUTED | reached.bits | FINDING | NEWS;
    this.#report.rows.push(bits, outcome.status, reached, this.#responseHash(outcome), reached.shape);
    this.#report.stepEvents.push({
      unit: index,
      action,
      findings: [...outcome.findings, ...findings],
      errors,
      exchanges: exchangesOf(stepper.exchanges, outcome),
    });
    throw new AfterFinding(why);
  }

  /** Returns {@link RENEWED} if the generated values or times of the observed state differ from those before the step. Otherwise returns 0. */
  #renewed(before: SavedWorld): number {
    return this.#base.state.renewedSince(before) ? RENEWED : 0;
  }

  /** Returns {@link WROTE} if the step wrote, and {@link REFUSED} if the body of its answer refuses the request. */
  #effectOf(outcome: Outcome): number {
    const { stepper } = this.#base;
    return (stepper.wrote ? WROTE : 0) | (stepper.isRefusedInBody(outcome) ? REFUSED : 0);
  }

  /** Returns a hash of a response. Returns 0 for worlds in memory, since computing the hash would take longer than the step. */
  #responseHash(outcome: Outcome): number {
    if (!this.#watch.watched || outcome.response === undefined) return 0;
    return responseHash(outcome.status, outcome.response.text, this.#base.placeholders, this.#base.options.clockMs);
  }

  #lost({ unit, index, action, outcome }: TakenStep): void {
    if (unit.suspect !== outcome.lost || action !== unit.from) throw new LaneLost(outcome.lost!, outcome.message);
    // The step got no answer on a fresh lane either, so report a finding. The lane itself is lost.
    this.#report.rows.push(BROKEN | FINDING | NEWS);
    const finding = brokenFinding(this.#base.actions[action]!.name, outcome);
    this.#report.stepEvents.push({
      unit: index,
      action,
      findings: [finding],
      errors: [],
      exchanges: exchangesOf(this.#base.stepper.exchanges, outcome),
    });
    throw new AfterFinding(outcome.message);
  }
}

/**
 * Returns bits for the step's row that describe the last fingerprint, including its second hash; see {@link Canonicalizer.check}. `BOUNDED`: an equal
 * state may have a different fingerprint. `REDUCED`: the fingerprint ignores the order of generated values. `UNLINKED`: the fingerprint also ignores
 * which values belong together.
 */
function formOf({ wasBounded, forgotten, hidesLinks, check }: Canonicalizer): number {
  const reduced = hidesLinks ? REDUCED | UNLINKED : forgotten.size > 0 ? REDUCED : 0;
  return (wasBounded ? BOUNDED : 0) | reduced | (check << CHECK_SHIFT);
}

/** Thrown if the lane is lost and the finding that explains the loss was already reported. */
export class AfterFinding extends Error {}

/**
 * Returns `true` if the state is watched for writes by checks, although all stores are in the memory of this process. Only states near the root state
 * and one in 64 other states are watched. The choice depends only on the state, so it is the same for every number of lanes.
 */
function suspicious(unit: UnitRequest, lo: number, hi: number): boolean {
  return unit.path.length < 2 || ((lo ^ hi) & 63) === 0;
}
