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
  /** Nothing is begun once it is over. */
  readonly limit: TimeLimit;
  /** `false`: the run saw that going back to the root does not bring everything back, so that each replay needs a target of its own. */
  readonly canGoBack: boolean;
  readonly starts: StartTimes;
}

/** The time that targets take to start, over all lanes. */
export class StartTimes {
  readonly #limit: TimeLimit;
  #longestMs = 0;
  #isFirst = true;

  constructor(limit: TimeLimit) {
    this.#limit = limit;
  }

  /** Another start would be over in time, as far as those before it show. */
  get fits(): boolean {
    return !this.#limit.isOver && this.#limit.leftMs >= this.#longestMs;
  }

  /** The first start is not counted, as at the beginning of a run: a target that starts slowly would use up the whole allowance. */
  add(ms: number): void {
    this.#longestMs = Math.max(this.#longestMs, ms);
    const missing = this.#limit.allowanceMs - this.#limit.leftMs;
    if (this.#isFirst && missing > 0) this.#limit.extend(Math.min(ms, missing));
    this.#isFirst = false;
  }
}

/** A lane on which paths are replayed. It knows whether its target was freshly started, can be put back to the root, or is lost. */
export class ReplayLane {
  readonly options: ReplayLaneOptions;
  readonly #lane: number;
  /** After what ran on the lane before, nothing is known about it. */
  #isLost = true;
  #goesBack = false;
  #startFailed: string | undefined;

  constructor(lane: number, options: ReplayLaneOptions) {
    this.#lane = lane;
    this.options = options;
  }

  /** Why the last start that failed did: an error's message and hint. */
  get startFailed(): string | undefined {
    return this.#startFailed;
  }

  get isInterrupted(): boolean {
    return this.options.signal?.aborted === true;
  }

  /** The target is needed no more: it has to be started before anything is executed. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** A path that is recorded now begins at the root, on a target that was started since the exploration ended. */
  get isAtRoot(): boolean {
    return !this.#isLost && this.#goesBack;
  }

  /** Starts a target of its own for the lane. @throws when it cannot be had */
  async start(): Promise<void> {
    const { lanePool, starts, canGoBack } = this.options;
    this.#isLost = true;
    const begunAt = performance.now();
    const { contextOnly } = await lanePool.rebuild(this.#lane, "use").catch((error: unknown) => {
      this.#startFailed = reasonOf(error);
      throw error;
    });
    starts.add(performance.now() - begunAt);
    this.#isLost = false;
    this.#goesBack = canGoBack && !contextOnly;
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
