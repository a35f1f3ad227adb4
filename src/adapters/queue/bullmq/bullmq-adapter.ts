import type { Job, JobState, Queue, QueueOptions, Worker } from "bullmq";
import type { LastLook, Observed } from "../../../model/stores/store-adapter.ts";
import { tlsOptions } from "../../../network/secure-context.ts";
import { redisPlace, type RedisPlace } from "../../redis/connect/redis-url.ts";
import { RedisAdapter, type RedisAdapterOptions } from "../../redis/index.ts";
import { driverMissing, failed, hasWorker, unknownQueue } from "../failures.ts";
import type { QueueJob, QueueStore, Settlement, TakenJob } from "../job.ts";
import { withoutTimes } from "./job-rows.ts";

/** Options of {@link BullmqAdapter}. */
export interface BullmqAdapterOptions extends Omit<RedisAdapterOptions, "checkpoint"> {
  /** The Redis database of the queues: `bullmq://[[user]:password@]host[:port][/db]`, or `bullmqs:` for TLS. `redis:` and `rediss:` are synonyms. */
  readonly url: string;
  /** The prefix of the queues' keys. Default: BullMQ's own default, `bull`. */
  readonly prefix?: string | undefined;
}

/** Keys of a queue that are not part of the state: event history, wake-up markers, locks and the worker's bookkeeping. */
const BOOKKEEPING = ["events", "marker", "stalled", "stalled-check", "metrics:*", "*:lock"];

/** The states of unfinished jobs, in the order in which workers take the jobs. */
const STATES: readonly (readonly [JobState, QueueJob["state"]])[] = [
  ["waiting", "waiting"],
  ["prioritized", "waiting"],
  ["delayed", "delayed"],
  ["failed", "failed"],
];

/** The duration of a job's lock in milliseconds. Nothing renews the lock, so it is longer than any step. */
const LOCK_MS = 3_600_000;

/** The token of the locks that seqqa takes, and the name of seqqa's BullMQ `Worker` object, which takes a job only when an action requests one. */
const NAME = "seqqa";

interface Handles {
  readonly queue: Queue;
  readonly worker: Worker;
}

/**
 * A Redis database with BullMQ queues. seqqa saves and restores it like every Redis store. Actions take and finish jobs as a worker does. BullMQ's
 * own rules for attempts, backoff, priorities and removal apply.
 */
export class BullmqAdapter extends RedisAdapter implements QueueStore {
  override readonly name: string = "bullmq";
  readonly #place: RedisPlace;
  readonly #prefix: string;
  readonly #handles: Map<string, Promise<Handles>> = new Map();

  /** Creates an adapter that is not connected yet. @throws SeqqaError `REDIS_URL_INVALID` */
  constructor({ url, prefix = "bull", ...options }: BullmqAdapterOptions) {
    const redis = redisUrlOf(url);
    super(
      { ...options, url: redis },
      BOOKKEEPING.map((key) => `${escaped(prefix)}:*:${key}`),
    );
    this.#place = redisPlace(redis);
    this.#prefix = prefix;
  }

