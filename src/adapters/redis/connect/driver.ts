import type { Redis, RedisOptions } from "ioredis";
import { SeqqaError } from "../../../model/errors.ts";
import { tlsOptions } from "../../../network/secure-context.ts";
import { refused, unreachable } from "./failures.ts";
import type { RedisPlace } from "./redis-url.ts";

/** A reply of the server in which strings are Buffers. */
export type RawReply = Buffer | number | null | readonly RawReply[];
export type Argument = string | number | Buffer;

const CONNECT_MS = 5000;
const LONGEST_PAUSE_MS = 500;
/** The default of `awayMs`: the longest wait for a server that restarts, in milliseconds. */
const AWAY_MS = 20_000;

let driver: Promise<typeof Redis> | undefined;

/** Loads ioredis. @throws SeqqaError `DRIVER_MISSING` if ioredis is not installed */
export function loadDriver(): Promise<typeof Redis> {
  driver ??= import("ioredis").then(
    ({ Redis }) => Redis,
    (cause: unknown) => {
      driver = undefined;
      throw new SeqqaError("DRIVER_MISSING", "seqqa needs the package ioredis for a Redis store, but the package is not installed.", {
        hint: "Run in your project: npm install --save-dev ioredis",
        exitStatus: 2,
        cause,
      });
    },
  );
  return driver;
}

export interface ConnectOptions {
  readonly name?: string;
  /**
   * The RESP version. Default: 2. A subscribed connection can send commands only with version 3. With version 3, a reply arrives after the
   * notifications of all earlier events. A connection with version 3 must not write, because Redis 7.0 mixes notifications about its own writes into
   * the replies.
   */
  readonly protocol?: 2 | 3;
  /** Milliseconds that the connection may be lost before all commands fail permanently. Default: 20 s, the time that a restart may take. */
  readonly awayMs?: number;
  /**
   * `true` if a lost connection is reopened even after `awayMs`. Then only those commands fail that are waiting when `awayMs` ends. Default: `false`.
   */
  readonly lasting?: boolean;
}

/** A connection to Redis. Replies are bytes. Errors are {@link SeqqaError}s without secrets. */
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
   * Connects and logs in. If the connection is lost, reopens it and sends pending commands again. Gives up after `awayMs`.
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
      // Turn ioredis's ready check off, because it prints to the console if the user is not allowed to call INFO. The check is not needed: a server
      // that is still loading its data answers every command with LOADING.
      enableReadyCheck: false,
      reconnectOnError: (error: Error) => (error.message.startsWith("LOADING") ? 2 : false),
      ...(place.tls ? { tls: tlsOptions(place.host) } : {}),
      ...(options.name === undefined ? {} : { connectionName: options.name }),
    } satisfies RedisOptions;
    const client = new Driver(settings);
    // Without a listener, ioredis would print the error. Pending commands reject with the same error.
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
   * Sends a command. Rejects when attempts to reopen a lost connection end. With ioredis alone, two kinds of commands would stay pending forever:
   * commands in progress when the connection is lost twice in a row, and commands that wait when `disconnect` is called between two attempts.
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

  close(): void {
    this.#end("Connection is closed.");
  }

  #lost(): void {
    if (this.#gone !== undefined) return;
    this.#timer ??= setTimeout(() => this.#giveUp(`the server did not come back within ${this.#awayMs / 1000} s`), this.#awayMs);
  }

  /**
   * Sends a ping over a reopened connection, to find out if the connection works again. While the server loads its data, the ping fails, and the
   * driver reconnects.
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
