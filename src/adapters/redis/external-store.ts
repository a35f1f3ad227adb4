import { setTimeout as pause } from "node:timers/promises";
import { here } from "../../stores/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { hasChanges, type Leftover } from "../../model/stores/leftover.ts";
import type { Cleaning } from "../../model/stores/store-provider.ts";
import { keptAtEnd, leaseOver, leftBehind } from "../../stores/external/external-store.ts";
import { writeKept } from "../../stores/external/kept-file.ts";
import { bytesOf, type Bytes, type Entry } from "./keys/entry.ts";
import type { Argument } from "./connect/driver.ts";
import { sameEntry } from "./keys/exact-text.ts";
import type { Keyspace } from "./keys/keyspace.ts";
import { lostRun, putBack, putBackLost, takeOver } from "./dump/leftovers.ts";
import { shownPlace, type RedisPlace } from "./connect/redis-url.ts";
import { BEATS_EVERY_MS, Registry } from "./provider/registry.ts";
import { RECORD } from "./provider/registry-scripts.ts";
import { SavedFile } from "./dump/saved-file.ts";
import { saveState, textOf } from "./dump/saved-state.ts";

/** The name of this run in the Redis registry. It is the same for lanes in all threads of this process. */
const run = `${process.pid}@${here().host}`;

/** The longest time, in milliseconds, that a heartbeat needs to claim a database again. */
const CLAIMED_WITHIN_MS = 1000;

type Keys = ReadonlyMap<Bytes, Entry | null>;

/**
 * An external database while a run uses it. No other run of seqqa can use the database at the same time. The original content of the database and the
 * last known state of every changed key are saved on the server. After a SIGKILL, a later process can therefore restore the keys.
 */
export class ExternalStore {
  readonly #registry: Registry;
  readonly #db: number;
  readonly #ignore: readonly string[];
  #root: ReadonlyMap<Bytes, Entry> = new Map();
  /** The copy of the original content on this machine. `undefined` before the content is saved. */
  #file: SavedFile | undefined;
  readonly #recorded = new Map<Bytes, Entry | null>();
  #queue: Promise<void> = Promise.resolve();

  private constructor(registry: Registry, db: number, ignore: readonly string[]) {
    this.#registry = registry;
    this.#db = db;
    this.#ignore = ignore;
  }

  /**
   * Claims the database and turns notifications on. First restores the changes of a lane of this run whose thread has ended. `ignore`: patterns of
   * keys that seqqa does not touch.
   *
   * @throws SeqqaError `STORE_IN_USE`; `STORE_LEFT` if a dead run left changes in it
   */
  static async take(place: RedisPlace, ignore: readonly string[] = []): Promise<ExternalStore> {
    const registry = (await Registry.find(place, "share"))!;
    let isRestoring = false;
    try {
      // Restores the changes of an earlier lane of this run, whose thread has ended. `take`: restores, or only finds out if this is necessary.
      const restore = async <T extends { readonly leftover?: Leftover }>(
        of: string | undefined,
        take: (how: Cleaning) => Promise<T | undefined>,
      ): Promise<boolean> => {
        const left = await take({ dryRun: true });
        if (hasChanges(left?.leftover) && of !== run) throw leftBehind(left.leftover);
        let file = "";
        isRestoring = true;
        const taken = left && (await take({ onKept: (kept) => void (file = writeKept(kept)) }));
        isRestoring = false;
        if (taken?.leftover !== undefined && taken.leftover.keep.length > 0)
          throw keptAtEnd(taken.leftover.store, taken.leftover.keep, file);
        return taken !== undefined;
      };
      const claim = (await registry.claims()).find(({ db }) => db === place.db);
      let had = false;
      if (claim === undefined) {
        const lost = await lostRun(place, registry);
        if (lost === "alive") throw inUse(place);
        if (lost !== undefined) await restore(lost.run, (how) => putBackLost(place, how));
        had = await registry.claim(place.db, "borrowed", run);
      } else if (claim.kind === "index") {
        // The user has configured a database as an external store that was the database of a lane of a dead run. Take over the claim, but do not
        // remove the keys.
        had = (await registry.isDead(claim)) && (await registry.claim(place.db, "borrowed", run, claim));
      } else had = await restore(claim.run, (how) => takeOver(registry, claim, run, how));
      if (!had) throw inUse(place);
      await registry.notify();
      return new ExternalStore(registry, place.db, ignore);
    } catch (error) {
      // If the restore failed, keep the records of the earlier lane, because `seqqa clean` needs them.
      if (isRestoring) registry.abandon();
      else await registry.leave().catch(() => undefined);
      throw error;
    }
  }

