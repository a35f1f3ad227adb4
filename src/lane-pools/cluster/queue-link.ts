import { isIP } from "node:net";
import type { Queue, Worker, WorkerOptions } from "bullmq";
import type { ChainableCommander, Redis, RedisOptions } from "ioredis";
import { redisPlace, shownPlace } from "../../adapters/redis/connect/redis-url.ts";
import { SeqqaError } from "../../model/errors.ts";
import { secureContext } from "../../network/secure-context.ts";
import { isUntrusted, UNTRUSTED } from "../../network/untrusted.ts";
import { inTime } from "./in-time.ts";
import { loadQueue, type QueueDrivers } from "./load-queue.ts";

/** Keys of queues begin with this, and those of runs. */
const PREFIX = "seqqa";
/** Runs by when they were begun. */
export const RUNS = "seqqa-runs";
/** How long a run is taken to be there without having said so. Seconds. */
export const SAID_FOR = 60;
/** How long what a dead process left stays. Seconds. */
export const KEPT = 3600;
/** A server that is away for less is not worth a word. Milliseconds. */
const AWAY_MS = 1500;
const CONNECT_MS = 5000;
const LONGEST_PAUSE_MS = 1000;
/** How long what is left to do at the end may take, all in all: with a server that is away it would never be done. Milliseconds. */
const PARTING_MS = 3000;
/** What a queue has beside its jobs, but for what expires by itself and means something as long as it is there. */
const PARTS = "wait active paused id delayed prioritized completed failed stalled meta events pc marker repeat".split(" ");

export interface LinkOptions {
  /** `redis:` or `rediss:`; may hold a password. */
  readonly url: string;
  /** Certificates in PEM that are trusted beside Node's. */
  readonly ca: readonly string[];
  /** What the connection is called in CLIENT LIST. */
  readonly name: string;
  /** Told when the server goes away, and when it is back. */
  readonly onNote: (message: string) => void;
}

/** The connection of a run, or of a worker, to the Redis that queues are in. Once it stood, it waits for a server that is away, for as long as it takes. */
export class QueueLink {
  /** Where it leads, without user and password. */
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

  /** @throws SeqqaError `QUEUE_UNREACHABLE` (3), `DRIVER_MISSING` and `REDIS_URL_INVALID` (2) */
  static async open({ url, ca, name, onNote }: LinkOptions): Promise<QueueLink> {
    const place = redisPlace(url);
    const drivers = await loadQueue();
    let stood = false;
    let last: unknown;
    const context = secureContext(ca);
    const settings = {
      host: place.host,
      port: place.port,
      db: place.db,
      lazyConnect: true,
      disableClientInfo: true,
      connectionName: name,
      connectTimeout: CONNECT_MS,
      keepAlive: 10_000,
      // What was asked while the server is away is asked again when it is back.
      maxRetriesPerRequest: null,
      enableReadyCheck: false,
      retryStrategy: (times: number) => (stood ? Math.min(times * 50, LONGEST_PAUSE_MS) : null),
      reconnectOnError: (error: Error) => (/^(?:LOADING|READONLY|MASTERDOWN)/.test(error.message) ? 2 : false),
      ...(place.username === undefined ? {} : { username: place.username }),
      ...(place.password === undefined ? {} : { password: place.password }),
      ...(place.tls
        ? { tls: { ...(isIP(place.host) === 0 && { servername: place.host }), ...(context !== undefined && { secureContext: context }) } }
        : {}),
    } satisfies RedisOptions;
    const redis = new drivers.Redis(settings);
    // Who waits for a reply gets the error; one that nobody listens to would be printed.
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

  /** A further connection, for what waits. Its user disconnects it. */
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
    // What fails is asked again: see the coordinator's audit.
    queue.on("error", () => undefined);
    return queue;
  }

  /** Takes jobs of a queue, so many at once. */
  worker(name: string, concurrency: number, process: (id: string, data: unknown) => Promise<void>, more: Partial<WorkerOptions>): Worker {
    const { UnrecoverableError, Worker } = this.#drivers.bullmq;
    const worker = new Worker(
      name,
      async (job) => {
        try {
          await process(job.id ?? "", job.data);
        } catch (error) {
          // Once more would do no better.
          throw new UnrecoverableError(error instanceof Error ? error.message : "failed");
        }
      },
      { connection: this.redis, prefix: PREFIX, skipVersionCheck: true, concurrency, removeOnComplete: { count: 0 }, ...more },
    );
    worker.on("error", () => undefined);
    return worker;
  }

  /** Lets what is left of a queue expire. */
  async expire(name: string, jobs: Iterable<string>, seconds: number): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const part of ["", ...PARTS.map((one) => `:${one}`), ...[...jobs].map((one) => `:${one}`)])
      pipeline.expire(`${PREFIX}:${name}${part}`, seconds);
    await this.exec(pipeline);
  }

  /** Sends commands together. @throws SeqqaError `QUEUE_REFUSED` (3) when the server refuses one: it is full, cannot save, or does not allow it */
  async exec(pipeline: ChainableCommander): Promise<void> {
    for (const [error] of (await pipeline.exec()) ?? []) {
      if (error === null) continue;
      throw new SeqqaError("QUEUE_REFUSED", `Redis at ${this.shown} refused a command: ${error.message.slice(0, 200)}.`, {
        hint: "Give it memory (maxmemory), let it save or switch saving off, and allow the user all commands on seqqa*.",
        exitStatus: 3,
        cause: error,
      });
    }
  }

  /**
   * Waits for something at the end, but not for long, and not at all where the server was away for long or was waited for in vain already; that it fails is
   * no matter either.
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
      this.#onNote(`Redis at ${this.shown} is away; waiting for it.`);
    }, AWAY_MS);
  }

  #back(): void {
    clearTimeout(this.#away);
    this.#away = undefined;
    if (this.#told) this.#onNote(`Redis at ${this.shown} is back.`);
    this.#told = false;
  }
}

/** The keys of a run. */
export const keysOf = (run: string): { readonly run: string; readonly inbox: string; readonly to: (worker: string) => string } => ({
  run: `seqqa-run:${run}`,
  inbox: `seqqa-run:${run}:inbox`,
  to: (worker) => `seqqa-run:${run}:to:${worker}`,
});

/** The list of committed states of an exploration. */
export const knownKey = (exploration: string): string => `seqqa-known:${exploration}`;

function unreachable(shown: string, cause: unknown): SeqqaError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  const [what, check] = isUntrusted(code)
    ? UNTRUSTED
    : /^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH|ERR invalid password)/.test(message)
      ? ["Access refused", "Put user and password into the URL, before the host: user:password@."]
      : [code === "ECONNREFUSED" ? "Connection refused" : (code || message).slice(0, 200), "Check that Redis runs there, and the URL."];
  return new SeqqaError("QUEUE_UNREACHABLE", `The Redis of the distributed run cannot be reached: ${what} (${shown}).`, {
    hint: check,
    exitStatus: 3,
    cause,
  });
}
