import { randomBytes } from "node:crypto";
import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "../connect/driver.ts";
import { keyElsewhere } from "../keys/other-indexes.ts";
import { refused } from "../connect/failures.ts";
import type { Bytes } from "../keys/entry.ts";
import { ensureNotifications, mayNot } from "./notifications.ts";
import { isReserved, RESERVED } from "../keys/reserved.ts";

/**
 * Match counters in the reply to INFO. `WIPES`: commands that may change all keys without notifications. `QUIET`: commands that change only streams
 * and HyperLogLogs without notifications.
 */
const WIPES = /cmdstat_(?:flushall|flushdb|swapdb|config\|set|config\|resetstat|debug|replicaof|slaveof|failover):calls=\d+/g;
const QUIET = /cmdstat_(?:xack|xackdel|xclaim|xautoclaim|xreadgroup|xnack|xdelex|pfcount|pfdebug|pfselftest):calls=\d+/g;
/**
 * Matches counters of vector sets and of modules, whose commands may change and create keys without notifications. RedisJSON and RedisTimeSeries
 * announce all changes, and RediSearch changes only the keys of its suggestions.
 */
const MODULES = /cmdstat_(?:v(?:add|rem|setattr)|(?!json\.|ts\.|ft\.(?!sug))[^:\s]+\.[^:\s]+):calls=\d+/gi;
/**
 * Matches the server's count of changes in the reply to INFO. The count includes the changes of all clients, and restarts when the server saves its
 * data to disk.
 */
const CHANGES = /^rdb_changes_since_last_save:\d+/m;
const SAVED = /^rdb_last_save_time:\d+/m;
const SWAPS = /^cmdstat_swapdb:calls=(\d+)/m;
const FLUSHES = /^cmdstat_flushall:calls=(\d+)/m;
/** Matches the databases that contain keys. */
const HELD = /^db(\d+):/gm;
const CHANNEL = /^__keyspace@(\d+)__:(.*)$/s;
const OWN_LOOKS = /cmdstat_info:calls=(\d+)/;

/** The keys that may have changed without a notification: none, only those of some types (`quiet`), or all. */
export type Doubt = "none" | "quiet" | "all";

/**
 * Finds the keys that were written since the last call of {@link take}. Keyspace notifications arrive on a separate connection. To wait for them, the
 * tracker sends `INFO` on that connection: the reply arrives after the notifications of all earlier writes. The counters in the reply reveal commands
 * without notifications. The counters cover the whole server, so on a shared server more keys are read than necessary.
 */
export class Tracker {
  readonly #commands: Connection;
  readonly #events: Connection;
  readonly #prefix: string;
  readonly channel: string;
  readonly #token = randomBytes(6).toString("hex");
  #written = new Set<Bytes>();
  #own = false;
  #missed = true;
  #wipes = "";
  #quiet = "";
  #modules = "";
  #looks = -1;
  #changes = "";
  #swaps = 0;
  #isSwapped = false;
  #flushes = 0;
  /** The other databases that contained keys at the last look. */
  #others: readonly number[] = [];
  readonly #emptied = new Set<number>();
  #turns = 0;
  #turn: { readonly text: string; readonly done: () => void } | undefined;

  private constructor(commands: Connection, events: Connection) {
    this.#commands = commands;
    this.#events = events;
    this.#prefix = `__keyspace@${commands.place.db}__:`;
    this.channel = `${this.#prefix}${RESERVED}${this.#token}`;
  }

