import { isIP } from "node:net";
import type { Redis, RedisOptions } from "ioredis";
import { SeqqaError } from "../../../model/errors.ts";
import { refused, unreachable } from "./failures.ts";
import type { RedisPlace } from "./redis-url.ts";

/** A reply as bytes: strings are Buffers. */
export type RawReply = Buffer | number | null | readonly RawReply[];
export type Argument = string | number | Buffer;

const CONNECT_MS = 5000;
const LONGEST_PAUSE_MS = 500;
/** Milliseconds to wait for a server that is being restarted. */
const AWAY_MS = 20_000;

let driver: Promise<typeof Redis> | undefined;

/** @throws SeqqaError `DRIVER_MISSING` when ioredis is not installed. */
export function loadDriver(): Promise<typeof Redis> {
  driver ??= import("ioredis").then(
    ({ Redis }) => Redis,
    (cause: unknown) => {
      driver = undefined;
      throw new SeqqaError("DRIVER_MISSING", "A Redis store needs the package ioredis, which is not installed.", {
        hint: "Run: npm install --save-dev ioredis",
        exitStatus: 2,
        cause,
      });
    },
  );
  return driver;
}

export interface ConnectOptions {
  /** The name in CLIENT LIST. */
  readonly name?: string;
  /**
   * Default 2. With 3 a connection that listens can send commands too, and everything that happened before the reply has arrived by then. It must not
   * write: messages about its own writes break into its replies (Redis 7.0).
   */
  readonly protocol?: 2 | 3;
  /** Milliseconds that the connection may be lost before it is given up, for good. Default: as long as a restart may take. */
  readonly awayMs?: number;
  /** `true`: commands that wait for a lost connection fail then, but the connection comes back when the server does, however late. */
  readonly lasting?: boolean;
}

/** One connection. Replies come as bytes; errors come as {@link SeqqaError}s without secrets. */
export class Connection {
  readonly place: RedisPlace;
  readonly client: Redis;
  readonly #awayMs: number;
  readonly #lasting: boolean;
  readonly #waiting: Set<(error: Error) => void> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #gone: Error | undefined;

  private constructor(place: RedisPlace, client: Redis, { awayMs = AWAY_MS, lasting = false }: ConnectOptions) {
    this.place = place;
    this.client = client;
    this.#awayMs = awayMs;
    this.#lasting = lasting;
    client.on("close", () => this.#lost());
    client.on("ready", () => this.#back());
  }

  /**
   * Connects and logs in. A connection that is lost later is opened again, and what was sent is sent again, until the server was away for too long.
   *
   * @throws SeqqaError `STORE_UNREACHABLE`, `STORE_NOT_ALLOWED`, `STORE_MISSING`, `DRIVER_MISSING`
   */
  static async open(place: RedisPlace, options: ConnectOptions = {}): Promise<Connection> {
    const Driver = await loadDriver();
    let stood = false;
    let last: unknown;
    const settings = {
      host: place.host,
      port: place.port,
      db: place.db,
      lazyConnect: true,
      protocol: options.protocol ?? (2 as const),
      disableClientInfo: true,
      connectTimeout: CONNECT_MS,
      maxRetriesPerRequest: null,
      retryStrategy: (times: number) => (stood ? Math.min(times * 25, LONGEST_PAUSE_MS) : null),
      ...(place.username === undefined ? {} : { username: place.username }),
      ...(place.password === undefined ? {} : { password: place.password }),
      // A server that still reads its data says so; ioredis' own way of waiting for it prints to the console where INFO is not allowed.
      enableReadyCheck: false,
      reconnectOnError: (error: Error) => (error.message.startsWith("LOADING") ? 2 : false),
      ...(place.tls ? { tls: isIP(place.host) === 0 ? { servername: place.host } : {} } : {}),
      ...(options.name === undefined ? {} : { connectionName: options.name }),
    } satisfies RedisOptions;
    const client = new Driver(settings);
    // Pending commands get the error; an error without a listener would be printed.
    client.on("error", (error: unknown) => (last = error));
    try {
      await client.connect();
      await client.ping();
      await client.select(place.db);
      stood = true;
    } catch (error) {
      client.disconnect();
      throw unreachable(place, last ?? error);
    }
    return new Connection(place, client, options);
  }

  /**
   * Returns a reply, or rejects when the connection is given up. The driver alone leaves two kinds of commands pending: those in progress when a
   * connection was lost and the next one was lost before it was ready, and those that wait when it is told to disconnect in between.
   */
  ask<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      command(this.client)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  async bytes(command: string, ...parameters: readonly Argument[]): Promise<RawReply> {
    try {
      return (await this.ask((client) => client.callBuffer(command, [...parameters]))) as RawReply;
    } catch (error) {
      throw refused(this.place, error);
    }
  }

  async text(command: string, ...parameters: readonly Argument[]): Promise<unknown> {
    try {
      return await this.ask((client) => client.call(command, [...parameters]));
    } catch (error) {
      throw refused(this.place, error);
    }
  }

  /** Closes at once; commands without an answer fail. */
  close(): void {
    this.#end("Connection is closed.");
  }

  #lost(): void {
    if (this.#gone !== undefined) return;
    this.#timer ??= setTimeout(() => this.#giveUp(`the server did not come back within ${this.#awayMs / 1000} s`), this.#awayMs);
  }

  /**
   * Ends the wait for a lost connection. A server that still reads its data is not back: it refuses everything, and the driver connects once more.
   */
  #back(): void {
    const back = (): void => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#lasting) this.#gone = undefined;
    };
    this.client.ping().then(back, () => undefined);
  }

  #giveUp(why: string): void {
    if (!this.#lasting) return this.#end(why);
    this.#gone = new Error(why);
    this.#failAll(this.#gone);
  }

  #end(why: string): void {
    clearTimeout(this.#timer);
    this.#gone ??= new Error(why);
    this.client.disconnect();
    this.#failAll(this.#gone);
  }

  #failAll(error: Error): void {
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}
