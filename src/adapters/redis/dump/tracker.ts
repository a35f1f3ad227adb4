import { randomBytes } from "node:crypto";
import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "../connect/driver.ts";
import { keyElsewhere } from "../keys/other-indexes.ts";
import { refused } from "../connect/failures.ts";
import type { Bytes } from "../keys/entry.ts";
import { ensureNotifications, mayNot } from "./notifications.ts";
import { isReserved, RESERVED } from "../keys/reserved.ts";

/** Counters of commands that change keys without notifications: `WIPES` may change all keys, `QUIET` only streams and HyperLogLogs. */
const WIPES = /cmdstat_(?:flushall|flushdb|swapdb|config\|set|config\|resetstat|debug|replicaof|slaveof|failover):calls=\d+/g;
const QUIET = /cmdstat_(?:xack|xackdel|xclaim|xautoclaim|xreadgroup|xnack|xdelex|pfcount|pfdebug|pfselftest):calls=\d+/g;
/** The server's count of changes by all clients. It restarts when the server saves its data. */
const CHANGES = /^rdb_changes_since_last_save:\d+/m;
const SAVED = /^rdb_last_save_time:\d+/m;
const CHANNEL = /^__keyspace@(\d+)__:(.*)$/s;
const OWN_LOOKS = /cmdstat_info:calls=(\d+)/;

/** Which keys may have changed in addition to the announced ones: none, only streams and HyperLogLogs, or all. */
export type Doubt = "none" | "quiet" | "all";

/**
 * Finds the keys that were written since the last call. Keyspace notifications arrive on a separate connection. A reply on that connection arrives
 * after the notifications of all earlier writes. The reply is that of `INFO`, whose counters reveal commands without notifications. The counters
 * cover the whole server, so on a shared server more keys are read than necessary.
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
  #looks = -1;
  #changes = "";
  #turns = 0;
  #turn: { readonly text: string; readonly done: () => void } | undefined;

  private constructor(commands: Connection, events: Connection) {
    this.#commands = commands;
    this.#events = events;
    this.#prefix = `__keyspace@${commands.place.db}__:`;
    this.channel = `${this.#prefix}${RESERVED}${this.#token}`;
  }

  /**
   * Turns notifications on and subscribes. Returns the reason as text if the user of the URL is not allowed to.
   *
   * @param isWhole `true` to listen to the keys of all databases of the server
   * @throws SeqqaError `STORE_*` for every other failure
   */
  static async start(commands: Connection, events: Connection, isWhole: boolean = false): Promise<Tracker | string> {
    try {
      if (!(await ensureNotifications(commands))) return "keyspace notifications are off, and this user may not turn them on";
      await commands.text("INFO", "commandstats");
      await commands.text("PUBLISH", `__keyspace@${commands.place.db}__:${RESERVED}`, "");
    } catch (error) {
      if (mayNot(error)) return `this user may not use INFO commandstats, or may not use PUBLISH`;
      throw error;
    }
    const tracker = new Tracker(commands, events);
    const { client } = events;
    client.on("pmessageBuffer", (_pattern: string, channel: Buffer, message: Buffer) => tracker.#hear(channel, message));
    client.on("close", () => tracker.#lost());
    try {
      await events.ask(() => client.psubscribe(isWhole ? "__keyspace@*__:*" : `${tracker.#prefix}*`));
    } catch (error) {
      const failure = refused(events.place, error);
      if (mayNot(failure)) return "this user may not subscribe to keyspace notifications";
      throw failure;
    }
    return tracker;
  }

  /** Waits until all notifications of writes before this call have arrived. */
  async settle(): Promise<Doubt> {
    return this.#doubtBy(String(await this.#events.text("INFO", "commandstats", "persistence")));
  }

  /** The server's count of changes at the last `INFO`, which {@link APPLY} compares. Empty if not known. */
  get changes(): string {
    return this.#changes;
  }

  /**
   * Like {@link settle}, but uses the reply to INFO with which {@link own} has just ended. The script's last message arrived after the notifications
   * of all earlier writes.
   */
  settleBy(stats: string): Promise<Doubt> {
    // After a reconnect, only a reply on the subscribed connection proves that it is subscribed again.
    return this.#missed ? this.settle() : this.#doubtBy(stats);
  }

  async #doubtBy(stats: string): Promise<Doubt> {
    const wipes = stats.match(WIPES)?.join() ?? "";
    const quiet = stats.match(QUIET)?.join() ?? "";
    const looks = Number(OWN_LOOKS.exec(stats)?.[1] ?? 0);
    // The count of INFO calls must have increased. Otherwise the server's counters were reset, and equal counters prove nothing.
    const wiped = this.#missed || wipes !== this.#wipes || looks <= this.#looks;
    const doubt = wiped ? "all" : quiet !== this.#quiet ? "quiet" : "none";
    this.#wipes = wipes;
    this.#quiet = quiet;
    const [changes, saved] = [CHANGES.exec(stats), SAVED.exec(stats)];
    this.#changes = changes === null || saved === null ? "" : changes[0] + saved[0];
    this.#looks = looks;
    this.#missed = false;
    if (wiped && !(await ensureNotifications(this.#commands))) {
      throw new SeqqaError(
        "STORE_NOT_ALLOWED",
        "Keyspace notifications were turned off during the exploration and cannot be turned on again.",
        {
          hint: "Let the target leave notify-keyspace-events unchanged, or add the flags KA to the value that it sets.",
        },
      );
    }
    return doubt;
  }

  /** Returns the keys that were written since the last call. */
  take(): Set<Bytes> {
    const written = this.#written;
    this.#written = new Set();
    return written;
  }

  /** Must be called if an operation fails after `take`. All keys are then read again. */
  forget(): void {
    this.#missed = true;
  }

  /** Runs a script that encloses its changes with messages containing a token. These changes do not count as changes by others. */
  async own<T>(apply: (token: string) => Promise<T>): Promise<T> {
    const text = `${this.#token}.${++this.#turns}`;
    const heard = new Promise<void>((done) => (this.#turn = { text: `end ${text}`, done }));
    // The connection was lost since the last `settle`. It may not be subscribed, so waiting for the message could take forever.
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

  /** Called when the connection is lost. Notifications are lost until it is back. */
  #lost(): void {
    this.#missed = true;
    this.#own = false;
    this.#turn?.done();
  }
}