  /** Saves the whole content of the database on the server and in a file. Must be called before the first change. */
  async keep(state: ReadonlyMap<Bytes, Entry>): Promise<void> {
    // Copy the entries, because a restore changes their expiry times.
    this.#root = new Map([...state].map(([key, entry]) => [key, { ...entry }]));
    const file = await SavedFile.of(this.#registry.connection, this.#db);
    await saveState(this.#registry, this.#db, this.#root, this.#ignore);
    this.#writeFile(file);
    this.#registry.beat(() => this.#keepAgain());
  }

  /** Saves the original content again if the target has flushed the database that contains the Redis registry. */
  stillThere(): Promise<void> {
    return this.#registry.stillThere(() => this.#keepAgain());
  }

  /**
   * Returns those of these databases that no run of seqqa uses, and that do not contain the Redis registry. After FLUSHALL, a run that is alive claims
   * its databases again with its next heartbeat. Waits for these claims if other runs or stores are connected.
   */
  async withoutClaim(dbs: readonly number[]): Promise<number[]> {
    await this.stillThere();
    const until = Date.now() + ((await this.#registry.isAlone()) ? 0 : BEATS_EVERY_MS + CLAIMED_WITHIN_MS);
    for (;;) {
      const claimed = new Set((await this.#registry.claims()).map(({ db }) => db));
      const left = dbs.filter((db) => db !== this.#registry.db && !claimed.has(db));
      if (left.length === 0 || Date.now() >= until) return left;
      await pause(200);
    }
  }

  /** Returns `true` if a key has the entry that it had before the run. */
  isOriginal(key: Bytes, entry: Entry): boolean {
    return sameEntry(this.#root.get(key) ?? null, entry);
  }

  /** Saves the current entries of keys on the server. @throws SeqqaError `LEASE_OVER` */
  async record(keys: Keys): Promise<void> {
    for (const [key, entry] of keys) {
      if (sameEntry(entry, this.#root.get(key) ?? null)) this.#recorded.delete(key);
      else this.#recorded.set(key, entry === null ? null : { ...entry });
    }
    await this.#say("recorded", keys);
  }

  /** Saves on the server the entries that a restore is about to write. @throws SeqqaError `LEASE_OVER` */
  willWrite(keys: Keys): Promise<void> {
    return this.#say("next", keys);
  }

  /**
   * Restores the keys that still have the entries that this run recorded, and removes seqqa's own keys. If that fails, `seqqa clean` can do it later.
   *
   * @throws SeqqaError `LEASE_OVER`; `ROWS_KEPT` if other clients changed keys
   */
  async giveBack(keyspace: Keyspace): Promise<void> {
    let file = "";
    let left;
    try {
      await this.#queue;
      await this.#say("recorded", new Map());
      const known = { root: this.#root, recorded: this.#recorded };
      left = await putBack(this.#registry, keyspace, { onKept: (kept) => void (file = writeKept(kept)) }, known);
    } catch (error) {
      this.abandon();
      throw error;
    }
    await this.leave();
    if (left.keep.length > 0) throw keptAtEnd(left.store, left.keep, file);
  }

  /** Releases the database. Must be called only if nothing is left to restore. */
  async leave(): Promise<void> {
    // Remove the file first: without a claim, it would say that a run left changes.
    this.#file?.remove();
    await this.#registry.leave();
  }

  /** Stops without restoring. `seqqa clean` can restore the database later. */
  abandon(): void {
    this.#registry.abandon();
  }

  async #say(what: "next" | "recorded", keys: Keys): Promise<void> {
    const { connection, db, owner } = this.#registry;
    const said: Argument[] = [];
    for (const [key, entry] of keys) {
      const isRoot = what === "recorded" && !this.#recorded.has(key);
      said.push(bytesOf(key), isRoot ? "" : bytesOf(textOf(entry)));
    }
    const say = async (): Promise<boolean> => Number(await RECORD.run(connection, [db, this.#db, owner, what, Date.now(), ...said])) === 1;
    if (await say()) return;
    // The record is missing: the target flushed it, or another process took over the database. `stillThere` finds out which of the two happened.
    await this.stillThere();
    if (!(await say())) throw this.#over();
  }

  #over(): SeqqaError {
    return leaseOver(`the Redis database ${shownPlace({ ...this.#registry.connection.place, db: this.#db })}`);
  }

  #writeFile(file: SavedFile): void {
    const { db, former } = this.#registry;
    this.#file = file;
    file.write(this.#root, { run, ignore: this.#ignore, notify: former, isShared: db === this.#db });
  }

  #keepAgain(): Promise<void> {
    const again = this.#queue.then(async () => {
      // If this run has sent no heartbeat for a long time, another process may have used the database, so its content is unknown.
      if (this.#registry.isSilent) throw this.#over();
      // Read the counters of commands that empty databases before the data is saved, because the target may empty the database again meanwhile.
      const file = await SavedFile.of(this.#registry.connection, this.#db);
      if (!(await this.#registry.claim(this.#db, "borrowed", run))) throw inUse(this.#registry.connection.place);
      await saveState(this.#registry, this.#db, this.#root, this.#ignore);
      const { connection, db, owner } = this.#registry;
      const said = [...this.#recorded].flatMap(([key, entry]) => [bytesOf(key), bytesOf(textOf(entry))]);
      await RECORD.run(connection, [db, this.#db, owner, "recorded", Date.now(), ...said]);
      this.#writeFile(file);
    });
    this.#queue = again.catch(() => undefined);
    return again;
  }
}

function inUse(place: RedisPlace): SeqqaError {
  return new SeqqaError("STORE_IN_USE", `Another run of seqqa is using the Redis database ${shownPlace(place)}.`, {
    hint: "Wait until the other run has ended, or use another database for this run. If the other run crashed, try again after 30 seconds.",
    exitStatus: 2,
  });
}
