import { isPromise } from "../model/system.ts";
import {
  BOUNDED,
  BROKEN,
  CHANGED,
  EXCHANGES,
  EXECUTED,
  FAILED,
  FINDING,
  NEWS,
  SKIPPED,
  STATES,
  type Chunk,
  type DetailNews,
  type Expansion,
  type ExpansionCheck,
  type ImageNews,
  type LaneFailure,
  type News,
  type PathEnd,
  type Recording,
  type UnitRequest,
} from "../engine/messages.ts";
import type { Facts, Fingerprint } from "../state/facts.ts";
import { responseHash } from "../state/index.ts";
import type { LaneBase } from "./bring-up.ts";
import { calibrate } from "./calibrate.ts";
import type { LaneControl } from "./control.ts";
import { CrossChecker } from "./cross-checker.ts";
import { briefExchanges, briefLines } from "./details.ts";
import { brokenFinding } from "./findings.ts";
import { LateWrites } from "./late-writes.ts";
import { LaneLost } from "./lane-lost.ts";
import { exchangesOf, SKIPPED_OUTCOME, type Outcome } from "./outcome.ts";
import { probePath } from "./probe-path.ts";
import type { RaceGround } from "./race-ground.ts";
import { recordPath, type BeforeStep } from "./record-path.ts";
import { RowWriter } from "./row-writer.ts";
import { shapeOf } from "./shape.ts";
import { SpotCheck } from "./spot-check.ts";
import { errorNews, impure } from "./stepper.ts";
import { Travel } from "./travel.ts";
import type { WorldMark } from "./world-state.ts";

/** What a lane may look up to leave out what is known. */
export interface Known {
  has(lo: number, hi: number): boolean;
}

/** A lane at work: it expands nodes and says what came of it. It decides nothing about what is new. */
export class LaneRuntime {
  /** May be replaced while the lane works; a stale one costs bytes only. */
  visited: Known | undefined;
  readonly #base: LaneBase;
  readonly #control: LaneControl;
  readonly #travel: Travel;
  readonly #late: LateWrites;
  readonly #crossChecker: CrossChecker;
  readonly #putBackCheck: SpotCheck = new SpotCheck();
  readonly #reached: Fingerprint = { lo: 0, hi: 0 };
  readonly #captured: Set<number> = new Set();
  readonly #watched: boolean;
  #rows: RowWriter = new RowWriter(0);
  #news: News[] = [];
  #images: ImageNews[] = [];
  #divergences: Expansion["divergences"][number][] = [];
  #checkedSteps = 0;
  /** As {@link Chunk.details}. */
  #wantsDetails = 0;
  #details: DetailNews[] = [];
  /** The state that the action in progress reached, where its lines are asked for. */
  #lines: readonly string[] | undefined;

  constructor(base: LaneBase, control: LaneControl) {
    this.#base = base;
    this.#control = control;
    base.stepper.onExchange = () => control.touch();
    const { state, options } = base;
    this.#late = new LateWrites(state, options.settleMs);
    this.#watched = state.systems.some(({ traits }) => traits.inMemory !== true);
    this.#travel = new Travel(base, () => this.#late.settle());
    this.#crossChecker = new CrossChecker(base, this.#travel.replayer, () => this.#late.settle());
  }

