import type { Queue, Worker, WorkerOptions } from "bullmq";
import type { ChainableCommander, Redis, RedisOptions } from "ioredis";
import { redisPlace, shownPlace } from "../../adapters/redis/connect/redis-url.ts";
import { SeqqaError } from "../../model/errors.ts";
import { tlsOptions } from "../../network/secure-context.ts";
import { isUntrusted, UNTRUSTED } from "../../network/untrusted.ts";
import { loadQueue, type QueueDrivers } from "./load-queue.ts";

/** Prefix of all keys in Redis that belong to queues and runs. */
const PREFIX = "seqqa";
/** Key of the sorted set that lists all runs by the time when they started. */
export const RUNS = "seqqa-runs";
/** Expiry time of a run's announcement in Redis, in seconds. Each heartbeat of the run renews the announcement. */
export const SAID_FOR = 60;
/** Expiry time of keys in Redis, in seconds. Redis then deletes the keys that a killed process has left. */
export const KEPT = 3600;
/** How long Redis must be unreachable before the user gets a message about it, in milliseconds. */
const AWAY_MS = 1500;
const CONNECT_MS = 5000;
const LONGEST_PAUSE_MS = 1000;
/**
 * Time limit for the last commands before the connection is closed, in milliseconds. Without a limit, these commands would wait as long as Redis is
 * unreachable.
 */
const PARTING_MS = 3000;
/** Suffixes of the keys that BullMQ creates for a queue. Keys of jobs, and keys that expire by themselves, are not listed. */
const PARTS = "wait active paused id delayed prioritized completed failed stalled meta events pc marker repeat".split(" ");

export interface LinkOptions {
  /** URL of Redis with `redis:` or `rediss:`. May contain a password. */
  readonly url: string;
  /** PEM certificates that are trusted in addition to Node's. */
  readonly ca: readonly string[];
  /** Name of the connection that Redis shows in the output of CLIENT LIST. */
  readonly name: string;
  /** Called with a message for the user when Redis becomes unreachable, and when it is reachable again. */
  readonly onNote: (message: string) => void;
}

/**
 * The connection of a run or a worker to the Redis server. The first connection must succeed. Later, commands wait without a time limit while the
 * server is unreachable.
 */
export class QueueLink {
  /** Address of the Redis server, without user and password, for messages. */
  readonly shown: string;
  readonly redis: Redis;
  readonly #drivers: QueueDrivers;
  readonly #onNote: (message: string) => void;
  #away: NodeJS.Timeout | undefined;
  #told = false;
  #closed = false;
  #isGivenUp = false;

  private constructor(shown: string, redis: Redis, drivers: QueueDrivers, onNote: (message: string) => void) {
    this.shown = shown;
    this.redis = redis;
    this.#drivers = drivers;
    this.#onNote = onNote;
    redis.on("close", () => this.#lost());
    redis.on("ready", () => this.#back());
  }

  /** Connects to the Redis server. @throws SeqqaError `QUEUE_UNREACHABLE` (exit status 3), `DRIVER_MISSING` or `REDIS_URL_INVALID` (exit status 2) */
  static async open({ url, ca, name, onNote }: LinkOptions): Promise<QueueLink> {
    const place = redisPlace(url);
    const drivers = await loadQueue();
    let stood = false;
    let last: unknown;
    const settings = {
      host: place.host,
      port: place.port,
      db: place.db,
      lazyConnect: true,
      disableClientInfo: true,
      connectionName: name,
      connectTimeout: CONNECT_MS,
      keepAlive: 10_000,
      // With `null`, ioredis stores commands while the server is unreachable, and sends these commands when the server is reachable again.
      maxRetriesPerRequest: null,
      enableReadyCheck: false,
      retryStrategy: (times: number) => (stood ? Math.min(times * 50, LONGEST_PAUSE_MS) : null),
      reconnectOnError: (error: Error) => (/^(?:LOADING|READONLY|MASTERDOWN)/.test(error.message) ? 2 : false),
      ...(place.username === undefined ? {} : { username: place.username }),
      ...(place.password === undefined ? {} : { password: place.password }),
      ...(place.tls ? { tls: tlsOptions(place.host, ca) } : {}),
    } satisfies RedisOptions;
    const redis = new drivers.Redis(settings);
    // Without a listener, ioredis prints the error. An error of a command also rejects the command's promise.
    redis.on("error", (error: unknown) => (last = error));
    try {
      await redis.connect();
      await redis.ping();
      stood = true;
    } catch (error) {
      redis.disconnect();
      throw unreachable(shownPlace(place), last ?? error);
    }
    return new QueueLink(shownPlace(place), redis, drivers, onNote);
  }

  /** Opens a second connection, for commands that block. The caller must disconnect it. */
  another(): Redis {
    const redis = this.redis.duplicate();
    redis.on("error", () => undefined);
    return redis;
  }

  queue(name: string): Queue {
    const queue = new this.#drivers.bullmq.Queue(name, {
      connection: this.redis,
      prefix: PREFIX,
      skipVersionCheck: true,
      streams: { events: { maxLen: 100 } },
    });
    // Ignore errors of the queue here, because the coordinator's audit repeats failed commands.
    queue.on("error", () => undefined);
    return queue;
  }

