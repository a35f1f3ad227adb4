import { MessageChannel, type MessagePort } from "node:worker_threads";
import { releaseProxy, wrap, type Remote } from "comlink";
import { Piscina } from "piscina";
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
import { LaneControl, type LaneOptions } from "../../lane/index.ts";
import { codeRoot } from "../../model/code-root.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { HttpSettings } from "../../adapters/http/defaults.ts";
import type { LaneHost } from "../lane-factory.ts";
import { decodeExpansion, encodeChunk } from "./chunk-codec.ts";
import { decodeError } from "./error-codec.ts";
import { lostExpansion } from "./lost-expansion.ts";
import { serveProcesses } from "./process-channel.ts";
import type { Answer, AttachAnswer, ControlChannel, ExpandAnswer, ExpandTask, Task } from "./protocol.ts";
import { leaveSameCounters, NOTHING_KNOWN, type Knowledge } from "../../state/index.ts";

export interface ThreadLanePoolOptions {
  readonly lanes: number;
  /** Largest number of chunks that a lane may hold at the same time. */
  readonly depth: number;
  readonly host: LaneHost;
  readonly bundle: string;
  readonly exportName: string;
  readonly options: LaneOptions;
  readonly http: HttpSettings;
  /**
   * `true` if the agent has a `setup` function or users to log in. The other lanes then get the data that `setup` and the logins make on the first
   * lane.
   */
  readonly setUp: boolean;
  /** The data that `setup` made on the run's first lane, as text. Only set if the first lane is in another pool. */
  readonly shared?: string | undefined;
  /** A lane without a heartbeat for this many milliseconds counts as hanging. */
  readonly hangMs: number;
  /** URL of the file that worker threads execute. Only set in tests that run without a build. */
  readonly workerUrl?: URL;
}

interface LaneHandle {
  readonly control: LaneControl;
  threadId: number | undefined;
  /** `true` if the lane uses stores of the user in place, so that closing the lane restores them. */
  isBorrowed: boolean;
  channel: Remote<ControlChannel> | undefined;
  closePort: (() => void) | undefined;
  /** The version of the set of committed states that was sent to the lane; see `VisitedSet.growth`. */
  visitedVersion: number;
}

/** Default time limit for a call to a lane's thread, in milliseconds. */
const CLOSE_DEADLINE = 5_000;
/**
 * Time limit for restoring and closing stores of the user, in milliseconds. The limit is long, because ending the thread earlier would leave the
 * stores half restored.
 */
const RESTORE_DEADLINE = 600_000;
/** How long a lane may be without a heartbeat after its requests were ended, in milliseconds. After this time, the lane's thread is ended. */
const CUT_DEADLINE = 10_000;
/** Time limit for starting a thread, in milliseconds. */
const ASSIGN_DEADLINE = 30_000;
/** Maximum number of executions of one call while a lane tests faults. Determines the time limit of such a test. */
const FAULT_EXECUTIONS = 500;

/** A pool with lanes in worker threads. Chunks are sent as tasks of Piscina; all other calls use one Comlink channel for each lane. */
export class ThreadLanePool implements LanePool {
  readonly lanes: number;
  readonly depth: number;
  readonly capacity: LaneCapacity;
  readonly #options: ThreadLanePoolOptions;
  readonly #lanes: readonly LaneHandle[];
  readonly #pool: Piscina;
  /** Ids of started threads that no lane uses yet. */
  readonly #fresh: number[] = [];
  #visited: VisitedSet | undefined;
  #knowledge: Knowledge = NOTHING_KNOWN;
  /** The data that `setup` made on the first lane, as text. */
  #made: string | undefined;
  #closed = false;