  /**
   * Turns notifications on and subscribes. If the user in the URL is not allowed to do so, returns the reason as text.
   *
   * @param isWhole `true` if the tracker listens to the keys of all databases of the server
   * @throws SeqqaError `STORE_*` for every other failure
   */
  static async start(commands: Connection, events: Connection, isWhole: boolean = false): Promise<Tracker | string> {
    let stats;
    try {
      if (!(await ensureNotifications(commands)))
        return "keyspace notifications are off, and the user in the store's URL may not turn them on";
      stats = String(await commands.text("INFO", "commandstats", "keyspace"));
      await commands.text("PUBLISH", `__keyspace@${commands.place.db}__:${RESERVED}`, "");
    } catch (error) {
      if (mayNot(error)) return "the user in the store's URL may not use INFO commandstats or PUBLISH";
      throw error;
    }
    const tracker = new Tracker(commands, events);
    tracker.#count(stats, false);
    tracker.#isSwapped = false;
    tracker.#emptied.clear();
    const { client } = events;
    client.on("pmessageBuffer", (_pattern: string, channel: Buffer, message: Buffer) => tracker.#hear(channel, message));
    client.on("close", () => tracker.#lost());
    try {
      await events.ask(() => client.psubscribe(isWhole ? "__keyspace@*__:*" : `${tracker.#prefix}*`));
    } catch (error) {
      const failure = refused(events.place, error);
      if (mayNot(failure)) return "the user in the store's URL may not subscribe to keyspace notifications";
      throw failure;
    }
    return tracker;
  }

  /** Waits until all notifications of writes before this call have arrived. Returns which keys may have changed without a notification. */
  async settle(): Promise<Doubt> {
    return this.#doubtBy(String(await this.#events.text("INFO", "commandstats", "persistence", "keyspace")));
  }

  /** `true` if a client has called SWAPDB since the start, so that keys of the database may belong to another database. */
  get isSwapped(): boolean {
    return this.#isSwapped;
  }

  /** The numbers of the other databases that contained keys when a client called FLUSHALL, since {@link forgetEmptied} was called for them. */
  get emptied(): readonly number[] {
    return [...this.#emptied].sort((a, b) => a - b);
  }

  forgetEmptied(databases: readonly number[]): void {
    for (const db of databases) this.#emptied.delete(db);
  }

  /** The server's count of changes in the last reply to `INFO`; empty if not known. {@link APPLY} compares it with the current count. */
  get changes(): string {
    return this.#changes;
  }

  /**
   * Does the same as {@link settle} without a request. `stats` is the reply to INFO with which the script of {@link own} ended. The script's last
   * message has arrived, so the notifications of all earlier writes have arrived, too.
   */
  settleBy(stats: string): Promise<Doubt> {
    // After a reconnect, only a reply on the connection for notifications proves that it is subscribed again.
    return this.#missed ? this.settle() : this.#doubtBy(stats);
  }

  async #doubtBy(stats: string): Promise<Doubt> {
    const wipes = stats.match(WIPES)?.join() ?? "";
    const quiet = stats.match(QUIET)?.join() ?? "";
    const modules = stats.match(MODULES)?.join() ?? "";
    const looks = Number(OWN_LOOKS.exec(stats)?.[1] ?? 0);
    // If the number of INFO calls has not increased, the server's counters were reset, and equal counters prove nothing.
    const wasReset = looks <= this.#looks;
    this.#count(stats, wasReset);
    const wiped = this.#missed || wipes !== this.#wipes || wasReset;
    const [unsaved, saved] = [CHANGES.exec(stats), SAVED.exec(stats)];
    const changes = unsaved === null || saved === null ? "" : unsaved[0] + saved[0];
    // A module's command may have created a key with an unknown name, unless the server's count of changes stayed the same.
    const isCreated = modules !== this.#modules && (changes === "" || changes !== this.#changes);
    const isQuiet = quiet !== this.#quiet || modules !== this.#modules;
    const doubt = wiped || isCreated ? "all" : isQuiet ? "quiet" : "none";
    this.#wipes = wipes;
    this.#quiet = quiet;
    this.#modules = modules;
    this.#changes = changes;
    this.#looks = looks;
    this.#missed = false;
    if (wiped && !(await ensureNotifications(this.#commands))) {
      throw new SeqqaError(
        "STORE_NOT_ALLOWED",
        "A client turned off Redis keyspace notifications during the exploration, and seqqa cannot turn these notifications on again.",
        {
          hint: "Make the target leave the setting notify-keyspace-events unchanged, or add the flags KA to the value that the target sets.",
        },
      );
    }
    return doubt;
  }

  #count(stats: string, wasReset: boolean): void {
    const calls = (command: RegExp): number => Number(command.exec(stats)?.[1] ?? 0);
    const [swaps, flushes] = [calls(SWAPS), calls(FLUSHES)];
    // A count that has decreased was reset, too.
    const isCalled = (now: number, before: number): boolean => now > 0 && (wasReset || now !== before);
    this.#isSwapped ||= isCalled(swaps, this.#swaps);
    if (isCalled(flushes, this.#flushes)) for (const db of this.#others) this.#emptied.add(db);
    this.#swaps = swaps;
    this.#flushes = flushes;
    this.#others = [...stats.matchAll(HELD)].map(([, db]) => Number(db)).filter((db) => db !== this.#commands.place.db);
  }

  /** Returns the keys that were written since the last call. */
  take(): Set<Bytes> {
    const written = this.#written;
    this.#written = new Set();
    return written;
  }

  /** Makes the next read include all keys. Must be called if an operation fails after {@link take}, because the taken keys were not read. */
  forget(): void {
    this.#missed = true;
  }

  /** Runs a script that sends a message with a token before and after its changes. The script's changes do not count as changes by other clients. */
  async own<T>(apply: (token: string) => Promise<T>): Promise<T> {
    const text = `${this.#token}.${++this.#turns}`;
    const heard = new Promise<void>((done) => (this.#turn = { text: `end ${text}`, done }));
    // The connection was lost since the last `settle` and may no longer be subscribed. Waiting for the message could then take forever.
    if (this.#missed) this.#turn?.done();
    try {
      const result = await apply(text);
      await heard;
      return result;
    } finally {
      this.#turn = undefined;
    }
  }

  #hear(channel: Buffer, message: Buffer): void {
    const name = channel.toString("latin1");
    const isHere = name.startsWith(this.#prefix);
    const [, db = "", key = ""] = isHere ? ["", "", name.slice(this.#prefix.length)] : (CHANNEL.exec(name) ?? []);
    if (!isReserved(key)) {
      if (!this.#own) this.#written.add(isHere ? key : keyElsewhere(db, key));
      return;
    }
    if (name !== this.channel) return;
    const text = message.toString("latin1");
    this.#own = text.startsWith("begin ");
    if (this.#turn !== undefined && text === this.#turn.text) this.#turn.done();
  }

  /** Notes that the connection was lost, because notifications are missed until it is reopened. */
  #lost(): void {
    this.#missed = true;
    this.#own = false;
    this.#turn?.done();
  }
}