  /** Expands the units of a chunk in order, until it is done, cancelled, or the lane is lost. */
  async expand(chunk: Chunk): Promise<Expansion> {
    const startedAt = performance.now();
    const replayedBefore = this.#travel.replayed;
    const traveller = this.#travel.choose(chunk.direct);
    const { stepper, state, actions, drawing } = this.#base;
    this.#begin(chunk);
    let finished = 0;
    let failure: LaneFailure | undefined;
    let action = 0;
    try {
      for (; finished < chunk.units.length && !this.#control.cancelled; finished++) {
        let unit = chunk.units[finished]!;
        action = unit.from;
        this.#control.beat(finished, action);
        if (unit.check !== undefined) {
          await this.#crossCheck(unit, unit.check);
          continue;
        }
        const going = traveller.goTo(unit, chunk.direct);
        let mark: WorldMark;
        try {
          mark = isPromise(going) ? await going : going;
        } catch (error) {
          mark = await this.#lostOnTheWay(unit, error);
          // The state is another one than on record, so nothing can be compared with that.
          unit = { ...unit, uncertain: true };
        }
        for (; action < unit.to; action++) {
          if (this.#control.cancelled) return this.#answer(finished, undefined, startedAt, replayedBefore);
          this.#control.beat(finished, action);
          const definition = actions[action]!;
          drawing.at(unit.path, unit.path.length, action, unit.draws);
          if (traveller.away) {
            // The way back is long: it is not gone for an action that does not apply by what is put back already.
            if (stepper.skips(definition)) {
              this.#rows.push(SKIPPED, 0, 0, 0, 0, 0);
              continue;
            }
            mark = await traveller.again(unit);
            drawing.at(unit.path, unit.path.length, action, unit.draws);
          } else if (this.#watched && action > unit.from) await this.#catchLate(unit, action - 1, mark);
          this.#lines = undefined;
          const begun = stepper.begin(definition);
          let outcome: Outcome;
          if (begun instanceof Promise) {
            try {
              outcome = stepper.settle(definition, await begun);
            } catch (error) {
              outcome = stepper.fail(definition, error);
            }
          } else outcome = begun;
          if (outcome.kind !== "skipped") traveller.departed();
          // A precondition that only reads costs nothing more. What an action changed before it returned null shows below.
          if (outcome === SKIPPED_OUTCOME && !(begun instanceof Promise) && !this.#watched && !state.ownChanged(mark)) {
            this.#rows.push(SKIPPED, 0, 0, 0, 0, 0);
            continue;
          }
          const taken = this.#take(unit, finished, action, outcome, mark);
          if (isPromise(taken)) await taken;
          if (this.#wantsDetails !== 0 && outcome.kind !== "skipped") this.#keepDetails(finished, action, outcome);
        }
      }
    } catch (error) {
      this.#travel.leave();
      failure = failureOf(error, finished, action);
    }
    return this.#answer(finished, failure, startedAt, replayedBefore);
  }

  /** Nothing is ever under way between two calls. */
  rest(): Promise<void> {
    return Promise.resolve();
  }

  /** Goes to the node of a unit ahead of {@link expand}, which then finds the lane there. */
  async prepare(unit: UnitRequest, direct: boolean): Promise<void> {
    const traveller = this.#travel.choose(direct);
    traveller.leave();
    await traveller.goTo(unit, direct);
  }

  /** Actions executed again on the way to nodes and for checks, since the start. */
  get replayed(): number {
    return this.#travel.replayed;
  }

  /** Executes a path from the root, with everything that it sends, and checks the last state. */
  async record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording> {
    this.#travel.leave();
    await this.#travel.replayer.replay([]);
    const recording = await recordPath(this.#base, path, draws, () => this.#late.settle(), beforeStep);
    this.#travel.leave();
    if (recording.failure === undefined) await this.#travel.replayer.replay([]);
    return recording;
  }

  /** Tries where a path leads, from a checkpoint on the path that was tried before where there is one. */
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return probePath(this.#base, this.#travel.replayer, path, draws, () => this.#late.settle());
  }

  /** Lends the lane to whoever races calls on it. */
  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T> {
    const { replayer } = this.#travel;
    return work({
      base: this.#base,
      goTo: (path, draws) => replayer.replay(path, draws),
      settle: () => this.#late.settle(),
      leave: () => this.#travel.leave(),
      touch: () => this.#control.touch(),
      isCancelled: () => this.#control.cancelled,
    });
  }

  /** The fields that differ between two executions of one path. The lane must be at rest. */
  async calibrate(): Promise<readonly string[]> {
    const goHome = (): Promise<unknown> => {
      this.#travel.leave();
      return this.#travel.replayer.replay([]);
    };
    return calibrate(this.#base, goHome);
  }

  #begin(chunk: Chunk): void {
    let rows = 0;
    for (const { from, to } of chunk.units) rows += to - from;
    this.#rows = new RowWriter(rows);
    this.#news = [];
    this.#images = [];
    this.#divergences = [];
    this.#checkedSteps = 0;
    this.#captured.clear();
    this.#wantsDetails = chunk.details ?? 0;
    this.#details = [];
  }

  #answer(finished: number, failure: LaneFailure | undefined, begun: number, replayedBefore: number): Expansion {
    return {
      finished,
      rows: this.#rows.finish(),
      news: this.#news,
      images: this.#images,
      details: this.#wantsDetails === 0 ? undefined : this.#details,
      divergences: this.#divergences,
      replayed: this.#travel.replayed - replayedBefore - this.#checkedSteps,
      checked: this.#checkedSteps,
      busyMs: performance.now() - begun,
      failure,
    };
  }

  /** A node that is not reached again: once more on a fresh lane, then it is a divergence and what is there is expanded. */
  async #lostOnTheWay(unit: UnitRequest, error: unknown): Promise<WorldMark> {
    if (!(error instanceof LaneLost) || error.kind !== "dirty" || unit.suspect !== "dirty") throw error;
    this.#divergences.push({
      kind: "replay",
      path: unit.path,
      message: "A path executed again from a clean start led to another state than before",
      differences: error.differences,
      hint: 'If a field differs from run to run, list it as `ignore: ["table.column"]`; if the target remembers what its stores do not say, set `target.rollback: restart`.',
    });
    return this.#travel.replayer.replay(unit.path, unit.draws).catch(() => this.#base.state.mark());
  }

