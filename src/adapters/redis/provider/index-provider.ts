import { SeqqaError } from "../../../model/errors.ts";
import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { Connection } from "../connect/driver.ts";
import { Keyspace } from "../keys/keyspace.ts";
import { empty, sweepServer } from "../dump/leftovers.ts";
import { redisPlace, shownPlace, urlOfPlace, type RedisPlace } from "../connect/redis-url.ts";
import { requireNoEviction } from "../connect/server-facts.ts";
import { Registry } from "./registry.ts";
import { Script } from "../dump/scripts.ts";
import { fill, readTemplate, type Template } from "./template.ts";

const COUNT = new Script(`local n = 0
while not (redis.pcall('SELECT', n))['err'] do n = n + 1 end
return n`);

/**
 * Gives each lane an empty database of the template's server, and uses another empty database for the Redis registry. The lanes share the server. A
 * target that calls FLUSHALL or SWAPDB affects other lanes and the template, so it needs `isolation: server`.
 */
export class IndexProvider implements StoreProvider {
  readonly #options: StoreProviderOptions;
  readonly #place: RedisPlace;
  readonly #lanes = new Map<number, number>();
  #template: Template | undefined;
  #registry: Registry | undefined;
  #databases = 0;
  /** The size of the server's data before the first copy was made, in bytes. A copy for a lane is not larger. */
  #copyBytes = 0;
  /**
   * Settles when the last attempt to claim and fill a database has ended. The next attempt waits for this promise, because lanes request databases
   * concurrently.
   */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: StoreProviderOptions) {
    this.#options = options;
    this.#place = redisPlace(options.url);
  }

  async prepare(): Promise<void> {
    this.#template = await readTemplate(this.#place);
    this.#copyBytes = await this.#requireRoom();
    const registry = await Registry.find(this.#place, "refuse");
    if (registry === undefined) throw this.#full();
    this.#registry = registry;
    registry.beat(() => this.#claimAgain());
    this.#databases = Number(await COUNT.run(registry.connection, []));
    await sweepServer(registry, this.#options.runId);
    await registry.notify();
  }

  provide(lane: number, _generation: number): Promise<string> {
    return this.#alone(() => this.#provide(lane));
  }

  async #provide(lane: number): Promise<string> {
    const [registry, template] = [this.#registry!, this.#template!];
    // Wait here if the server is restarting, because the connections below do not retry.
    await registry.connection.text("PING");
    const known = this.#lanes.get(lane);
    const db = known ?? (await this.#claim(registry));
    this.#lanes.set(lane, db);
    const place = { ...this.#place, db };
    if (known !== undefined) await this.#clear(place);
    await this.#requireRoom(this.#copyBytes);
    await fill(place, template, { isOwn: false });
    return urlOfPlace(place);
  }

  async session(): Promise<string> {
    const { connection } = this.#registry!;
    return `${String(await connection.text("CLIENT", "ID"))} ${String(await connection.text("INFO", "server")).match(/^run_id:\w+/m)?.[0]}`;
  }

  async release(lane: number): Promise<void> {
    const db = this.#lanes.get(lane);
    if (db === undefined) return;
    this.#lanes.delete(lane);
    await this.#clear({ ...this.#place, db });
    await this.#registry?.release(db);
  }

  async close(): Promise<void> {
    const registry = this.#registry;
    if (registry === undefined) return;
    try {
      await Promise.all([...this.#lanes.keys()].map((lane) => this.release(lane)));
    } catch (error) {
      // The next run recognizes and empties the databases that could not be released.
      registry.abandon();
      throw error;
    } finally {
      this.#registry = undefined;
    }
    await registry.leave();
  }

  /** Checks that the server has room for the copy of one more lane. @returns the size of the server's present data, in bytes */
  async #requireRoom(copyBytes?: number): Promise<number> {
    const connection = await Connection.open(this.#place);
    try {
      return await requireNoEviction(connection, "lanes", copyBytes);
    } finally {
      connection.close();
    }
  }

  async #claim(registry: Registry): Promise<number> {
    for (let db = 0; db < this.#databases; db++) {
      if (db === registry.db || db === this.#place.db) continue;
      if (await registry.claim(db, "index", this.#options.runId)) return db;
    }
    throw this.#full();
  }

  /** Empties a database and ends other connections to it. These connections belong to the lane, because nobody else uses a claimed database. */
  async #clear(place: RedisPlace): Promise<void> {
    const connection = await Connection.open(place);
    try {
      await killOthers(connection, place.db);
      await empty(new Keyspace(connection));
    } finally {
      connection.close();
    }
  }

  async #claimAgain(): Promise<void> {
    for (const db of this.#lanes.values()) await this.#registry?.claim(db, "index", this.#options.runId);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #full(): SeqqaError {
    return new SeqqaError("STORE_NO_DATABASE", `The Redis server of ${shownPlace(this.#place)} has no empty database for another lane.`, {
      hint: "Raise `databases` in redis.conf, use fewer lanes (--parallel), or set `isolation: server`. If runs were killed, remove their databases with `seqqa clean`. Each lane needs one database, and seqqa needs another database for itself.",
      exitStatus: 2,
    });
  }
}

/**
 * Ends other connections to a database. Does nothing if the user is not allowed to list or end connections. The target must then already have
 * stopped.
 */
async function killOthers(connection: Connection, db: number): Promise<void> {
  try {
    const own = Number(await connection.text("CLIENT", "ID"));
    for (const line of String(await connection.text("CLIENT", "LIST")).split("\n")) {
      const id = Number(/^id=(\d+) /.exec(line)?.[1] ?? own);
      if (id !== own && line.includes(` db=${db} `)) await connection.text("CLIENT", "KILL", "ID", id);
    }
  } catch (error) {
    if (!(error instanceof SeqqaError) || error.code !== "STORE_NOT_ALLOWED") throw error;
  }
}
