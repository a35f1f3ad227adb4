import { setTimeout as delay } from "node:timers/promises";
import type { LaneCapacity, LanePool, StandbyUse } from "../engine/lane-pool.ts";
import {
  type Calibration,
  type CalibrationWalk,
  CRASHED,
  type Chunk,
  type Expansion,
  type FindingEvent,
  type LaneReport,
  type PathEnd,
  type Recording,
  type UnitRequest,
} from "../messages/lane-messages.ts";
import type { FaultAnswer, FaultRequest } from "../messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../messages/race-messages.ts";
import { sameRoot } from "../engine/search/same-root.ts";
import type { VisitedSet } from "../engine/graph/visited-set.ts";
import { hasEnded, type TargetEnd } from "../model/results/target-end.ts";
import { endedMeanwhile } from "../targets/process/target-errors.ts";
import type { Knowledge } from "../state/index.ts";

interface Processes {
  endOf(lane: number): Promise<TargetEnd | undefined>;
  /** Returns the lines that the target of a lane printed between two times, in milliseconds since 1970. */
  printed?(lane: number, fromMs: number, toMs: number): readonly string[];
}

/** How long to wait for the last output of a target, in milliseconds. The output arrives through a pipe, which takes time. */
const PIPE_MS = 20;

/** Passes all calls to another lane pool. If a target was lost, adds to the answer how its process ended, because only the main thread knows this. */
export class WatchedLanePool implements LanePool {
  readonly lanes: number;
  readonly depth: number;
  readonly capacity: LaneCapacity;
  readonly #inner: LanePool;
  readonly #processes: Processes;
  #keptMemory: string | undefined;
  /** The report of the first lane when it was brought to the root state. */
  #root: LaneReport | undefined;
  #printedAtSetup: readonly string[] | undefined;
  /** For each lane: a promise that settles with its latest answer. */
  readonly #answers: (Promise<unknown> | undefined)[] = [];

  constructor(inner: LanePool, processes: Processes) {
    this.#inner = inner;
    this.#processes = processes;
    this.lanes = inner.lanes;
    this.depth = inner.depth;
    this.capacity = inner.capacity;
  }

  get keptMemory(): string | undefined {
    return this.#keptMemory;
  }

  async start(): Promise<readonly LaneReport[]> {
    return this.#atRoot(await this.#all(this.#inner.start()));
  }

  calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    return this.#all(this.#inner.calibrate(walk));
  }

  async learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]> {
    return this.#atRoot(await this.#all(this.#inner.learn(knowledge, fresh)));
  }

  share(visited: VisitedSet): void {
    this.#inner.share(visited);
  }

  /**
   * Executes a chunk. The answers of a lane are returned in the order of the calls, so the first failed answer of a lost lane contains the reason.
   */
  expand(lane: number, chunk: Chunk): Promise<Expansion> {
    const before = this.#answers[lane];
    const answer = this.#expand(lane, chunk, before);
    this.#answers[lane] = answer.catch(() => undefined);
    return answer;
  }

  async #expand(lane: number, chunk: Chunk, before: Promise<unknown> | undefined): Promise<Expansion> {
    const expansion = await this.#inner.expand(lane, chunk);
    await before;
    const { stepEvents, failure } = expansion;
    // A chunk that was sent to a lost lane has the unit -1. The failure of such a chunk does not say why the lane was lost.
    const isLost = failure?.kind === "unreachable" && failure.unit >= 0;
    if (!isLost && (failure === undefined || !stepEvents.some(({ findings }) => findings.some(isCrash)))) return expansion;
    const target = await this.#processes.endOf(lane);
    return {
      ...expansion,
      stepEvents: stepEvents.map((one) => ({ ...one, findings: withEnd(one.findings, target) })),
      failure: { ...failure, target },
    };
  }

  rebuild(lane: number, standby?: StandbyUse): Promise<LaneReport> {
    return this.#explained(this.#rebuild(lane, standby), [lane]);
  }

  /**
   * Rebuilds a lane. If a standby lane replaced the lost lane but has a different root state, builds a new lane instead. The root states can differ
   * because the standby lane's target may have written data while it waited.
   */
  async #rebuild(lane: number, standby: StandbyUse | undefined): Promise<LaneReport> {
    // Standby lanes need targets that can run at the same time. In a run with several lanes, the targets do run at the same time.
    const mayStandBy = this.lanes > 1 || this.#root?.isolated === true;
    const report = await this.#inner.rebuild(lane, mayStandBy ? standby : undefined);
    this.#keptMemory ??= report.keptMemory;
    const isOther = report.standby === true && this.#root !== undefined && !sameRoot(report, this.#root);
    return isOther ? this.#inner.rebuild(lane) : report;
  }

  async record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording> {
    const recording = await this.#inner.record(lane, path, draws);
    const { findings, starts } = recording;
    const hasCrashed = findings.some(isCrash);
    const ended = hasCrashed ? { ...recording, findings: withEnd(findings, await this.#processes.endOf(lane)) } : recording;
    if (starts === undefined || starts.length === 0 || this.#processes.printed === undefined) return ended;
    await delay(PIPE_MS);
    // A printed line belongs to the step during which it was printed.
    const printed = starts.map((startMs, step) => this.#processes.printed!(lane, startMs, (starts[step + 1] ?? Infinity) - 1));
    const steps = ended.steps.map((step, index) => (printed[index]!.length === 0 ? step : { ...step, printed: printed[index] }));
    // After a crash, the finding already contains the target's last output.
    return { ...ended, steps, ...(!hasCrashed && findings.length > 0 && { printed: printed.at(-1) }) };
  }

  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return this.#inner.probe(lane, path, draws);
  }

  race(lane: number, request: RaceRequest): Promise<RaceAnswer> {
    return this.#inner.race(lane, request);
  }

  async fault(lane: number, request: FaultRequest): Promise<FaultAnswer> {
    const answer = await this.#inner.fault(lane, request);
    const { hits } = answer;
    if (answer.failure === undefined || hits.at(-1)?.verdict !== "no_recovery") return answer;
    const target = await this.#processes.endOf(lane);
    if (target === undefined || !hasEnded(target)) return answer;
    // The lane was lost at the last hit: the target did not recover after this fault.
    return { ...answer, hits: hits.map((hit, at) => (at === hits.length - 1 ? { ...hit, target } : hit)) };
  }

  cut(lane: number): void {
    this.#inner.cut?.(lane);
  }

  cancel(): void {
    this.#inner.cancel();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /**
   * Adds two things to the reports of lanes: how a target ended that crashed during the checks of the root state, and the lines that it printed
   * during `setup`.
   */
  #atRoot(reports: readonly LaneReport[]): Promise<readonly LaneReport[]> {
    this.#root = reports[0];
    for (const { keptMemory } of reports) this.#keptMemory ??= keptMemory;
    return Promise.all(
      reports.map(async (report, lane) => ({
        ...report,
        ...(report.findings.some(isCrash) && { findings: withEnd(report.findings, await this.#processes.endOf(lane)) }),
        ...(lane === 0 && { setup: this.#withPrinted(report.setup) }),
      })),
    );
  }

  /**
   * Adds the lines that the target of the first lane printed during `setup`. The lines are read once and saved in this object, since a target's
   * output is soon deleted.
   */
  #withPrinted(setup: LaneReport["setup"]): LaneReport["setup"] {
    if (setup === undefined) return undefined;
    this.#printedAtSetup ??= this.#processes.printed?.(0, setup.startMs, setup.endMs + PIPE_MS) ?? [];
    return this.#printedAtSetup.length === 0 ? setup : { ...setup, step: { ...setup.step, printed: this.#printedAtSetup } };
  }

  #all<T>(work: Promise<T>): Promise<T> {
    return this.#explained(
      work,
      Array.from({ length: this.lanes }, (_, lane) => lane),
    );
  }

  /** Waits for work that brings up lanes. If a lane cannot reach its target during the work, adds to the error how the target's process ended. */
  async #explained<T>(work: Promise<T>, lanes: readonly number[]): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Error) || (error as { readonly code?: unknown }).code !== "TARGET_UNREACHABLE") throw error;
      const ends = await Promise.all(lanes.map((lane) => this.#processes.endOf(lane)));
      const at = ends.findIndex((end) => end !== undefined && hasEnded(end));
      throw at < 0 ? error : endedMeanwhile(error, lanes[at]!, ends[at]!);
    }
  }
}

const isCrash = ({ invariant }: FindingEvent): boolean => invariant === CRASHED;

function withEnd(findings: readonly FindingEvent[], target: TargetEnd | undefined): readonly FindingEvent[] {
  return findings.map((finding) => (isCrash(finding) ? { ...finding, target } : finding));
}