  constructor(options: ThreadLanePoolOptions) {
    this.#options = options;
    this.lanes = options.lanes;
    this.depth = options.depth;
    this.capacity = fixedCapacity(this.lanes);
    this.#lanes = Array.from({ length: options.lanes }, () => ({
      control: new LaneControl(),
      threadId: undefined,
      isBorrowed: false,
      channel: undefined,
      closePort: undefined,
      visitedVersion: -1,
    }));
    this.#pool = new Piscina({
      filename: (options.workerUrl ?? new URL("lane-pools/threads/worker.js", codeRoot)).href,
      minThreads: options.lanes,
      maxThreads: options.lanes,
      idleTimeout: Infinity,
      // By default, Piscina blocks the event loop of a thread between tasks. Sockets and timers of user code need the event loop.
      atomics: "disabled",
      concurrentTasksPerWorker: options.depth + 1,
      recordTiming: false,
      // Send a task only to the thread of its lane.
      loadBalancer: (task, workers) => {
        const { lane } = task[Piscina.queueOptionsSymbol as never] as { readonly lane: number };
        return workers.find(({ id }) => id === this.#lanes[lane]!.threadId) ?? null;
      },
    });
    this.#pool.on("workerCreate", (worker: { readonly id: number }) => this.#fresh.push(worker.id));
    this.#pool.on("error", () => undefined);
  }

  async start(): Promise<readonly LaneReport[]> {
    return this.#together(async (lane) => this.#attach(lane, { ...(await this.#options.host.provision(lane)), isFirst: true }));
  }

  async calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    // Execute the experiment on every lane, although one result is enough: the experiment also loads and compiles code that the first steps need.
    const found = await Promise.allSettled(
      this.#lanes.map(async (_, lane) => {
        const answer = await this.#call(lane, (channel) => channel.calibrate(walk) as Promise<Answer<Calibration>>, this.#options.hangMs);
        if (answer.kind === "failed") throw decodeError(answer.error);
        return answer.value;
      }),
    );
    // The experiment may have set flags in shared memory that end the requests of a lane. Reset these flags, so that they do not end later requests.
    for (const { control } of this.#lanes) control.reset();
    const results = found.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    // Use only the result of the first lane, so that the number of lanes has no influence. If the results of all lanes were used, more lanes would
    // find a rare value more often.
    return results[0]!;
  }

  async learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]> {
    const isFresh = fresh === "fresh" || !leaveSameCounters(knowledge, this.#knowledge);
    this.#knowledge = knowledge;
    const reports = isFresh ? [] : await Promise.all(this.#lanes.map((_, lane) => this.#relearn(lane)));
    const all = reports.filter((one) => one !== undefined);
    return all.length === this.lanes ? all : this.#together((lane) => this.rebuild(lane));
  }

  /** Brings the lane to the root state with more knowledge about generated values. Returns `undefined` if the lane must be rebuilt instead. */
  async #relearn(lane: number): Promise<LaneReport | undefined> {
    const handle = this.#lanes[lane]!;
    if (!this.#alive(handle)) return undefined;
    handle.control.reset();
    handle.visitedVersion = -1;
    const answer = await this.#call(
      lane,
      (channel) => channel.relearn(this.#knowledge) as Promise<Answer<LaneReport | undefined>>,
      this.#options.hangMs,
    ).catch(() => undefined);
    return answer?.kind === "done" ? answer.value : undefined;
  }

  share(visited: VisitedSet): void {
    this.#visited = visited;
    for (const handle of this.#lanes) handle.visitedVersion = -1;
  }

  async expand(lane: number, chunk: Chunk): Promise<Expansion> {
    const handle = this.#lanes[lane]!;
    // Do not send a task to a thread that has ended: the task would wait forever and block all later tasks.
    if (!this.#alive(handle)) return lostExpansion({ kind: "worker", unit: -1, action: 0, message: "the thread of the lane has ended" });
    const visited = this.#visited?.growth(handle.visitedVersion);
    handle.visitedVersion = visited?.version ?? handle.visitedVersion;
    const answer = await this.#watched(lane, { kind: "expand", chunk: encodeChunk(chunk), visited });
    if (answer.kind === "done") return decodeExpansion(answer.value);
    const unit = Math.min(handle.control.unit, chunk.units.length - 1);
    return lostExpansion({ kind: "worker", unit, action: handle.control.action, message: answer.error.message });
  }

  async rebuild(lane: number, standby?: StandbyUse): Promise<LaneReport> {
    const handle = this.#lanes[lane]!;
    if (this.#alive(handle)) await this.#call(lane, (channel) => channel.close() as Promise<Answer<void>>).catch(() => this.#kill(lane));
    handle.visitedVersion = -1;
    const spec = await this.#options.host.reprovision(lane, standby);
    // Start a new thread for the new target. In the old thread, packages in `node_modules` would keep the memory of the old target.
    if (spec.targetModule !== undefined && this.#alive(handle)) await this.#kill(lane);
    return { ...(await this.#attach(lane, spec)), standby: spec.standby };
  }

  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording> {
    return this.#along(lane, path, (channel) => channel.record([...path], draws) as Promise<Answer<Recording>>);
  }

  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return this.#along(lane, path, (channel) => channel.probe([...path], draws) as Promise<Answer<PathEnd>>);
  }

  race(lane: number, request: RaceRequest): Promise<RaceAnswer> {
    const steps = request.path.length + request.sides.length;
    const executions = 3 * request.effort.trials + 10;
    return this.#along(lane, request.path, (channel) => channel.race(request) as Promise<Answer<RaceAnswer>>, steps * executions);
  }

  fault(lane: number, request: FaultRequest): Promise<FaultAnswer> {
    const steps = (request.path.length + 1) * FAULT_EXECUTIONS;
    return this.#along(lane, request.path, (channel) => channel.fault(request) as Promise<Answer<FaultAnswer>>, steps);
  }

  cut(lane: number): void {
    this.#lanes[lane]!.control.cut();
  }

  cancel(): void {
    for (const { control } of this.#lanes) control.cancel();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const failures = await Promise.all(this.#lanes.map((handle, lane) => this.#closeLane(handle, lane)));
    await this.#pool.destroy();
    const failure = failures.find((one) => one !== undefined);
    if (failure !== undefined) throw failure;
  }

  async #closeLane(handle: LaneHandle, lane: number): Promise<Error | undefined> {
    try {
      if (!this.#alive(handle)) return handle.isBorrowed ? notRestored(lane) : undefined;
      const answer = await this.#call(lane, (channel) => channel.close() as Promise<Answer<void>>);
      return answer.kind === "failed" ? decodeError(answer.error) : undefined;
    } catch (error) {
      return error instanceof Error ? error : new SeqqaError("LANE_NOT_CLOSED", `seqqa could not close lane ${lane}: ${String(error)}`);
    } finally {
      handle.channel?.[releaseProxy]();
      handle.closePort?.();
    }
  }

  async #attach(lane: number, spec: LaneSpec): Promise<LaneReport> {
    const handle = this.#lanes[lane]!;
    handle.control.reset();
    const { bundle, exportName, options, http } = this.#options;
    const ports = this.#alive(handle) ? undefined : await this.#assignThread(handle);
    const answer = (await this.#post(
      lane,
      {
        kind: "attach",
        spec,
        bundle,
        exportName,
        options: { ...options, knowledge: this.#knowledge },
        http,
        control: handle.control.memory,
        shared: this.#made,
        port: ports?.control,
        processes: ports?.processes,
      },
      ports === undefined ? [] : [ports.control, ports.processes],
    )) as AttachAnswer;
    if (answer.kind === "failed") throw decodeError(answer.error);
    handle.isBorrowed = spec.borrowed || spec.systems.some(({ isUsedWhereItIs }) => isUsedWhereItIs === true);
    return answer.value;
  }

  /** Assigns an unused thread to a lane and creates channels to the thread. Returns the ports that the thread gets. */
  async #assignThread(handle: LaneHandle): Promise<{ readonly control: MessagePort; readonly processes: MessagePort }> {
    handle.closePort?.();
    const until = performance.now() + ASSIGN_DEADLINE;
    while (this.#fresh.length === 0) {
      if (performance.now() > until)
        throw new SeqqaError(
          "LANE_WITHOUT_THREAD",
          "seqqa could not start a thread for a lane. Use fewer lanes (--parallel), or free memory on this machine.",
        );
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    handle.threadId = this.#fresh.shift()!;
    const { port1, port2 } = new MessageChannel();
    handle.channel = wrap<ControlChannel>(port1);
    const processes = new MessageChannel();
    serveProcesses(this.#options.host, processes.port1);
    handle.closePort = () => {
      port1.close();
      processes.port1.close();
    };
    return { control: port2, processes: processes.port2 };
  }

  /**
   * Builds all lanes. If `setup` may make ids, builds the first lane before the other lanes, because the other lanes use the ids of the first lane.
   */
  async #together(build: (lane: number) => Promise<LaneReport>): Promise<readonly LaneReport[]> {
    const lanes = this.#lanes.map((_, lane) => lane);
    if (!this.#options.setUp) return Promise.all(lanes.map(build));
    this.#made = this.#options.shared;
    const first = await build(0);
    this.#made ??= first.made as string | undefined;
    return [first, ...(await Promise.all(lanes.slice(1).map(build)))];
  }

  #alive(handle: LaneHandle): boolean {
    return handle.threadId !== undefined && this.#pool.threads.some(({ threadId }) => threadId === handle.threadId);
  }

  /** Asks a lane to execute a path. The time limit depends on the number of steps. */
  async #along<T>(
    lane: number,
    path: readonly number[],
    call: (channel: Remote<ControlChannel>) => Promise<Answer<T>>,
    steps: number = path.length + 1,
  ): Promise<T> {
    this.#lanes[lane]!.control.reset();
    const answer = await this.#call(lane, call, this.#options.hangMs * steps);
    if (answer.kind === "failed") throw decodeError(answer.error);
    return answer.value;
  }

  /** Sends a chunk to a lane. Watches the lane's heartbeat until the answer comes, to detect a hanging lane. */
  async #watched(lane: number, task: ExpandTask): Promise<ExpandAnswer> {
    const { control } = this.#lanes[lane]!;
    const abort = new AbortController();
    let beats = control.beats;
    let since = performance.now();
    const timer = setInterval(() => {
      if (control.beats !== beats) {
        beats = control.beats;
        since = performance.now();
      } else if (performance.now() - since > (control.isCut ? Math.min(CUT_DEADLINE, this.#options.hangMs) : this.#options.hangMs))
        abort.abort();
    }, 1000);
    try {
      return (await this.#post(lane, task, [task.chunk.words.buffer], abort.signal)) as ExpandAnswer;
    } catch (error) {
      const message = abort.signal.aborted
        ? "the lane did not answer in time"
        : `the thread of the lane ended: ${error instanceof Error ? error.message : String(error)}`;
      return {
        kind: "failed",
        error: { name: "Error", code: "WORKER_LOST", message, hint: undefined, exitStatus: 3, stack: undefined, cause: undefined },
      };
    } finally {
      clearInterval(timer);
    }
  }

  #post(lane: number, task: Task, transferList: readonly (MessagePort | ArrayBuffer)[], signal?: AbortSignal): Promise<unknown> {
    return this.#pool.run(
      { ...task, [Piscina.queueOptionsSymbol]: { lane } },
      { transferList: [...transferList] as never, ...(signal === undefined ? {} : { signal }) },
    );
  }

  /**
   * Calls a lane's thread with a time limit in milliseconds, since a call never settles if the thread dies. Each heartbeat of the lane extends the
   * limit. Restoring the user's own stores extends the limit, too.
   */
  async #call<T>(
    lane: number,
    call: (channel: Remote<ControlChannel>) => Promise<T>,
    deadline = Math.min(CLOSE_DEADLINE, this.#options.hangMs),
  ): Promise<T> {
    const handle = this.#lanes[lane]!;
    const { channel, control } = handle;
    if (channel === undefined)
      throw new SeqqaError("LANE_NOT_ATTACHED", `Lane ${lane} has no control channel. This is a defect of seqqa: please report it.`);
    let timer: NodeJS.Timeout | undefined;
    const restoreUntil = performance.now() + RESTORE_DEADLINE;
    const late = new Promise<never>((_, reject) => {
      const wait = (beats: number): void => {
        timer = setTimeout(() => {
          const isRestoring = control.isRestoring && performance.now() < restoreUntil;
          if (this.#alive(handle) && (isRestoring || control.beats !== beats)) wait(control.beats);
          else
            reject(
              new SeqqaError("LANE_SILENT", `Lane ${lane} did not answer seqqa within ${deadline / 1000} s.`, {
                hint: "Look for an action or a rule that blocks its thread, for example with an endless loop.",
              }),
            );
        }, deadline);
      };
      wait(control.beats);
    });
    try {
      return await Promise.race([call(channel), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #kill(lane: number): Promise<void> {
    const handle = this.#lanes[lane]!;
    const worker = this.#pool.threads.find(({ threadId }) => threadId === handle.threadId);
    await worker?.terminate();
    handle.threadId = undefined;
  }
}

/** Returns the error of a lane whose thread ended before it had restored the stores of the user. */
function notRestored(lane: number): SeqqaError {
  return new SeqqaError("LANE_NOT_CLOSED", `The thread of lane ${lane} ended before it had restored the stores that it uses in place.`, {
    hint: "Run `seqqa clean`, which shows the changes that the run left in the stores, and undoes them.",
  });
}
