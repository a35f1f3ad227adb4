import type { Worker } from "bullmq";
import type { LanePool } from "../../engine/lane-pool.ts";
import type { Expansion, LaneReport } from "../../messages/lane-messages.ts";
import { sameRoot } from "../../engine/search/same-root.ts";
import { VisitedSet } from "../../engine/graph/visited-set.ts";
import { SeqqaError } from "../../model/errors.ts";
import { chunkIdOf, MOST_STALLS } from "./chunk-queue.ts";
import { chunkOf, expansionText } from "./chunk-text.ts";
import type { Facts, Ready } from "./handshake.ts";
import { KnownReader } from "./known-states.ts";
import { pause } from "./pause.ts";
import { keysOf, KEPT, type QueueLink } from "./queue-link.ts";
import { ALIVE_MS, repeat } from "./repeat.ts";
import type { MessageSigner } from "./message-signer.ts";

/** The lanes of a worker, after they were brought to the root state. */
export interface WorkerLanes {
  readonly lanePool: LanePool;
  readonly ready: Omit<Ready, "worker">;
  /** Converts the text of a snapshot to the form that the lane pool takes. `undefined`: the lane pool takes the text itself. */
  readonly snapshot: ((text: string) => unknown) | undefined;
  readonly actions: number;
  /** The origins (URLs) of all targets that the lanes have used so far. */
  readonly origins: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

export interface JobRunnerOptions {
  readonly link: QueueLink;
  readonly seal: MessageSigner;
  readonly run: string;
  /** The key of the exploration. Each message to the run contains this key. */
  readonly key: string;
  readonly worker: string;
  readonly lanes: WorkerLanes;
  readonly facts: Facts;
  readonly onNote: (message: string) => void;
}

/**
 * How long a worker holds a job without renewing the job's lock, in milliseconds. If a worker is lost, other workers get its jobs after about this
 * time.
 */
const LOCK_MS = 5000;
const STALLED_MS = 1500;
const KNOWN_MS = 300;
const LOOK_MS = 200;
/** How long a leaving worker waits for its jobs in progress to finish, in milliseconds. */
const FINISH_MS = 5000;
/** Time limit for each later step of leaving, in milliseconds. */
const LEAVE_MS = 1000;
const TRIES = 3;
const PAUSES_MS = [250, 4000] as const;

/** Executes the jobs of one exploration on a worker's lanes, one job per lane at a time, and sends the answers. */
export class JobRunner {
  jobs = 0;
  readonly #options: JobRunnerOptions;
  readonly #free: number[];
  readonly #told: Set<string> = new Set();
  #failure: Error | undefined;
  #isLeaving = false;
  #forged = 0;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#free = Array.from({ length: options.lanes.ready.lanes }, (_, lane) => lane);
    for (const origin of options.lanes.ready.origins) this.#told.add(origin);
  }

  /**
   * Executes jobs until the signal is aborted, or until `isOn` returns `false` because the exploration has ended. @throws the error of the last
   * attempt to rebuild a lane
   */
  async work(signal: AbortSignal, isOn: () => Promise<boolean>): Promise<void> {
    const { link, seal, key, lanes } = this.#options;
    const visited = new VisitedSet();
    lanes.lanePool.share(visited);
    const known = new KnownReader(link, seal, key, visited);
    const timers = [
      repeat(ALIVE_MS, () => this.#push("alive", this.#options.worker, JSON.stringify({ worker: this.#options.worker }))),
      repeat(KNOWN_MS, () => known.read()),
    ];
    const queue = link.worker(key, lanes.ready.lanes, (id, data) => this.#process(id, data), {
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: MOST_STALLS,
      drainDelay: 2,
      // Milliseconds after a connection error before jobs are fetched again. BullMQ's default is longer, since most BullMQ jobs take minutes.
      runRetryDelay: 300,
    });
    try {
      while (!signal.aborted && this.#failure === undefined && (await isOn())) await pause(LOOK_MS, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isLeaving = true;
      for (const timer of timers) clearInterval(timer);
      lanes.lanePool.cancel();
      await this.#end(queue);
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #process(job: string, data: unknown): Promise<void> {
    const { seal, key, lanes } = this.#options;
    const id = chunkIdOf(job);
    const sealed =
      typeof data === "object" && data !== null && Object.hasOwn(data, "sealed") ? (data as { sealed: unknown }).sealed : undefined;
    const body = id === undefined ? undefined : seal.expect(sealed, { kind: "chunk", run: key, id });
    if (body === undefined) {
      if (this.#forged++ === 0)
        this.#options.onNote("This worker refused a job from Redis, because the job is not signed with the SEQQA_SECRET of the run.");
      throw new SeqqaError("JOB_FORGED", "The worker refused the job, because it is not signed with the SEQQA_SECRET of the run.");
    }
    const chunk = chunkOf(body, lanes.actions, lanes.snapshot);
    const lane = this.#free.pop()!;
    try {
      const expansion = await lanes.lanePool.expand(lane, chunk);
      await this.#answer(id!, expansion);
      if (expansion.failure !== undefined && !this.#isLeaving) await this.#rebuild(lane, expansion.failure.message);
    } catch (error) {
      this.#failure ??= error as Error;
      throw error;
    } finally {
      this.#free.push(lane);
    }
  }

  async #answer(id: string, expansion: Expansion): Promise<void> {
    const { worker, lanes } = this.#options;
    const origins = [...lanes.origins].filter((origin) => !this.#told.has(origin));
    for (const origin of origins) this.#told.add(origin);
    await this.#push("result", id, `${JSON.stringify({ worker, origins })}\n${expansionText(expansion)}`);
    this.jobs++;
  }

  /**
   * Rebuilds a lane, with several attempts because a target may die while it starts. If all attempts fail, or if the root state differs, the worker
   * leaves.
   */
  async #rebuild(lane: number, why: string): Promise<void> {
    const { lanes, facts, onNote } = this.#options;
    onNote(`seqqa starts lane ${lane} again: ${why}`);
    for (let tries = 1; ; tries++) {
      try {
        const report = await lanes.lanePool.rebuild(lane, tries === 1 ? "build" : undefined);
        if (sameRoot(report, facts.root as LaneReport)) return;
        throw new SeqqaError("ROOTS_DIFFER", `seqqa started lane ${lane} again, but the root state of the lane is now different.`, {
          hint: 'Make the target and `setup` produce the same state each time. If a column changes by itself, add it to the option `ignore` of the World: `ignore: ["table.column"]`.',
        });
      } catch (error) {
        if (tries === TRIES || this.#isLeaving) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[tries - 1]));
      }
    }
  }

  async #push(kind: "alive" | "result", id: string, body: string): Promise<void> {
    const { link, seal, run, key } = this.#options;
    const { inbox } = keysOf(run);
    await link.exec(
      link.redis
        .pipeline()
        .rpush(inbox, seal.close({ kind, run: key, id }, body))
        .expire(inbox, KEPT),
    );
  }

  /** Waits until the jobs in progress have sent answers for the units that they finished. Does not wait if Redis is unreachable. */
  async #end(queue: Worker): Promise<void> {
    const { link, key } = this.#options;
    await link.parting(queue.close(), FINISH_MS);
    await link.parting(queue.close(true), LEAVE_MS);
    await link.parting(link.expire(key, [], KEPT), LEAVE_MS);
  }
}
