import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { SeqqaError } from "../../../model/errors.ts";
import { Connection, type RawReply } from "../connect/driver.ts";
import { mayNot, readNotifications, setNotifications, hasKeyspace, withKeyspace } from "../dump/notifications.ts";
import type { RedisPlace } from "../connect/redis-url.ts";
import { BEAT, CLAIM, LEAVE, LIST, LOCATE, registryKey, RELEASE } from "./registry-scripts.ts";

/**
 * Milliseconds without a heartbeat after which a run counts as dead. The limit is long because a run's heartbeat shares a thread with the user's
 * code.
 */
export const HEARTBEAT_MS = 30_000;
export const BEATS_EVERY_MS = 5000;
/** Milliseconds within which a run can reopen a lost connection. After that time, the run counts as dead. */
const GRACE_MS = 1500;

/**
 * The record of a database that a run uses. `index`: the database of a lane. `borrowed`: an external database, whose original content is saved so
 * that it can be restored.
 */
export interface Claim {
  readonly db: number;
  readonly owner: string;
  readonly kind: "index" | "borrowed";
  readonly run: string;
  /** `true` if the database's original content is completely saved. */
  readonly saved: boolean;
  readonly beats: boolean;
  /** The time of the last heartbeat by the server's clock, in milliseconds since 1970; 0 if unknown. */
  readonly beatMs: number;
}

/**
 * The Redis registry: records on a Redis server that show which run uses which database. Such a record is called a claim. The claims are in a
 * database that is otherwise empty, if there is one. A run is alive while it has a connection with the name of its claim's owner. If connections
 * cannot be listed, the run is alive while it sends heartbeats.
 */
export class Registry {
  readonly connection: Connection;
  readonly db: number;
  readonly owner: string;
  readonly #claimed = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  /** The time of the last successful heartbeat, in milliseconds since 1970. */
  #beatAt = Date.now();
  /** The value of `notify-keyspace-events` on the server before this registry changed it. */
  #former: string | undefined;

  private constructor(connection: Connection, db: number, owner: string) {
    this.connection = connection;
    this.db = db;
    this.owner = owner;
  }