  /** Judges what an action did to the state, and puts it back. Returns a promise only where something has to be waited for. */
  #take(unit: UnitRequest, index: number, action: number, outcome: Outcome, mark: WorldMark): void | Promise<void> {
    if (outcome.kind === "lost") return this.#lost(unit, index, action, outcome);
    const { state } = this.#base;
    if (this.#late.waits(action)) return this.#takeSlowly(unit, index, action, outcome, mark);
    const changed = state.changed(mark);
    if (isPromise(changed)) return changed.then((known) => this.#takeChanged(known, unit, index, action, outcome, mark));
    return this.#takeChanged(changed, unit, index, action, outcome, mark);
  }

  async #takeSlowly(unit: UnitRequest, index: number, action: number, outcome: Outcome, mark: WorldMark): Promise<void> {
    await this.#late.settle(action);
    await this.#takeChanged(await this.#base.state.changed(mark), unit, index, action, outcome, mark);
  }

  #takeChanged(
    changed: boolean,
    unit: UnitRequest,
    index: number,
    action: number,
    outcome: Outcome,
    mark: WorldMark,
  ): void | Promise<void> {
    const { state, checker, options } = this.#base;
    if (!changed && outcome.kind === "executed" && outcome.findings.length === 0 && outcome.status !== 202) {
      if (state.systems.length > 0 && checker.settled(this.#base.actions[action]!)) {
        // Nothing changed: every invariant held here already.
        this.#rows.push(EXECUTED, outcome.status, unit.lo, unit.hi, this.#responseHash(outcome), 0);
        return;
      }
    }
    if (changed && !this.#watched && outcome.kind === "executed" && outcome.findings.length === 0) {
      // The fast way of worlds in memory: all of it without a turn, unless a check returns a promise.
      const { canonicalizer } = this.#base;
      const observed = state.fingerprint(canonicalizer, this.#reached);
      if (!isPromise(observed)) {
        const bounded = canonicalizer.wasBounded ? BOUNDED : 0;
        const lo = this.#reached.lo;
        const hi = this.#reached.hi;
        const shape = options.shapes ? shapeOf(state.facts() as never) : 0;
        const same = lo === unit.lo && hi === unit.hi;
        if (!same && (this.#wantsDetails & STATES) !== 0) this.#describe(lo, hi, state.facts() as never);
        if (!same && this.#wanted(lo, hi)) this.#images.push({ unit: index, action, image: state.capture() });
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
          this.#rows.push(EXECUTED | CHANGED | bounded, outcome.status, lo, hi, 0, shape);
          return state.restore(mark);
        }
        return this.#finish(unit, index, action, outcome, mark, { lo, hi, shape, bits: CHANGED | bounded }, before, checking, spot);
      }
      return observed.then(() => this.#takeCarefully(changed, unit, index, action, outcome, mark));
    }
    return this.#takeCarefully(changed, unit, index, action, outcome, mark);
  }

  async #takeCarefully(
    changed: boolean,
    unit: UnitRequest,
    index: number,
    action: number,
    outcome: Outcome,
    mark: WorldMark,
  ): Promise<void> {
    const { state, checker, canonicalizer, options } = this.#base;
    const definition = this.#base.actions[action]!;
    if (outcome.kind === "skipped") {
      // A value in the context that may have been changed in place only counts when it was.
      if (!changed || !(await this.#differs(unit))) {
        this.#rows.push(SKIPPED, 0, 0, 0, 0, 0);
        if (changed) await this.#putBack(unit, action, mark);
        return;
      }
      const error = errorNews(
        "SKIP_CHANGED_STATE",
        `Action "${definition.name}" returned null (skipped) after it had changed the state; a skipped action may only read.`,
        definition.name,
      );
      this.#rows.push(SKIPPED | NEWS, 0, 0, 0, 0, 0);
      this.#news.push({ unit: index, action, findings: [], errors: [error], exchanges: [] });
      return this.#putBack(unit, action, mark);
    }
    if (outcome.kind === "failed") {
      this.#rows.push(FAILED | NEWS, 0, 0, 0, 0, 0);
      this.#news.push({
        unit: index,
        action,
        findings: [],
        errors: outcome.errors,
        exchanges: exchangesOf(this.#base.stepper.exchanges, outcome),
      });
      return this.#putBack(unit, action, mark);
    }
    let { lo, hi } = unit;
    let bits = 0;
    let shape = 0;
    if (changed) {
      const facts = await state.facts();
      canonicalizer.fingerprint(facts, this.#reached);
      ({ lo, hi } = this.#reached);
      bits = CHANGED | (canonicalizer.wasBounded ? BOUNDED : 0);
      if (options.shapes) shape = shapeOf(facts);
      if ((lo !== unit.lo || hi !== unit.hi) && (this.#wantsDetails & STATES) !== 0) this.#describe(lo, hi, facts);
      if ((lo !== unit.lo || hi !== unit.hi) && outcome.findings.length === 0 && this.#wanted(lo, hi)) {
        this.#images.push({ unit: index, action, image: await state.capture() });
      }
    }
    // Taken before a check begins: one that writes may do so before it first waits.
    const before = this.#watched || suspicious(unit, lo, hi) ? await state.position() : undefined;
    const checking = checker.check(definition, !changed && state.systems.length > 0);
    await this.#finish(unit, index, action, outcome, mark, { lo, hi, shape, bits }, before, checking, changed && this.#putBackCheck.due());
  }

  /** The checks are under way: takes their findings in, writes the row, puts the state back. */
  async #finish(
    unit: UnitRequest,
    index: number,
    action: number,
    outcome: Outcome,
    mark: WorldMark,
    reached: { readonly lo: number; readonly hi: number; readonly shape: number; readonly bits: number },
    marked: WorldMark | undefined | Promise<WorldMark>,
    checking: void | Promise<void>,
    spot: boolean,
  ): Promise<void> {
    const { state, checker, stepper } = this.#base;
    const after = await marked;
    await checking;
    // A check that the target did not answer says nothing about the state. Seen again from a clean start it stays an error of the check.
    const unanswered = stepper.checkFailure;
    if (unanswered !== undefined && !(unit.suspect === unanswered.reason && action === unit.from)) {
      throw new LaneLost(unanswered.reason, unanswered.error instanceof Error ? unanswered.error.message : "a check got no answer");
    }
    const findings = [...outcome.findings, ...checker.checked.findings];
    const errors = [...checker.checked.errors];
    if (after !== undefined) {
      if (state.ownChanged(after) && (await this.#differs(reached)))
        errors.push(await this.#impure(action, after, reached, "the context or a client"));
      else if (await this.#otherState(after, reached)) await this.#lateOrImpure(unit, action, after, reached, errors);
      else await this.#watchAccepted(unit, action, outcome, after, reached);
    }
    let bits = EXECUTED | reached.bits;
    if (findings.length > 0) bits |= FINDING;
    if (findings.length > 0 || errors.length > 0) {
      bits |= NEWS;
      this.#news.push({
        unit: index,
        action,
        findings,
        errors,
        exchanges: findings.length > 0 ? exchangesOf(stepper.exchanges, outcome) : [],
      });
    }
    this.#rows.push(bits, outcome.status, reached.lo, reached.hi, this.#responseHash(outcome), reached.shape);
    await this.#putBack(unit, action, mark, spot);
  }

  async #differs(reached: { readonly lo: number; readonly hi: number }): Promise<boolean> {
    await this.#base.state.fingerprint(this.#base.canonicalizer, this.#reached);
    return this.#reached.lo !== reached.lo || this.#reached.hi !== reached.hi;
  }

  /**
   * Whether another state was written since the mark. What does not belong to the state (tables that are left out, ignored columns) is the
   * business of the target's own jobs: it is put back with everything else, and is nobody's late write.
   */
  async #otherState(after: WorldMark, reached: { readonly lo: number; readonly hi: number }): Promise<boolean> {
    return (await this.#base.state.storesChanged(after)) && (await this.#differs(reached));
  }

  async #impure(action: number, after: WorldMark, reached: Fingerprint, what: string): Promise<News["errors"][number]> {
    const { state, checker, actions } = this.#base;
    const name = await checker.culprit(
      actions[action],
      () => state.restore(after),
      async () => (await state.storesChanged(after)) || this.#differs(reached),
    );
    return impure(name, what);
  }

  /** Rows appeared during the checks: a check that calls the API may have written them, or the action after its answer. */
  async #lateOrImpure(
    unit: UnitRequest,
    action: number,
    after: WorldMark,
    reached: Fingerprint,
    errors: News["errors"][number][],
  ): Promise<void> {
    const { stepper, actions } = this.#base;
    if (await this.#late.comesByItself(actions[action]!, stepper, (since) => this.#otherState(since, reached)))
      this.#reportLate(unit, action);
    else errors.push(await this.#impure(action, after, reached, "a store"));
  }

  /** 202 announces work that is done later: the first time that an action answers so, it is waited for. */
  async #watchAccepted(unit: UnitRequest, action: number, outcome: Outcome, after: WorldMark, reached: Fingerprint): Promise<void> {
    if (outcome.status !== 202) return;
    if (await this.#late.watch(action, () => this.#otherState(after, reached))) this.#reportLate(unit, action);
  }

  #reportLate(unit: UnitRequest, action: number): void {
    this.#late.remember(action);
    const { name } = this.#base.actions[action]!;
    this.#divergences.push({
      kind: "late_write",
      path: [...unit.path, action],
      message: `Late writes: action "${name}" was answered before its work was committed, so the state that it leads to is not known`,
      differences: [],
      hint: "Set `target.settle` to the seconds that it takes (for example 0.1), so that seqqa waits for it after every answer.",
    });
  }

  /** What was written since the put-back belongs to the action before, and is not left for the next one. */
  async #catchLate(unit: UnitRequest, action: number, mark: WorldMark): Promise<void> {
    const { state } = this.#base;
    const changed = state.storesChanged(mark);
    if (changed === false || !(await changed)) return;
    if (unit.uncertain || (await this.#differs(unit))) this.#reportLate(unit, action);
    await state.restore(mark);
  }

  async #putBack(unit: UnitRequest, action: number, mark: WorldMark, spot = false): Promise<void> {
    const { state, canonicalizer } = this.#base;
    if (this.#late.known(action)) await this.#late.drain(mark);
    await state.restore(mark);
    if (this.#watched && (await state.storesChanged(mark))) {
      if (unit.uncertain || (await this.#differs(unit))) this.#reportLate(unit, action);
      await state.restore(mark);
    }
    if (!spot || unit.uncertain) return;
    await state.fingerprint(canonicalizer, this.#reached);
    if (this.#reached.lo === unit.lo && this.#reached.hi === unit.hi) return;
    throw new LaneLost(
      "dirty",
      `After action "${this.#base.actions[action]!.name}" the state could not be put back`,
      canonicalizer.describe(await state.facts()).slice(0, 20),
    );
  }

  /** 0 in memory, where making the text would cost more than the step. */
  #responseHash(outcome: Outcome): number {
    if (!this.#watched || outcome.response === undefined) return 0;
    return responseHash(outcome.status, outcome.response.text, this.#base.placeholders, this.#base.options.clockMs);
  }

  #wanted(lo: number, hi: number): boolean {
    if (!this.#base.state.portable || this.visited?.has(lo, hi) === true) return false;
    const key = (hi & 0x1fffff) * 0x1_0000_0000 + (lo >>> 0);
    if (this.#captured.has(key)) return false;
    this.#captured.add(key);
    return true;
  }

  /** Of every state that is not known to be committed: which row commits it first is decided elsewhere. */
  #describe(lo: number, hi: number, facts: Facts): void {
    if (this.visited?.has(lo, hi) !== true) this.#lines = briefLines(this.#base.canonicalizer.describe(facts));
  }

  #keepDetails(unit: number, action: number, outcome: Outcome): void {
    const exchanges = (this.#wantsDetails & EXCHANGES) === 0 ? [] : briefExchanges(this.#base.stepper.exchanges, outcome);
    this.#details.push({ unit, action, exchanges, state: this.#lines });
    this.#lines = undefined;
  }

  #lost(unit: UnitRequest, index: number, action: number, outcome: Outcome): void {
    if (unit.suspect !== outcome.lost || action !== unit.from) throw new LaneLost(outcome.lost!, outcome.message);
    // Seen again from a clean start: a finding. The lane is of no use after it.
    this.#rows.push(BROKEN | FINDING | NEWS, 0, 0, 0, 0, 0);
    const finding = brokenFinding(this.#base.actions[action]!.name, outcome);
    this.#news.push({
      unit: index,
      action,
      findings: [finding],
      errors: [],
      exchanges: exchangesOf(this.#base.stepper.exchanges, outcome),
    });
    throw new AfterFinding(outcome.message);
  }

  async #crossCheck(unit: UnitRequest, check: ExpansionCheck): Promise<void> {
    const before = this.#travel.replayed;
    this.#travel.leave();
    const found = await this.#crossChecker.check(unit, check);
    this.#checkedSteps += this.#travel.replayed - before;
    if (found !== undefined) this.#divergences.push(found);
  }
}

/** The lane broke, and the row that says so is written. */
class AfterFinding extends Error {}

/** Whether the checks of a state in memory are watched for writing: near the root, and one state in 64. Keyed by the state, so that every number of lanes says the same. */
function suspicious(unit: UnitRequest, lo: number, hi: number): boolean {
  return unit.path.length < 2 || ((lo ^ hi) & 63) === 0;
}

function failureOf(error: unknown, unit: number, action: number): LaneFailure {
  if (error instanceof AfterFinding) return { kind: "dirty", unit: -1, action: action + 1, message: error.message };
  if (error instanceof LaneLost) return { kind: error.kind, unit, action, message: error.message, differences: error.differences };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "dirty", unit, action, message };
}
