import { randomBytes } from "node:crypto";
import type { LanePool } from "../../engine/lane-pool.ts";
import { SeqqaError } from "../../model/errors.ts";
import { ClusterLanePool, type ClusterOptions } from "./cluster-lane-pool.ts";
import type { Announced, Announcement } from "./handshake.ts";
import { keysOf, KEPT, QueueLink, RUNS, SAID_FOR } from "./queue-link.ts";
import { MessageSigner } from "./message-signer.ts";

export interface CoordinatorOptions {
  /** URL of the Redis server. May contain a password. */
  readonly url: string;
  /** The value of the environment variable `SEQQA_SECRET`, which the run and its workers share. */
  readonly secret: string;
  /** PEM certificates that are trusted in addition to Node's. */
  readonly ca: readonly string[];
  readonly version: string;
  readonly onNote: (message: string) => void;
}

export interface Distributable extends Pick<ClusterOptions, "config" | "actions" | "lanes" | "origins"> {
  readonly exploration: Omit<Announced, "index">;
  readonly home: LanePool;
}

/** Interval of the run's heartbeat, in milliseconds. */
const BEAT_MS = 2000;
/**
 * Time after which a run without workers prints that it waits for workers, in milliseconds. Workers that already wait for a run join within this
 * time. The message is repeated every {@link REMIND_MS}.
 */
const ALONE_MS = 1000;
const REMIND_MS = 60_000;
/** Shortest time between two warnings about refused messages or failed commands, in milliseconds. */
const WARNINGS_MS = 30_000;

/** The run's side of a distributed run. Announces the exploration that workers can join, and receives their messages. */
export class Coordinator {
  readonly #options: CoordinatorOptions;
  readonly #link: QueueLink;
  readonly #seal: MessageSigner;
  /** The random id of the run. The run refuses messages of an earlier run, because they contain a different id. */
  readonly #run: string = randomBytes(16).toString("hex");
  readonly #beat: NodeJS.Timeout;
  readonly #inbox: Promise<void>;
  readonly #listening: ReturnType<QueueLink["another"]>;
  readonly #startedAt: number = Date.now();
  #index = -1;
  #current: ClusterLanePool | undefined;
  #announced: Announced | null = null;
  #remindedAt = -Infinity;
  #warnedAt = -Infinity;
  #beating = false;
  #isClosed = false;

  private constructor(options: CoordinatorOptions, link: QueueLink, away: () => boolean) {
    this.#options = options;
    this.#link = link;
    this.#seal = new MessageSigner(options.secret);
    this.#listening = link.another();
    this.#inbox = this.#listen();
    this.#beat = setInterval(() => void this.#tick(away()), BEAT_MS);
  }

  /**
   * Connects to Redis and announces the run. @throws SeqqaError `QUEUE_UNREACHABLE` or `QUEUE_REFUSED` (exit status 3), `DRIVER_MISSING` or
   * `REDIS_URL_INVALID` (exit status 2)
   */
  static async open(options: CoordinatorOptions): Promise<Coordinator> {
    let away = false;
    const link = await QueueLink.open({ url: options.url, ca: options.ca, name: "seqqa run", onNote: options.onNote });
    link.redis.on("close", () => (away = true));
    const coordinator = new Coordinator(options, link, () => {
      const was = away;
      away = link.redis.status !== "ready";
      return was;
    });
    try {
      await coordinator.#announce();
    } catch (error) {
      await coordinator.close();
      throw error;
    }
    return coordinator;
  }

  /** Creates the lane pool for one exploration. The lane pools of earlier explorations must be closed first. */
  lanePool({ exploration, home, ...rest }: Distributable): ClusterLanePool {
    const announced = { index: ++this.#index, ...exploration };
    const lanePool: ClusterLanePool = new ClusterLanePool({
      link: this.#link,
      seal: this.#seal,
      run: this.#run,
      version: this.#options.version,
      onNote: this.#options.onNote,
      announced,
      home,
      ...rest,
      onOpen: () => {
        this.#current = lanePool;
        this.#announced = announced;
        this.#remindedAt = -Infinity;
        setTimeout(() => this.#remind(), ALONE_MS).unref();
        void this.#announce().catch(() => undefined);
      },
      onClose: async () => {
        if (this.#current !== lanePool) return;
        this.#current = undefined;
        this.#announced = null;
        await this.#link.parting(this.#announce());
      },
    });
    return lanePool;
  }

  /** Returns a digest of a configuration value. Run and workers compare digests, so that the values themselves need not be sent. */
  digest(value: string): string {
    return this.#seal.digest(value);
  }

  /** Announces that the run has ended, and deletes its keys in Redis or lets them expire. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#beat);
    const { inbox } = keysOf(this.#run);
    this.#listening.disconnect();
    // Send the commands together, so that no command waits for the reply to another command.
    await this.#link.parting(
      Promise.all([this.#announce(), this.#inbox, this.#link.redis.multi().zrem(RUNS, this.#run).del(inbox).exec()]),
    );
    this.#link.close();
  }

  async #tick(wasAway: boolean): Promise<void> {
    // Skip this heartbeat if the previous heartbeat has not finished, so that heartbeats do not accumulate while Redis is unreachable.
    if (this.#beating) return;
    this.#beating = true;
    try {
      await this.#announce();
      await this.#current?.look(wasAway);
      this.#remind();
    } catch (error) {
      // Only warn about the failed heartbeat, since the next heartbeat tries again.
      if (error instanceof SeqqaError) this.#warn(error.message);
    } finally {
      this.#beating = false;
    }
  }

  async #announce(): Promise<void> {
    const said: Announcement = { state: this.#isClosed ? "over" : "open", exploration: this.#announced };
    const { run, inbox } = keysOf(this.#run);
    const sealed = this.#seal.close({ kind: "run", run: this.#run, id: "0" }, JSON.stringify(said));
    const batch = this.#link.redis.pipeline().set(run, sealed, "EX", SAID_FOR).expire(inbox, KEPT);
    if (!this.#isClosed) batch.zadd(RUNS, this.#startedAt, this.#run).expire(RUNS, 24 * KEPT);
    await this.#link.exec(batch);
  }

  #remind(): void {
    const current = this.#current;
    if (current === undefined || current.hasWorkers) return void (this.#remindedAt = -Infinity);
    if (performance.now() - this.#remindedAt < REMIND_MS) return;
    this.#remindedAt = performance.now();
    this.#options.onNote(
      `Waiting for workers. Start each worker in a checkout of the same code, with the same SEQQA_SECRET: seqqa worker --redis ${this.#link.shown}`,
    );
  }

  async #listen(): Promise<void> {
    const { inbox } = keysOf(this.#run);
    while (!this.#isClosed) {
      try {
        const popped = await this.#listening.blpop(inbox, 2);
        if (popped !== null) await this.#hear(popped[1]);
      } catch {
        if (!this.#isClosed) await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async #hear(sealed: string): Promise<void> {
    const opened = this.#seal.open(sealed);
    if (opened === undefined) return this.#stranger("its sender does not have the SEQQA_SECRET of this run");
    try {
      await this.#current?.receive(opened);
    } catch (error) {
      this.#stranger(error instanceof Error ? error.message : "the message is damaged");
    }
  }

  #stranger(why: string): void {
    this.#warn(`The run ignored a message that arrived over Redis: ${why}.`);
  }

  #warn(message: string): void {
    if (performance.now() - this.#warnedAt < WARNINGS_MS) return;
    this.#warnedAt = performance.now();
    this.#options.onNote(message);
  }
}