  /**
   * Finds the registry of a server; `undefined` if there is none. With `make`, creates a missing registry in an empty database. If no database is
   * empty, `share` creates the registry in the database of the URL, and `refuse` creates none.
   */
  static async find(place: RedisPlace, make?: "share" | "refuse"): Promise<Registry | undefined> {
    const owner = randomBytes(6).toString("hex");
    const connection = await Connection.open(place, { name: nameOf(owner), lasting: true });
    try {
      const parameters = [place.db, make === undefined ? "0" : "1", make === "share" ? place.db : -1];
      const db = Number(await LOCATE.run(connection, parameters));
      if (db < 0) {
        connection.close();
        return undefined;
      }
      await connection.ask((client) => client.select(db));
      return new Registry(connection, db, owner);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async claims(): Promise<readonly Claim[]> {
    const rows = (await LIST.run(this.connection, [this.db])) as readonly RawReply[][];
    return rows.map((row) => {
      const [db, owner, kind, run, saved, beats, beat] = row.map(String);
      return {
        db: Number(db),
        owner: owner!,
        kind: kind === "index" ? "index" : "borrowed",
        run: run!,
        saved: saved === "1",
        beats: beats === "1",
        beatMs: Number(beat) * 1000,
      };
    });
  }

  /** Resolves to `true` if the owner of a claim is certainly dead. If the owner's connection was lost a moment ago, waits for it to be reopened. */
  async isDead(claim: Claim): Promise<boolean> {
    for (const until = Date.now() + GRACE_MS; ;) {
      const beats = (await this.claims()).some((one) => one.owner === claim.owner && one.beats);
      // An owner of an external database that sends no heartbeats counts as dead, even if it is connected, because its process may be suspended. If
      // the process continues later, it no longer changes the external database.
      if (!beats && claim.kind === "borrowed") return true;
      const named = await this.#isConnected(claim.owner);
      if (named === true) return false;
      if (!beats) return true;
      if (named === undefined) return false;
      if (Date.now() >= until) return true;
      await pause(200);
    }
  }

  /**
   * Claims a database for a run. The database must have no claim, or a claim of a dead owner, or a claim of this run that was lost. The database of a
   * lane must also be empty if it has no claim. Returns `true` if the database was claimed.
   */
  async claim(db: number, kind: Claim["kind"], run: string, from?: Claim): Promise<boolean> {
    const again = this.#claimed.has(db);
    const empty = kind === "index" && from === undefined && !again ? "1" : "0";
    const parameters = [this.db, db, this.owner, kind, run, HEARTBEAT_MS, empty, from?.owner ?? ""];
    const had = Number(await CLAIM.run(this.connection, parameters)) === 1;
    if (!had) return false;
    this.#beatAt = Date.now();
    // The claim of a dead lane is taken over only to empty and release the database. Send no heartbeats for this claim: its keys count as used only
    // if they were used after the last heartbeat.
    if (kind !== "index" || from === undefined) this.#claimed.add(db);
    if (again && this.#former !== undefined) await this.remember(this.#former);
    return true;
  }

  async release(db: number): Promise<void> {
    this.#claimed.delete(db);
    await RELEASE.run(this.connection, [this.db, db, this.owner]);
  }

  /** Starts sending heartbeats. `lost` is called if a claim is missing on the server, because somebody flushed all databases. */
  beat(lost: () => Promise<void>): void {
    this.#timer = setInterval(() => void this.stillThere(lost).catch(() => undefined), BEATS_EVERY_MS);
    this.#timer.unref();
  }

  async stillThere(lost: () => Promise<void>): Promise<void> {
    // If heartbeats have failed for a long time, do not send further ones, because other runs may have taken over the databases.
    if (this.isSilent) return;
    const at = Date.now();
    const gone = Number(await BEAT.run(this.connection, [this.db, this.owner, HEARTBEAT_MS, ...this.#claimed]));
    this.#beatAt = at;
    if (gone > 0) await lost();
  }

  /** `true` if heartbeats failed for so long that other runs consider this run dead. */
  get isSilent(): boolean {
    return Date.now() - this.#beatAt > HEARTBEAT_MS;
  }

  /**
   * Turns keyspace notifications on. Saves the previous setting of the server. The last run that uses the server restores this setting when it ends.
   */
  async notify(): Promise<void> {
    const flags = await readNotifications(this.connection);
    if (flags === undefined || hasKeyspace(flags)) return;
    this.#former = flags;
    await this.remember(flags);
    await setNotifications(this.connection, withKeyspace(flags));
  }

  /** The value of `notify-keyspace-events` before this registry changed it; `undefined` if it did not change it. */
  get former(): string | undefined {
    return this.#former;
  }

  /** Records the value of `notify-keyspace-events` that an earlier run found on the server, unless a value is recorded. */
  async remember(former: string): Promise<void> {
    await this.connection.text("HSETNX", registryKey, "notify", former);
  }

  /** Stops the heartbeats and releases all claims. The last run also restores the server's setting and removes the registry. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    try {
      for (const db of this.#claimed) await this.release(db);
      const isLast = (await this.claims()).length === 0;
      if (isLast) await this.#putNotificationsBack();
      await LEAVE.run(this.connection, [this.db, this.owner, isLast ? "1" : "0"]);
    } finally {
      this.connection.close();
    }
  }

  /** Stops the heartbeats but keeps the claims, so that the next run recognizes and removes the leftovers. */
  abandon(): void {
    clearInterval(this.#timer);
    this.connection.close();
  }

  async #putNotificationsBack(): Promise<void> {
    const former = (await this.connection.text("HGET", registryKey, "notify")) as string | null;
    if (former === null) return;
    // Do not restore the setting if somebody changed it after this run had changed it.
    if (sameFlags(await readNotifications(this.connection), withKeyspace(former))) await setNotifications(this.connection, former);
  }

  /** Resolves to `true` if no other run or store of seqqa is connected to the server; `false` also if the user may not list connections. */
  async isAlone(): Promise<boolean> {
    const list = await this.connection.text("CLIENT", "LIST").catch(() => undefined);
    return list !== undefined && String(list).split(` name=${nameOf("")}`).length <= 2;
  }

  /** Resolves to `true` if a client with the owner's name is connected; `undefined` if the user is not allowed to list connections. */
  async #isConnected(owner: string): Promise<boolean | undefined> {
    try {
      return String(await this.connection.text("CLIENT", "LIST")).includes(` name=${nameOf(owner)} `);
    } catch (error) {
      if (error instanceof SeqqaError && mayNot(error)) return undefined;
      throw error;
    }
  }
}

function nameOf(owner: string): string {
  return `seqqa-owner-${owner}`;
}

/**
 * Returns `true` if two values of `notify-keyspace-events` have the same flags. The order of the flags does not count, because the server changes it.
 */
function sameFlags(a: string | undefined, b: string): boolean {
  return a !== undefined && [...a].sort().join("") === [...b].sort().join("");
}
