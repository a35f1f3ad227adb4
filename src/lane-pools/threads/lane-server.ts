import { pathToFileURL } from "node:url";
import { expose } from "comlink";
import type {
  Calibration,
  CalibrationWalk,
  LaneFailure,
  LaneReport,
  PathEnd,
  Recording,
  UnitRequest,
} from "../../messages/lane-messages.ts";
import type { FaultAnswer, FaultRequest } from "../../messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import { VisitedReader } from "../../engine/graph/visited-set.ts";
import { LaneControl, relearn, workOf, type LaneWork } from "../../lane/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import { explorationOf } from "../../model/declare/exploration.ts";
import { whileLoading } from "../../model/declare/loading.ts";
import { tryFaults } from "../../faults/index.ts";
import { RaceLane } from "../../races/index.ts";
import type { Knowledge } from "../../state/index.ts";
import { buildLane } from "../build-lane.ts";
import type { BuiltLane, ProcessHost } from "../lane-factory.ts";
import { LaterProblems } from "../with-problem.ts";
import { decodeChunk, encodeExpansion } from "./chunk-codec.ts";
import { encodeError } from "./error-codec.ts";
import { decodeSnapshot, encodeSnapshot } from "./snapshot-codec.ts";
import { lostExpansion } from "./lost-expansion.ts";
import { processesBehind } from "./process-channel.ts";
import type { Answer, AttachAnswer, AttachTask, ControlChannel, ExpandAnswer, ExpandTask } from "./protocol.ts";

/** Interval in milliseconds at which a lane checks if it must end its requests in progress, because the main thread has set the flag for this. */
const CUT_EVERY = 100;

/** Runs one lane in a worker thread. Tasks from the main thread are executed one after another. */
export class LaneServer implements ControlChannel {
  #lane: BuiltLane | undefined;
  #runtime: LaneWork | undefined;
  #racing: RaceLane | undefined;
  #processes: ProcessHost | undefined;
  #visited: VisitedReader = new VisitedReader();
  #control: LaneControl | undefined;
  #expanded = 0;
  #wasAttached = false;
  #failure: LaneFailure | undefined;
  #looking: NodeJS.Timeout | undefined;
  readonly #problems = new LaterProblems();
  /** Settles when the last task ends. Piscina may pass two tasks at the same time, so each task waits for the task before it. */
  #tail: Promise<unknown> = Promise.resolve();

