import { isPromise } from "../../model/stores/store-adapter.ts";
import {
  SKIPPED,
  withCounters,
  type Calibration,
  type CalibrationWalk,
  type Chunk,
  type Expansion,
  type ExpansionCheck,
  type LaneDivergence,
  type LaneFailure,
  type LaneReport,
  type PathEnd,
  type Recording,
  type UnitRequest,
} from "../../messages/lane-messages.ts";
import type { LaneBase } from "./lane-base.ts";
import { calibrate } from "../examine/calibrate.ts";
import { ChunkReport, type Known } from "../report/chunk-report.ts";
import type { LaneControl } from "./control.ts";
import { CrossChecker } from "../examine/cross-checker.ts";
import { LateWrites } from "../examine/late-writes.ts";
import { LaneLost, OtherState } from "./lane-lost.ts";
import { SKIPPED_OUTCOME, type Outcome } from "../step/outcome.ts";
import { probePath } from "../navigate/probe-path.ts";
import type { RaceGround } from "../races/race-ground.ts";
import { recordPath, type BeforeStep } from "../navigate/record-path.ts";
import { StateWatch } from "../step/state-watch.ts";
import { AfterFinding, StepTaker } from "../step/step-taker.ts";
import { lossOf } from "./store-lost.ts";
import { Navigation } from "../navigate/navigation.ts";
import { sameFingerprint } from "../../state/canonical/facts.ts";
import { explainedDifferences, type ShownState } from "../../state/index.ts";
import { passedTimes, type SavedWorld } from "../state/saved-world.ts";

/** Maximum number of lines that compare two states. */
const LINES = 8;

export type { Known } from "../report/chunk-report.ts";

/**
 * Executes the work of a lane: expands nodes and reports the outcomes. Does not decide which states are new, since only the engine knows all states.
 */
export class LaneRuntime {
  readonly #base: LaneBase;
  readonly #control: LaneControl;
  readonly #travel: Navigation;
  readonly #late: LateWrites;
  readonly #crossChecker: CrossChecker;
  readonly #report: ChunkReport;
  readonly #watch: StateWatch;
  readonly #taker: StepTaker;

