import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import type { NoGate, Observed, StoreTraits } from "../../../model/stores/store-adapter.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import { CloneServer } from "./clone-server.ts";
import { connect, TEXT_SETTINGS } from "../connect/connect.ts";
import { isLost, lostError, safeCause } from "../connect/failures.ts";
import { observeDifference, observeReading, readDigest, readDump, readEverything, type FullReading } from "../journal/full-reading.ts";
import { Looker } from "../read/looker.ts";
import type { PostgresMode, QueryRow } from "../connect/mode.ts";
import { withDatabase, type StoreUrl } from "../connect/store-url.ts";

export interface CloneOptions {
  readonly store: StoreUrl;
  readonly schemas: readonly string[] | undefined;
  readonly tables: readonly string[] | undefined;
  /** The checkpoint mode that this store had before the target restarted. The new mode keeps the root state of the previous mode. */
  readonly previous: CloneMode | undefined;
}

/** A checkpoint: a copy of the whole database. */
interface Clone {
  readonly name: string;
  readonly digest: string;
  readonly order: number;
  /** `true` if an older checkpoint was restored after this checkpoint was made. The copy of a stale checkpoint is no longer needed. */
  stale: boolean;
  gone: boolean;
}

/** The largest number of database copies that are kept. Even the copy of an empty database takes about 8 MB. */
const MOST = 16;

/**
 * Copies the whole database for each checkpoint, schema included, with `CREATE DATABASE ... TEMPLATE`. This mode needs no superuser and works with
 * any schema. The cost of a copy grows with the size of the database. Each copy ends all sessions of the database, so the target must reconnect.
 */
export class CloneMode implements PostgresMode {
  readonly traits: StoreTraits = { portable: false, commits: true };
  readonly gate: NoGate = {
    kind: "none",
    why: 'the checkpoint "clone" installs no triggers, which seqqa needs to delay a write; set `checkpoint: "journal"`',
  };
  readonly #options: CloneOptions;
  readonly #server: CloneServer;
  readonly #looker: Looker;
  readonly #clones = new Map<string, Clone>();
  #order = 0;
  #root: FullReading | undefined;

  private constructor(options: CloneOptions, server: CloneServer) {
    this.#options = options;
    this.#server = server;
    this.#looker = new Looker(options.store);
    this.#root = options.previous === undefined ? undefined : options.previous.#root;
  }

  static async open(options: CloneOptions): Promise<CloneMode> {
    const server = await CloneServer.open(options.store);
    const mode = new CloneMode(options, server);
    try {
      // Throw here if a selected table does not exist or if the role is not allowed to read a selected table.
      await mode.#reading();
      await server.readProperties();
      await server.drop(await server.copies());
      return mode;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  async root(): Promise<Observed> {
    await this.#server.waitForWriters();
    this.#root = await this.#reading();
    return observeReading(this.#root);
  }

  async mark(): Promise<Clone> {
    await this.#server.waitForWriters();
    const known = this.#clones.get(await this.#digest());
    if (known !== undefined) {
      known.stale = false;
      return known;
    }
    await this.#looker.close();
    const name = await this.#server.take();
    // Compute the digest from the copy, because another client may have written to the original since the copying.
    const digest = await reading(withDatabase(this.#options.store, name), readDigest);
    const clone: Clone = { name, digest, order: this.#order++, stale: false, gone: false };
    this.#clones.set(digest, clone);
    await this.#trim(clone);
    return clone;
  }

  async changed(mark: unknown): Promise<boolean> {
    return (await this.#digest()) !== (mark as Clone).digest;
  }

  async restore(mark: unknown): Promise<void> {
    const clone = mark as Clone;
    if (clone.gone) throw markInvalid();
    for (const one of this.#clones.values()) if (one.order > clone.order) one.stale = true;
    await this.#server.waitForWriters();
    if ((await this.#digest()) === clone.digest) return;
    await this.#looker.close();
    await this.#server.put(clone.name);
  }

  async observe(): Promise<Observed> {
    this.#root ??= await this.#reading();
    return observeDifference(this.#root, await this.#reading());
  }

  capture(): never {
    throw notPortable();
  }

  write(): never {
    throw notPortable();
  }

  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]> {
    return this.#looker.query(sql, values);
  }

  dump(): Promise<string> {
    return reading(this.#options.store, readDump);
  }

  /** Drops the copies. Does not restore the database, because the database is dropped together with its lane. */
  async close(): Promise<void> {
    try {
      await this.#looker.close();
      await this.#server.drop(await this.#server.copies());
    } finally {
      await this.#server.close();
    }
  }

  async #trim(fresh: Clone): Promise<void> {
    while (this.#clones.size > MOST) {
      const all = [...this.#clones.values()].filter((clone) => clone !== fresh).sort((a, b) => a.order - b.order);
      // Drop a stale copy. Without a stale copy, drop the second oldest copy, because the oldest copy is the root state, which is restored most
      // often.
      const victim = all.find(({ stale }) => stale) ?? all[1] ?? all[0]!;
      this.#clones.delete(victim.digest);
      victim.gone = true;
      await this.#server.drop([victim.name]);
    }
  }

  #digest(): Promise<string> {
    return reading(this.#options.store, readDigest);
  }

  #reading(): Promise<FullReading> {
    const { store, schemas, tables } = this.#options;
    return reading(store, (client) => readEverything(client, store, schemas, tables));
  }
}

/** Opens a connection, calls `read` and closes the connection. An open connection would prevent copying the database. */
async function reading<T>(store: StoreUrl, read: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(store, { rawText: true, settings: TEXT_SETTINGS });
  try {
    return await read(client);
  } catch (error) {
    if (error instanceof SeqqaError) throw error;
    if (isLost(error)) throw lostError(store, error);
    const cause = safeCause(store, error);
    throw new SeqqaError("STORE_NOT_ALLOWED", `seqqa cannot read the database ${store.shown}: ${cause.message}.`, {
      hint: 'Grant the role in the store\'s URL the right to read all tables and sequences (GRANT SELECT), which `checkpoint: "clone"` needs.',
      exitStatus: 2,
      cause,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

function notPortable(): SeqqaError {
  return new SeqqaError(
    "NOT_PORTABLE",
    'A checkpoint of the mode "clone" cannot be copied to another lane. This is a defect of seqqa: please report it.',
  );
}