  override async root(): Promise<Observed> {
    await this.#refuseWorkers();
    return withoutTimes(await super.root(), this.#prefix);
  }

  override async observe(): Promise<Observed> {
    return withoutTimes(await super.observe(), this.#prefix);
  }

  override lastLook(): LastLook | undefined {
    const look = super.lastLook();
    return look && { ...look, observe: () => withoutTimes(look.observe(), this.#prefix) };
  }

  async jobs(queue: string): Promise<readonly QueueJob[]> {
    const { queue: handle } = await this.#handle(queue);
    const found = await this.#ask(() => Promise.all(STATES.map(([state]) => handle.getJobs([state], 0, -1, true))));
    // No sorting is needed: `getJobs` in ascending order begins with the job that a worker would take next.
    return found.flatMap((jobs, at) => jobs.filter(Boolean).map((job) => jobOf(queue, job, STATES[at]![1])));
  }

  async take(queue: string): Promise<TakenJob | undefined> {
    const { queue: handle, worker } = await this.#handle(queue);
    return this.#ask(async () => {
      await this.#requireQueue(handle);
      // Make all delayed jobs ready. Otherwise, the time that the lane took to reach this state would decide which job is the next one.
      for (const delayed of await handle.getJobs(["delayed"], 0, -1, true)) await delayed.promote();
      const job = (await worker.getNextJob(NAME, { block: false })) as Job | undefined;
      if (job === undefined) return undefined;
      const taken = job;
      return { job: jobOf(queue, taken, "waiting", taken.attemptsStarted > 1), settle: (how) => this.#ask(() => settle(taken, how)) };
    });
  }

  override async close(): Promise<void> {
    const handles = await Promise.allSettled(this.#handles.values());
    this.#handles.clear();
    for (const one of handles) {
      if (one.status === "fulfilled") await Promise.allSettled([one.value.worker.close(true), one.value.queue.close()]);
    }
    await super.close();
  }

  #handle(name: string): Promise<Handles> {
    let handles = this.#handles.get(name);
    if (handles === undefined) this.#handles.set(name, (handles = this.#connect(name)));
    return handles;
  }

  async #connect(name: string): Promise<Handles> {
    const { Queue, Worker } = await import("bullmq").catch((cause: unknown) => {
      throw driverMissing("bullmq", "BullMQ", cause);
    });
    const { host, port, db, tls, username, password } = this.#place;
    const connection = {
      host,
      port,
      db,
      maxRetriesPerRequest: null,
      // Do not reconnect: a lane that loses its server is rebuilt.
      retryStrategy: () => null,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(tls && { tls: tlsOptions(host) }),
    };
    const common: QueueOptions = { connection, prefix: this.#prefix, skipVersionCheck: true };
    // Do not let BullMQ write the metadata of the queue when it is opened, because this would change the state.
    const queue = new Queue(name, { ...common, skipMetasUpdate: true });
    // Only the target's worker knows how long a custom backoff takes. Any delay can be used here, because `take` makes all delayed jobs ready.
    const settings = { backoffStrategy: (): number => 1 };
    const worker = new Worker(name, null, {
      ...common,
      settings,
      name: NAME,
      autorun: false,
      skipStalledCheck: true,
      lockDuration: LOCK_MS,
    });
    // An `error` event without a listener would crash the process. The commands reject with the same error.
    queue.on("error", () => undefined);
    worker.on("error", () => undefined);
    await this.#ask(() => Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]));
    return { queue, worker };
  }

  /**
   * Checks that no worker of the target waits for jobs. Workers of BullMQ name their connections `<prefix>:<queue in Base64>`, followed by
   * `:w:<name>` if the worker has a name. A running worker waits for jobs with the command BZPOPMIN. A worker that takes a job only when code calls
   * `getNextJob` does not wait, and is therefore accepted.
   * @throws SeqqaError `QUEUE_HAS_WORKER`
   */
  async #refuseWorkers(): Promise<void> {
    const prefix = `${this.#prefix}:`;
    for (const { name, db, command } of await this.clients()) {
      if (command !== "bzpopmin" || db !== this.#place.db || !name.startsWith(prefix)) continue;
      const [queue = "", kind = "w", worker] = name.slice(prefix.length).split(":");
      if (kind === "w" && worker !== NAME) throw hasWorker(Buffer.from(queue, "base64").toString());
    }
  }

  /** Checks that a queue exists and that no worker of the target takes its jobs. @throws SeqqaError `QUEUE_UNKNOWN`, `QUEUE_HAS_WORKER` */
  async #requireQueue(queue: Queue): Promise<void> {
    const prefix = `${this.#prefix}:`;
    if ((await this.command("EXISTS", `${prefix}${queue.name}:meta`)) === 0) {
      const all = (await this.command("KEYS", `${escaped(prefix)}*:meta`)) as readonly string[];
      throw unknownQueue(
        queue.name,
        all.map((key) => key.slice(prefix.length, -":meta".length)),
      );
    }
    const workers = await queue.getWorkers();
    if (workers.some(({ rawname, db }) => Number(db) === this.#place.db && rawname?.endsWith(`:w:${NAME}`) !== true))
      throw hasWorker(queue.name);
  }

  async #ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      throw failed(this.uses, error, this.#place.password === undefined ? [] : [this.#place.password]);
    }
  }
}

async function settle(job: Job, how: Settlement): Promise<void> {
  switch (how) {
    case "done":
      await job.moveToCompleted(null, NAME, false);
      return;
    case "lost":
      await job.moveToWait(NAME);
      return;
    case "retry":
    case "reject": {
      const error = new Error("The worker could not do the job.");
      // Remove the stack trace: BullMQ stores it, and its file paths must not become part of the state.
      error.stack = error.message;
      if (how === "reject") error.name = "UnrecoverableError";
      await job.moveToFailed(error, NAME, false);
    }
  }
}

export function redisUrlOf(url: string): string {
  return url.replace(/^bullmq(s?):/i, "redis$1:");
}

function escaped(text: string): string {
  return text.replaceAll(/[*?[\]\\^]/g, "\\$&");
}

function jobOf(queue: string, job: Job, state: QueueJob["state"], redelivered: boolean = job.attemptsStarted > 0): QueueJob {
  return { queue, id: job.id, name: job.name, data: job.data as unknown, headers: {}, redelivered, state };
}
