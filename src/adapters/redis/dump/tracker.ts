import { randomBytes } from "node:crypto";
import { SeqqaError } from "../../../model/errors.ts";
import type { Connection } from "../connect/driver.ts";
import { keyElsewhere } from "../keys/other-indexes.ts";
import { refused } from "../connect/failures.ts";
import type { Bytes } from "../keys/entry.ts";
import { ensureNotifications, mayNot } from "./notifications.ts";
import { isReserved, RESERVED } from "../keys/reserved.ts";

/** Changes that no notification announces. The server counts them. */
const WIPES = /cmdstat_(?:flushall|flushdb|swapdb|config\|set|config\|resetstat|debug|replicaof|slaveof|failover):calls=\d+/g;
const QUIET = /cmdstat_(?:xack|xackdel|xclaim|xautoclaim|xreadgroup|xnack|xdelex|pfcount|pfdebug|pfselftest):calls=\d+/g;
/** The server's count of all changes, by any client; it starts again when the data is saved. */
const CHANGES = /^rdb_changes_since_last_save:\d+/m;
const SAVED = /^rdb_last_save_time:\d+/m;
/** The channel on which a key of any database is announced. */
const CHANNEL = /^__keyspace@(\d+)__:(.*)$/s;
const OWN_LOOKS = /cmdstat_info:calls=(\d+)/;

/** How much may have changed beside the keys that were announced. */
export type Doubt = "none" | "quiet" | "all";

/**
 * Finds the keys that were written since it was last asked. Keyspace notifications come on a connection of their own; a reply on it comes after all
 * that happened before. That reply answers `INFO`, whose counters show what notifications do not announce. The counters are those of the whole
 * server: there is more doubt than needed where it is shared.
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
   * Turns notifications on and listens. Returns why not, if the user of the URL may not do that.
   *
   * @param isWhole listens to keys of the server's other databases, too
   * @throws SeqqaError `STORE_*` for everything else
   */
  static async start(commands: Connection, events: Connection, isWhole: boolean = false): Promise<Tracker | string> {
    try {
      if (!(await ensureNotifications(commands))) return "keyspace notifications are off, and this user may not turn them on";
      await commands.text("INFO", "commandstats");
      await commands.text("PUBLISH", `__keyspace@${commands.place.db}__:${RESERVED}`, "");
    } catch (error) {
      if (mayNot(error)) return `this user may not use all of INFO and PUBLISH`;
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

  /** Waits until everything that was committed before the call is known. */
  async settle(): Promise<Doubt> {
    return this.#doubtBy(String(await this.#events.text("INFO", "commandstats", "persistence")));
  }

  /** The server's count of changes at the last look, as {@link APPLY} compares it; empty: not known. */
  get changes(): string {
    return this.#changes;
  }

  /**
   * Does the same as {@link settle}, where {@link own} has just ended with this reply to INFO: its last message came after all that happened before.
   */
  settleBy(stats: string): Promise<Doubt> {
    // Only a reply on the connection that listens shows that it listens again.
    return this.#missed ? this.settle() : this.#doubtBy(stats);
  }

  async #doubtBy(stats: string): Promise<Doubt> {
    const wipes = stats.match(WIPES)?.join() ?? "";
    const quiet = stats.match(QUIET)?.join() ?? "";
    const looks = Number(OWN_LOOKS.exec(stats)?.[1] ?? 0);
    // Counters that are lower than before were reset, and may have reached the same numbers again.
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
          hint: "Let the target leave notify-keyspace-events alone, or add KA to what it sets.",
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

  /** Called when something failed after `take`: everything that was written has to be looked for again. */
  forget(): void {
    this.#missed = true;
  }

  /** Runs a script that announces its changes with a token, and does not count these as changes of others. */
  async own<T>(apply: (token: string) => Promise<T>): Promise<T> {
    const text = `${this.#token}.${++this.#turns}`;
    const heard = new Promise<void>((done) => (this.#turn = { text: `end ${text}`, done }));
    // The connection was lost since it was settled: nobody may be listening.
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

  /** Notes the loss of the connection: nothing is announced while it is gone. */
  #lost(): void {
    this.#missed = true;
    this.#own = false;
    this.#turn?.done();
  }
}