  attach(task: AttachTask): Promise<AttachAnswer> {
    if (task.port !== undefined) expose(this.#channel(), task.port);
    if (task.processes !== undefined) this.#processes = processesBehind(task.processes);
    return this.#next(async () => {
      await this.#closeLane();
      this.#failure = undefined;
      const definition = await definitionOf(task);
      const control = new LaneControl(task.control);
      this.#control = control;
      const http = { ...task.http, alive: (): void => control.touch() };
      this.#lane = await buildLane(
        { definition, options: task.options, http, processes: this.#processes },
        task.spec,
        task.shared === undefined ? undefined : decodeSnapshot(task.shared),
      );
      this.#runtime = workOf(this.#lane.base, this.#lane.spares, control);
      // Poll a flag in shared memory, because a message would not arrive while user code hangs.
      this.#looking = setInterval(() => {
        if (control.isCut) this.#runtime?.cut();
      }, CUT_EVERY).unref();
      this.#visited = new VisitedReader();
      this.#wasAttached = true;
      return encodeReport(this.#lane.base.report);
    });
  }

  relearn(knowledge: Knowledge): Promise<Answer<LaneReport | undefined>> {
    return this.#next(async () => {
      const lane = this.#lane;
      if (lane === undefined || lane.spares.length > 0 || this.#failure !== undefined) return undefined;
      await this.#runtime?.rest();
      await this.#endRacing();
      const base = await relearn(lane.base, knowledge);
      this.#lane = { ...lane, base };
      this.#runtime = workOf(base, [], this.#control!);
      this.#visited = new VisitedReader();
      return encodeReport(base.report);
    });
  }

  expand(task: ExpandTask): Promise<ExpandAnswer> {
    return this.#next(async () => {
      const runtime = this.#running();
      // A lost lane executes nothing until it is rebuilt. Chunks that were already sent to a lost lane get empty answers.
      if (this.#failure !== undefined) return encodeExpansion(lostExpansion({ ...this.#failure, unit: -1, action: 0 }));
      if (task.visited !== undefined) this.#visited.grow(task.visited);
      runtime.visited ??= this.#visited;
      const expansion = await runtime.expand(decodeChunk(task.chunk));
      this.#expanded += expansion.finished;
      this.#failure = expansion.failure;
      return encodeExpansion(expansion);
    });
  }

  record(path: readonly number[], draws?: UnitRequest["draws"]): Promise<Answer<Recording>> {
    return this.#next(() => this.#running().record(path, draws));
  }

  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<Answer<PathEnd>> {
    return this.#next(() => this.#running().probe(path, draws));
  }

  race(request: RaceRequest): Promise<Answer<RaceAnswer>> {
    return this.#next(() => {
      this.#racing ??= new RaceLane(this.#running());
      return this.#racing.race(request);
    });
  }

  fault(request: FaultRequest): Promise<Answer<FaultAnswer>> {
    return this.#next(() => tryFaults(this.#running(), request));
  }

  calibrate(walk?: CalibrationWalk): Promise<Answer<Calibration>> {
    return this.#next(() => this.#running().calibrate(walk));
  }

  statistics(): { readonly expanded: number; readonly heapUsed: number } {
    return { expanded: this.#expanded, heapUsed: process.memoryUsage().heapUsed };
  }

  close(): Promise<Answer<void>> {
    return this.#next(() => this.#problems.closing(() => this.#closeLane()));
  }

  /** Assigns a promise rejection that no code handled to the current step, so that the rejection does not end the thread. */
  stray(error: unknown): void {
    this.#lane?.base.stepper.strays.push(error);
  }

  /** Assigns an error in a timer or listener of user code to a step. Returns `false` if there is no lane. */
  uncaught(error: unknown): boolean {
    this.#lane?.base.stepper.uncaught.push(error);
    return this.#wasAttached;
  }

  #channel(): ControlChannel {
    return {
      record: (path, draws) => this.record(path, draws),
      probe: (path, draws) => this.probe(path, draws),
      race: (request) => this.race(request),
      fault: (request) => this.fault(request),
      calibrate: (walk) => this.calibrate(walk),
      relearn: (knowledge) => this.relearn(knowledge),
      statistics: () => this.statistics(),
      close: () => this.close(),
    };
  }

  #running(): LaneWork {
    if (this.#runtime === undefined)
      throw new SeqqaError("LANE_NOT_ATTACHED", "The lane has no world. This is a defect of seqqa: please report it.");
    return this.#runtime;
  }

  async #closeLane(): Promise<void> {
    const [lane, runtime] = [this.#lane, this.#runtime];
    this.#lane = undefined;
    this.#runtime = undefined;
    clearInterval(this.#looking);
    await runtime?.rest();
    await this.#endRacing();
    if (lane === undefined) return;
    const control = this.#control!;
    control.isRestoring = lane.isExternal;
    try {
      await lane.close(this.#problems.add);
    } finally {
      control.isRestoring = false;
    }
  }

  async #endRacing(): Promise<void> {
    await this.#racing?.close();
    this.#racing = undefined;
  }

  #next<T>(work: () => Promise<T>): Promise<Answer<T>> {
    const answer = this.#tail.then(work).then(
      (value): Answer<T> => ({ kind: "done", value }),
      (error: unknown): Answer<T> => ({ kind: "failed", error: encodeError(error) }),
    );
    this.#tail = answer;
    return answer;
  }
}

function encodeReport(report: LaneReport): LaneReport {
  const encoded = (snapshot: unknown): string | undefined => (snapshot === undefined ? undefined : encodeSnapshot(snapshot));
  return { ...report, snapshot: encoded(report.snapshot), made: encoded(report.made) };
}

async function definitionOf(task: AttachTask): Promise<AgentDefinition<never, never>> {
  const module = await whileLoading(async () => (await import(pathToFileURL(task.bundle).href)) as Record<string, unknown>);
  const definition = explorationOf(module[task.exportName]);
  if (definition !== undefined) return definition;
  throw new SeqqaError(
    "NO_AGENT",
    `When a worker thread of seqqa imported the exploration file, the file did not export an Agent or StateGraph with the name "${task.exportName}".`,
    {
      exitStatus: 2,
      hint: `The export must exist in every thread. Export "${task.exportName}" at the top level of the file, without a condition.`,
    },
  );
}