  constructor(base: LaneBase, control: LaneControl) {
    this.#base = base;
    this.#control = control;
    base.stepper.onExchange = () => control.touch();
    this.#late = new LateWrites(base.options.settleMs);
    this.#report = new ChunkReport(base);
    this.#watch = new StateWatch(base, this.#late, this.#report);
    this.#taker = new StepTaker(base, this.#late, this.#report, this.#watch);
    this.#travel = new Navigation(base, () => this.#late.settle());
    this.#crossChecker = new CrossChecker(
      base,
      this.#travel.replayer,
      () => this.#late.settle(),
      () => this.#control.cancelled,
    );
  }

  get visited(): Known | undefined {
    return this.#report.visited;
  }

  set visited(known: Known | undefined) {
    this.#report.visited = known;
  }

  async expand(chunk: Chunk): Promise<Expansion> {
    const startedAt = performance.now();
    const replayedBefore = this.#travel.replayed;
    const navigator = this.#travel.choose(chunk.direct);
    const { stepper, state, actions, drawing } = this.#base;
    const report = this.#report;
    const watch = this.#watch;
    report.begin(chunk);
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
          if (this.#control.cancelled) break;
          continue;
        }
        const going = navigator.goTo(unit, chunk.direct);
        let mark: SavedWorld;
        try {
          mark = isPromise(going) ? await going : going;
        } catch (error) {
          const again = await this.#lostOnTheWay(unit, chunk.direct && unit.snapshot !== undefined, error);
          ({ mark } = again);
          // The lane is not in the state that was recorded for the node, so later steps must not compare their state with the recorded fingerprint.
          if (again.isOther) unit = { ...unit, uncertain: true };
        }
        for (; action < unit.to; action++) {
          if (this.#control.cancelled) return report.answer(finished, undefined, startedAt, this.#travel.replayed - replayedBefore);
          this.#control.beat(finished, action);
          const definition = actions[action]!;
          drawing.at(unit.path, unit.path.length, action, unit.draws);
          if (navigator.away) {
            // Bringing the lane to the node again is slow. First check if the precondition already shows that the action does not apply.
            if (stepper.skips(definition)) {
              report.rows.push(SKIPPED);
              continue;
            }
            mark = await navigator.again(unit);
            drawing.at(unit.path, unit.path.length, action, unit.draws);
          } else if (watch.watched && action > unit.from) await watch.catchLate(unit, action - 1, mark);
          if (stepper.turns.waits && !stepper.skips(definition)) await stepper.turns.wait(definition);
          report.beginAction();
          const begun = stepper.begin(definition);
          let outcome: Outcome;
          if (begun instanceof Promise) {
            try {
              outcome = stepper.settle(definition, await begun);
            } catch (error) {
              outcome = stepper.fail(definition, error);
            }
          } else outcome = begun;
          if (stepper.wayBack !== undefined && stepper.isRepeated(definition, outcome, mark))
            outcome = await stepper.repeated(definition, outcome, mark);
          if (outcome.kind !== "skipped") navigator.departed();
          // If the precondition did not hold, nothing was written, so no restore is needed. An action that returned null may have written something,
          // so `take` below reads the state after such an action.
          if (outcome === SKIPPED_OUTCOME && !(begun instanceof Promise) && !watch.watched && !state.ownChanged(mark)) {
            report.rows.push(SKIPPED);
            continue;
          }
          if (outcome.kind !== "skipped") report.noteCalls(finished, action);
          const taken = this.#taker.take({ unit, index: finished, action, outcome, mark });
          if (isPromise(taken)) await taken;
          if (report.wantsDetails && outcome.kind !== "skipped") report.keepDetails(finished, action, outcome);
        }
      }
    } catch (error) {
      this.#travel.leave();
      failure = failureOf(error, finished, action);
    }
    return report.answer(finished, failure, startedAt, this.#travel.replayed - replayedBefore);
  }

  cut(): void {
    this.#base.stepper.repeats.cut();
    this.#base.state.cut();
  }

  rest(): Promise<void> {
    return Promise.resolve();
  }

  /** Brings the lane to the node of a unit, before {@link expand} is called for this unit. */
  async prepare(unit: UnitRequest, direct: boolean): Promise<void> {
    const navigator = this.#travel.choose(direct);
    navigator.leave();
    await navigator.goTo(unit, direct);
  }

  get replayed(): number {
    return this.#travel.replayed;
  }

  async record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording> {
    const isClean = await this.#base.home.cleanly(() => this.#goHome());
    const recorded = await recordPath(this.#base, path, draws, () => this.#late.settle(), beforeStep);
    const recording = isClean ? recorded : { ...recorded, countsOn: true };
    this.#travel.leave();
    if (recording.failure === undefined) await this.#travel.replayer.replay([]);
    return recording;
  }

  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return probePath(this.#base, this.#travel.replayer, path, draws, () => this.#late.settle());
  }

  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T> {
    const { replayer } = this.#travel;
    const { writes } = this.#base.state.asks;
    if (writes !== undefined) writes.isCounting = false;
    const lent = work({
      base: this.#base,
      goTo: async (path, draws) => {
        const mark = await replayer.replay(path, draws);
        if (this.#base.stepper.turns.waitsForSeconds) await this.#base.stepper.turns.nextSecond();
        return mark;
      },
      settle: () => this.#late.settle(),
      leave: () => this.#travel.leave(),
      touch: () => this.#control.touch(),
      isCancelled: () => this.#control.cancelled,
    });
    return lent.finally(() => {
      if (writes !== undefined) writes.isCounting = true;
    });
  }

  async calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    const { home } = this.#base;
    const goHome = (): Promise<unknown> => (walk?.cleanly === true ? home.cleanly(() => this.#goHome()) : this.#goHome());
    return calibrate(this.#base, goHome, walk);
  }

  #goHome(): Promise<unknown> {
    this.#travel.leave();
    return this.#travel.replayer.replay([]);
  }

  /**
   * Handles a node that could not be reached. Either a fresh lane tries again, or this lane makes its root state again and tries from the root state.
   * If the second attempt also fails, the actions are executed in the state that was reached. A path that led to a different state is reported as a
   * divergence immediately, because the next attempt may reach the right state by chance.
   */
  async #lostOnTheWay(
    unit: UnitRequest,
    isWritten: boolean,
    error: unknown,
  ): Promise<{ readonly mark: SavedWorld; readonly isOther: boolean }> {
    if (!(error instanceof LaneLost) || error.kind !== "dirty") throw error;
    const wasExecuted = error instanceof OtherState && !isWritten;
    const isLast = unit.suspect === "dirty";
    if (!wasExecuted && !isLast) throw error;
    const { replayer } = this.#travel;
    const passed = (): string | undefined => passedTimes(this.#base.state.own())[0];
    let field = passed();
    if (wasExecuted && !isLast) {
      if (field === undefined) {
        const differences = await this.#whyOther(unit, error);
        this.#report.divergences.push(this.#withWrites(replayed(unit, { differences }, this.#base.report)));
      }
      // If the root state is restored from a checkpoint, the checkpoint itself may be wrong: throw, so that a fresh lane tries again. If the root
      // state is made by running `setup` again, it is compared with the first root state, so this lane can try again.
      if (!this.#base.home.remade) throw error;
      try {
        await replayer.replay([]);
        return { mark: await replayer.goTo({ ...unit, snapshot: undefined }, false), isOther: false };
      } catch (again) {
        if (!(again instanceof OtherState)) throw again;
        field = passed();
      }
    }
    this.#report.divergences.push(field === undefined ? this.#withWrites(replayed(unit, error, this.#base.report)) : timePassed(field));
    return { mark: await replayer.replay(unit.path, unit.draws).catch(() => this.#base.state.mark()), isOther: true };
  }

  /**
   * Returns lines about a path whose second execution led to a different state. Only the fingerprint of the first state is known, so the path is
   * executed a third time, and the last two states are compared. A value that differs each time also differs between these two states.
   */
  async #whyOther({ path, draws }: UnitRequest, { differences }: LaneLost): Promise<readonly string[]> {
    const { state, canonicalizer } = this.#base;
    const { replayer } = this.#travel;
    const reached = async (): Promise<ShownState> => canonicalizer.shown(await state.facts());
    const then = await reached();
    try {
      // Begin at the root state, so that no checkpoint of this execution is used.
      await replayer.replay([]);
      await replayer.replay(path, draws);
    } catch (error) {
      if (error instanceof LaneLost) return differences;
      throw error;
    }
    const now = await reached();
    const isSame = sameFingerprint(then, now);
    return [
      isSame ? "the state to which the path leads now:" : "each execution leads to another state; differences between two executions:",
      ...(isSame ? differences : explainedDifferences(then, now, LINES)).map((line) => `  ${line}`),
    ];
  }

  async #crossCheck(unit: UnitRequest, check: ExpansionCheck): Promise<void> {
    const before = this.#travel.replayed;
    this.#travel.leave();
    const found = await this.#crossChecker.check(unit, check);
    this.#report.checkedSteps += this.#travel.replayed - before;
    if (found !== undefined) this.#report.divergences.push(this.#withWrites(found));
  }

  /** Saves the rows in external stores that may explain a divergence, and names their files in the hint. */
  #withWrites(divergence: LaneDivergence): LaneDivergence {
    const files = this.#base.state.asks.writes?.saveDiffering() ?? [];
    if (files.length === 0) return divergence;
    const hint = `Another client may also have caused the difference, if it wrote to the store during the run. seqqa saved the rows that only one of the executions wrote: see ${files.join(", ")}.`;
    return { ...divergence, hint: divergence.hint === undefined ? hint : `${divergence.hint} ${hint}` };
  }
}

/** Returns the divergence for a path whose second execution led to a different state. */
function replayed(
  { path }: UnitRequest,
  { differences }: Pick<LaneLost, "differences">,
  { counters, restarts = false }: LaneReport,
): LaneDivergence {
  return {
    kind: "replay",
    path,
    calls: path,
    message: "seqqa executed a path again from a clean start, and the path led to a different state than the first time",
    differences,
    hint: withCounters(
      `If a field differs each time, list it in the World: \`ignore: ["table.column"]\`. ${restarts ? "If the target keeps data outside its stores, such as in a file, keep the data in a store." : "If the target keeps data in memory that are not in its stores, set `target.rollback: restart`."}`,
      counters,
    ),
  };
}

/** Returns the divergence for a state with a time that passes before the state can be reached again. */
function timePassed(field: string): LaneDivergence {
  return {
    kind: "time_passed",
    path: [],
    message: `A time passed before seqqa had tried all actions in the state that contains this time: ${field}`,
    differences: [field],
    hint: "Configure the target so that this time is further in the future, for example with a longer expiry.",
  };
}

function failureOf(error: unknown, unit: number, action: number): LaneFailure {
  if (error instanceof AfterFinding) return { kind: "dirty", unit: -1, action: action + 1, message: error.message };
  if (error instanceof LaneLost) {
    const { kind, message, differences, check } = error;
    return { kind, unit, action, message, differences, ...(check !== undefined && { check }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: lossOf(error), unit, action, message };
}
