import { fixedCapacity, type LaneCapacity, type LanePool, type StandbyUse } from "../../engine/lane-pool.ts";
import type {
  Calibration,
  CalibrationWalk,
  Chunk,
  Expansion,
  LaneReport,
  PathEnd,
  Recording,
  UnitRequest,
} from "../../messages/lane-messages.ts";
import type { FaultAnswer, FaultRequest } from "../../messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import type { VisitedSet } from "../../engine/graph/visited-set.ts";
import { Drawing, LaneControl, Walk, workOf, relearn, type BeforeStep, type LaneOptions, type LaneWork } from "../../lane/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { tryFaults } from "../../faults/index.ts";
import { RaceLane } from "../../races/index.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { BuiltLane, LaneFactory, LaneHost } from "../lane-factory.ts";
import { LaterProblems } from "../with-problem.ts";
import { HangWatch } from "./hang-watch.ts";
import { takeUncaught } from "../uncaught.ts";
import { leaveSameCounters, NOTHING_KNOWN, type Knowledge } from "../../state/index.ts";

export interface InlineLanePoolOptions {
  readonly definition: AgentDefinition<never, never>;
  readonly host: LaneHost;
  readonly build: LaneFactory;
  readonly options: LaneOptions;
  /** The data that `setup` made on the run's first lane. Only set if the first lane is in another pool. */
  readonly shared?: unknown;
  /** If user code blocks the thread for this many milliseconds, the command line ends the process. Default: never. */
  readonly hangMs?: number;
}

/** How much longer than a step the start of a lane may block the thread, since `setup` may run other programs and wait for them. */
const START_STEPS = 10;

