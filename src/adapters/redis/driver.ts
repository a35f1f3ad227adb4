import { isIP } from "node:net";
import type { Redis, RedisOptions } from "ioredis";
import { SeqqaError } from "../../model/errors.ts";
import { refused, unreachable } from "./failures.ts";
import type { RedisPlace } from "./redis-url.ts";

/** A reply as bytes: strings are Buffers. */
export type RawReply = Buffer | number | null | readonly RawReply[];
export type Argument = string | number | Buffer;

const CONNECT_MS = 5000;
/** With pauses of up to half a second, a server that restarts is waited for about ten seconds. */
const RETRIES = 22;
const LONGEST_PAUSE_MS = 500;

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
  /** As CLIENT LIST shows it. */
  readonly name?: string;
  /**
   * Default 2. With 3 a connection that listens can ask something too, and all that happened before the reply has come by then; it must not write,
   * for messages about its own writes break into its replies (Redis 7.0).
   */
  readonly protocol?: 2 | 3;
}

/** One connection. Replies come as bytes; errors come as {@link SeqqaError}s without secrets. */
export class Connection {
  readonly place: RedisPlace;
  readonly client: Redis;

  private constructor(place: RedisPlace, client: Redis) {
    this.place = place;
    this.client = client;
  }

  /**
   * Connects and logs in. Once it stood, it is made anew when it is lost, and what was sent is sent again.
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
      maxRetriesPerRequest: RETRIES,
      retryStrategy: (times: number) => (stood ? Math.min(times * 25, LONGEST_PAUSE_MS) : null),
      ...(place.username === undefined ? {} : { username: place.username }),
      ...(place.password === undefined ? {} : { password: place.password }),
      // A server that reads its data says so; ioredis' own way of waiting for it prints to the console where INFO is not allowed.
      enableReadyCheck: false,
      reconnectOnError: (error: Error) => (error.message.startsWith("LOADING") ? 2 : false),
      ...(place.tls ? { tls: isIP(place.host) === 0 ? { servername: place.host } : {} } : {}),
      ...(options.name === undefined ? {} : { connectionName: options.name }),
    } satisfies RedisOptions;
    const client = new Driver(settings);
    // Who waits for a reply gets the error; one that nobody listens to would be printed.
    client.on("error", (error: unknown) => (last = error));
    try {
      await client.connect();
      stood = true;
      await client.ping();
      await client.select(place.db);
    } catch (error) {
      client.disconnect();
      throw unreachable(place, last ?? error);
    }
    return new Connection(place, client);
  }

  async bytes(command: string, ...parameters: readonly Argument[]): Promise<RawReply> {
    try {
      return (await this.client.callBuffer(command, [...parameters])) as RawReply;
    } catch (error) {
      throw refused(this.place, error);
    }
  }

  async text(command: string, ...parameters: readonly Argument[]): Promise<unknown> {
    try {
      return await this.client.call(command, [...parameters]);
    } catch (error) {
      throw refused(this.place, error);
    }
  }

  /** Closes at once; what was not answered fails. */
  close(): void {
    this.client.disconnect();
  }
}
