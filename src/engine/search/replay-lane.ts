import { SeqqaError } from "../../model/errors.ts";
import type { LanePool } from "../lane-pool.ts";
import type { PathEnd, Recording } from "../../messages/lane-messages.ts";
import type { DrawnPath } from "../findings/shrink.ts";
import type { TimeLimit } from "./time-limit.ts";
import { withinTime } from "./within-time.ts";

export interface ReplayLaneOptions {
  readonly lanePool: LanePool;
  readonly actions: readonly string[];
  readonly signal: AbortSignal | undefined;
  /** The time limit of the run. No replay is started after this time. */
  readonly limit: TimeLimit;
  /** `false` if the target keeps data that a restore does not reset, for example in memory. Each replay then needs a new target. */
  readonly canGoBack: boolean;
  readonly starts: StartTimes;
  /** Returns `true` if the target also wrote all these fields after answers. A change of only such fields does not confirm a finding. */
  readonly areLate?: ((fields: readonly string[]) => boolean) | undefined;
}

/** Measures how long targets take to start, on all lanes. */
export class StartTimes {
  readonly #limit: TimeLimit;
  #longestMs = 0;
  #isFirst = true;

  constructor(limit: TimeLimit) {
    this.#limit = limit;
  }

  /** `true` if the time that is left is enough for another start, even if this start takes as long as the slowest start so far. */
  get fits(): boolean {
    return !this.#limit.isOver && this.#limit.leftMs >= this.#longestMs;
  }

  /**
   * Records how long a start took. The time of the first start is added to the limit, since a slow start would otherwise leave no time for replays.
   */
  add(ms: number): void {
    this.#longestMs = Math.max(this.#longestMs, ms);
    const missing = this.#limit.allowanceMs - this.#limit.leftMs;
    if (this.#isFirst && missing > 0) this.#limit.extend(Math.min(ms, missing));
    this.#isFirst = false;
  }
}

/** A lane on which paths are replayed from a clean start. The lane's target was just started, can be restored to the root state, or is lost. */
export class ReplayLane {
  readonly options: ReplayLaneOptions;
  readonly #lane: number;
  /** `true` if a new target is needed. Initially `true`, since earlier work on the lane may have affected its target. */
  #isLost = true;
  #goesBack = false;
  #startFailed: string | undefined;

  constructor(lane: number, options: ReplayLaneOptions) {
    this.#lane = lane;
    this.options = options;
  }

  /** Message and hint of the last failed start of a target. `undefined` if no start failed. */
  get startFailed(): string | undefined {
    return this.#startFailed;
  }

  get isInterrupted(): boolean {
    return this.options.signal?.aborted === true;
  }

  /** `true` if the target cannot be used, so that a new target has to be started first. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * `true` if the next path can be replayed without starting a target: the lane is in the root state, on a target that was started after the search.
   */
  get isAtRoot(): boolean {
    return !this.#isLost && this.#goesBack;
  }

  /** Starts a new target for the lane. @throws if no target can be started */
  async start(): Promise<void> {
    const { lanePool, starts, canGoBack } = this.options;
    this.#isLost = true;
    const begunAt = performance.now();
    const { contextOnly, counters } = await lanePool.rebuild(this.#lane, "use").catch((error: unknown) => {
      this.#startFailed = reasonOf(error);
      throw error;
    });
    starts.add(performance.now() - begunAt);
    this.#isLost = false;
    this.#goesBack = canGoBack && !contextOnly && counters?.startAgain !== false;
  }

  record({ path, draws }: DrawnPath): Promise<{ readonly done: Recording; readonly wasCut: boolean }> {
    return this.#run(() => this.options.lanePool.record(this.#lane, path, draws));
  }

  probe({ path, draws }: DrawnPath): Promise<{ readonly done: PathEnd; readonly wasCut: boolean }> {
    return this.#run(() => this.options.lanePool.probe(this.#lane, path, draws));
  }

  async #run<T extends Pick<PathEnd, "failure">>(work: () => Promise<T>): Promise<{ readonly done: T; readonly wasCut: boolean }> {
    this.#isLost = true;
    const ran = await withinTime({ ...this.options, lane: this.#lane }, work);
    this.#isLost = ran.wasCut || ran.done.failure !== undefined;
    return ran;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof SeqqaError && error.hint !== undefined ? `${error.message} ${error.hint}` : error.message;
}