/** A pool with one lane in the main thread. Data is passed to this lane without copying. */
export class InlineLanePool implements LanePool {
  readonly lanes = 1;
  readonly depth = 1;
  readonly capacity: LaneCapacity = fixedCapacity(1);
  readonly #options: InlineLanePoolOptions;
  readonly #control: LaneControl = new LaneControl();
  readonly #hangs: HangWatch = new HangWatch(this.#control, () => Drawing.last?.place ?? "");
  #lane: BuiltLane | undefined;
  #runtime: LaneWork | undefined;
  #racing: RaceLane | undefined;
  #visited: VisitedSet | undefined;
  #knowledge: Knowledge = NOTHING_KNOWN;
  /** The data that the first run of `setup` made. A rebuilt lane uses this data, so that its ids stay the same. */
  #made: unknown;
  readonly #problems = new LaterProblems();
  readonly #stray = (error: unknown): void => {
    this.#lane?.base.stepper.strays.push(error);
  };
  #stopTaking: (() => void) | undefined;

  constructor(options: InlineLanePoolOptions) {
    this.#options = options;
    this.#made = options.shared;
  }

  async start(): Promise<readonly LaneReport[]> {
    process.on("unhandledRejection", this.#stray);
    this.#stopTaking = takeUncaught((error) => {
      this.#lane?.base.stepper.uncaught.push(error);
      // While the lane is being rebuilt, no step is in progress to which the error could belong.
      return this.#runtime !== undefined;
    });
    return [await this.#bringUp({ ...(await this.#options.host.provision(0)), isFirst: true })];
  }

  calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    return this.#watched(1, () => this.#runtime!.calibrate(walk));
  }

  async learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]> {
    const isFresh = fresh === "fresh" || !leaveSameCounters(knowledge, this.#knowledge);
    this.#knowledge = knowledge;
    const report = isFresh ? undefined : await this.#relearn(knowledge).catch(() => undefined);
    if (report !== undefined) return [report];
    this.#made = this.#options.shared;
    return [await this.rebuild(0)];
  }

  /** Brings the lane to the root state with more knowledge about generated values. Returns `undefined` if the lane must be rebuilt instead. */
  async #relearn(knowledge: Knowledge): Promise<LaneReport | undefined> {
    const lane = this.#lane;
    if (lane === undefined || lane.spares.length > 0) return undefined;
    await this.#runtime?.rest();
    await this.#endRacing();
    const base = await this.#watched(START_STEPS, () => relearn(lane.base, knowledge));
    this.#lane = { ...lane, base };
    this.#runtime = workOf(base, [], this.#control);
    this.#lookUp();
    return base.report;
  }

  share(visited: VisitedSet): void {
    this.#visited = visited;
    this.#lookUp();
  }

  expand(_lane: number, chunk: Chunk): Promise<Expansion> {
    return this.#watched(1, () => this.#runtime!.expand(chunk));
  }

  async rebuild(_lane: number, standby?: StandbyUse): Promise<LaneReport> {
    await this.#runtime?.rest();
    await this.#endRacing();
    await this.#lane?.close(this.#problems.add);
    this.#lane = undefined;
    this.#control.reset();
    const spec = await this.#options.host.reprovision(0, standby);
    const report = await this.#bringUp(spec);
    this.#lookUp();
    return { ...report, standby: spec.standby };
  }

  /** @param beforeStep Called before each step. The step begins when the promise that `beforeStep` returned resolves. */
  record(_lane: number, path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording> {
    return this.#watched(path.length + 1, () => this.#runtime!.record(path, draws, beforeStep));
  }

  probe(_lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return this.#watched(path.length + 1, () => this.#runtime!.probe(path, draws));
  }

  /** Calls a function that executes actions on the lane, one at a time. The lane must have no other work. */
  walk<T>(work: (walk: Walk) => Promise<T>): Promise<T> {
    this.#control.reset();
    return this.#watched(1, () => this.#runtime!.lend((ground) => work(new Walk(ground))));
  }

  race(_lane: number, request: RaceRequest): Promise<RaceAnswer> {
    this.#control.reset();
    const racing = (this.#racing ??= new RaceLane(this.#runtime!));
    return this.#watched(request.path.length + request.sides.length, () => racing.race(request));
  }

  fault(_lane: number, request: FaultRequest): Promise<FaultAnswer> {
    this.#control.reset();
    return this.#watched(request.path.length + 1, () => tryFaults(this.#runtime!, request));
  }

  cut(_lane: number): void {
    this.#runtime?.cut();
  }

  cancel(): void {
    this.#control.cancel();
  }

  async close(): Promise<void> {
    process.off("unhandledRejection", this.#stray);
    this.#stopTaking?.();
    this.#hangs.close();
    const lane = this.#lane;
    this.#lane = undefined;
    await this.#problems.closing(async () => {
      await this.#runtime?.rest();
      await this.#endRacing();
      await lane?.close();
    });
  }

  async #endRacing(): Promise<void> {
    await this.#racing?.close();
    this.#racing = undefined;
  }

  async #bringUp(spec: LaneSpec): Promise<LaneReport> {
    const { definition, build, options } = this.#options;
    this.#hangs.isExternal = spec.borrowed || spec.systems.some(({ isUsedWhereItIs }) => isUsedWhereItIs === true);
    this.#lane = await this.#watched(START_STEPS, () => build(definition, spec, { ...options, knowledge: this.#knowledge }, this.#made));
    this.#made ??= this.#lane.base.report.made;
    this.#runtime = workOf(this.#lane.base, this.#lane.spares, this.#control);
    return this.#lane.base.report;
  }

  /** Executes work of the lane that may block the thread as long as a number of steps. */
  #watched<T>(steps: number, work: () => Promise<T>): Promise<T> {
    const { hangMs } = this.#options;
    return hangMs === undefined ? work() : this.#hangs.during(hangMs * steps, work);
  }

  #lookUp(): void {
    const visited = this.#visited;
    if (visited !== undefined) this.#runtime!.visited = { has: (lo, hi) => visited.find(lo, hi) >= 0 };
  }
}