  /** Starts to execute the jobs of a queue with `process`. Executes at most `concurrency` jobs at the same time. */
  worker(name: string, concurrency: number, process: (id: string, data: unknown) => Promise<void>, more: Partial<WorkerOptions>): Worker {
    const { UnrecoverableError, Worker } = this.#drivers.bullmq;
    const worker = new Worker(
      name,
      async (job) => {
        try {
          await process(job.id ?? "", job.data);
        } catch (error) {
          // `UnrecoverableError` prevents BullMQ from repeating the job, which would fail again.
          throw new UnrecoverableError(error instanceof Error ? error.message : "failed");
        }
      },
      { connection: this.redis, prefix: PREFIX, skipVersionCheck: true, concurrency, removeOnComplete: { count: 0 }, ...more },
    );
    worker.on("error", () => undefined);
    return worker;
  }

  /** Sets an expiry time on the keys of a queue and of its jobs. */
  async expire(name: string, jobs: Iterable<string>, seconds: number): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const part of ["", ...PARTS.map((one) => `:${one}`), ...[...jobs].map((one) => `:${one}`)])
      pipeline.expire(`${PREFIX}:${name}${part}`, seconds);
    await this.exec(pipeline);
  }

  /**
   * Sends several commands together. @throws SeqqaError `QUEUE_REFUSED` (exit status 3) if Redis refuses a command, because Redis is full, cannot
   * save, or does not allow the command
   */
  async exec(pipeline: ChainableCommander): Promise<void> {
    for (const [error] of (await pipeline.exec()) ?? []) {
      if (error === null) continue;
      throw new SeqqaError("QUEUE_REFUSED", `Redis at ${this.shown} refused a command: ${error.message.slice(0, 200)}.`, {
        hint: "If Redis is out of memory (OOM), raise maxmemory. If Redis cannot save its data to disk (MISCONF), free space on the disk. If the Redis user lacks a permission (NOPERM), allow all commands on the keys seqqa*.",
        exitStatus: 3,
        cause: error,
      });
    }
  }

  /**
   * Waits until `work` settles, but at most `ms` milliseconds. Used while the connection is being closed. Does not wait if Redis has been unreachable
   * for long, or if an earlier wait took too long. Ignores rejections.
   */
  async parting(work: Promise<unknown>, ms: number = PARTING_MS): Promise<void> {
    if (!(await inTime(work, this.#told || this.#isGivenUp ? 0 : ms))) this.#isGivenUp ||= this.redis.status !== "ready";
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#away);
    this.redis.disconnect();
  }

  #lost(): void {
    if (this.#closed) return;
    this.#away ??= setTimeout(() => {
      this.#told = true;
      this.#onNote(`Redis at ${this.shown} is not reachable. seqqa waits until Redis answers again.`);
    }, AWAY_MS);
  }

  #back(): void {
    clearTimeout(this.#away);
    this.#away = undefined;
    if (this.#told) this.#onNote(`Redis at ${this.shown} is reachable again.`);
    this.#told = false;
  }
}

export const keysOf = (run: string): { readonly run: string; readonly inbox: string; readonly to: (worker: string) => string } => ({
  run: `seqqa-run:${run}`,
  inbox: `seqqa-run:${run}:inbox`,
  to: (worker) => `seqqa-run:${run}:to:${worker}`,
});

/** Returns the key of the Redis list with the committed states of an exploration. */
export const knownKey = (exploration: string): string => `seqqa-known:${exploration}`;

function unreachable(shown: string, cause: unknown): SeqqaError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  const [what, check] = isUntrusted(code)
    ? UNTRUSTED
    : /^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH|ERR invalid password)/.test(message)
      ? ["Access refused", "Put the user and the password into the Redis URL: redis://user:password@host."]
      : [
          code === "ECONNREFUSED" ? "Connection refused" : (code || message).slice(0, 200),
          "Check the URL of --redis, and check that a Redis server runs there.",
        ];
  return new SeqqaError("QUEUE_UNREACHABLE", `seqqa cannot connect to the Redis server of the distributed run: ${what} (${shown}).`, {
    hint: check,
    exitStatus: 3,
    cause,
  });
}

/** Resolves to `true` when `work` settles, or to `false` after `ms` milliseconds. Ignores rejections. */
async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const done = work.then(
    () => true,
    () => true,
  );
  const isDone = await Promise.race([done, late]);
  clearTimeout(timer);
  return isDone;
}
