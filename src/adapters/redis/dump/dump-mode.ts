import { setTimeout as pause } from "node:timers/promises";
import type { LastLook, Observed, StoreScope } from "../../../model/stores/store-adapter.ts";
import { markInvalid } from "../../../stores/connect/store-errors.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { fieldOfKind } from "../../../model/stores/field-of-kind.ts";
import { ROWS } from "../../../model/stores/ignore-line.ts";
import { ForeignWrite, type AskedSince } from "../../../stores/external/external-store.ts";
import type { ExternalStore } from "../external-store.ts";
import { aged, bytesOf, isQuiet, renewalMs, renewed, withLifetime, type Bytes, type Entry } from "../keys/entry.ts";
import { sameEntry, withoutExpired } from "../keys/exact-text.ts";
import { entryOfImage, imageKey, isKeyImage, type KeyImage, KeyMirror, type Segment } from "./key-mirror.ts";
import { KEYS_A_WRITE, LAST_MS, type Expected, type Fix, type Keyspace } from "../keys/keyspace.ts";
import { flushed, swapped } from "../connect/failures.ts";
import { shownPlace } from "../connect/redis-url.ts";
import { announcesExpiry, readNotifications } from "./notifications.ts";
import { observeChanges, type Change } from "../keys/rows.ts";
import { shownEntry } from "./saved-state.ts";
import { WRITTEN } from "./scripts.ts";
import type { Doubt, Tracker } from "./tracker.ts";

/** The content of the database as this process knows it. It is stored while the connections are closed for a restart of the target. */
export interface KeptState {
  readonly mirror: KeyMirror;
}

/** The codes of errors after which a run touches an external database only to restore it, or not at all. */
const ENDING: ReadonlySet<string> = new Set(["LEASE_OVER", "FOREIGN_WRITE", "STORE_SWAPPED", "STORE_FLUSHED"]);

export interface Others {
  readonly borrowed: ExternalStore;
  readonly asked: AskedSince;
  /** Called with the keys that were written while the run had a request in progress. */
  readonly wrote: StoreScope["wrote"];
}

/**
 * Makes checkpoints with DUMP and RESTORE of the keys that changed. This process stores the content of every key in the root state, and all later
 * differences. With a {@link Tracker}, only the keys that were written since the last read are read from the server. Without a tracker, all keys are
 * read each time.
 */
export class DumpMode {
  readonly #keyspace: Keyspace;
  readonly #tracker: Tracker | undefined;
  readonly #observes: (key: Bytes) => boolean;
  #mirror: KeyMirror;
  /**
   * `#quiet`: keys that commands may change without a notification. `#expiring`: keys with an expiry time. Keys are added to these sets, but never
   * removed.
   */
  readonly #quiet = new Set<Bytes>();
  readonly #expiring = new Set<Bytes>();
  /** `#nextExpiryMs`: the earliest time at which a key expires. `#nextRenewalMs`: the earliest time at which a key must get a new expiry time. */
  #nextExpiryMs = Infinity;
  #nextRenewalMs = Infinity;
  /** `true` if other clients write to other databases of the server. The server's count of changes then says nothing about this database. */
  #shared = false;
  #seen: { readonly segment: Segment; readonly observed: Observed } | undefined;
  readonly #others: Others | undefined;
  /** The error that all later operations throw. Set after another client has taken over the database or written to it; `undefined` before. */
  #broken: SeqqaError | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * @param base All keys, or the known content from before a restart of the target.
   * @param others Detects and records writes of other clients. Only for an external database.
   */
  constructor(
    keyspace: Keyspace,
    tracker: Tracker | undefined,
    observes: (key: Bytes) => boolean,
    base: ReadonlyMap<Bytes, Entry> | KeptState,
    others?: Others,
  ) {
    this.#others = others;
    this.#keyspace = keyspace;
    this.#tracker = tracker;
    this.#observes = observes;
    this.#mirror = base instanceof Map ? new KeyMirror(base) : (base as KeptState).mirror;
    for (const key of [...this.#mirror.present(), ...this.#mirror.touched()]) this.#watch(key, this.#mirror.now(key));
  }

  get kept(): KeptState {
    return { mirror: this.#mirror };
  }

  root(): Promise<Observed> {
    return this.#alone(async () => {
      await this.#sync("all");
      this.#mirror = new KeyMirror(this.#mirror.whole());
      this.#seen = undefined;
      return observeChanges(this.#changes([...this.#mirror.base.keys()], () => null));
    });
  }

  mark(): Promise<Segment> {
    return this.#alone(async () => {
      await this.#sync();
      return this.#mirror.top;
    });
  }

  changed(mark: unknown): Promise<boolean> {
    return this.#alone(async () => {
      await this.#sync();
      return this.#mirror.top !== mark;
    });
  }

  observe(): Promise<Observed> {
    return this.#alone(async () => {
      await this.#sync();
      return this.#observed();
    });
  }

  /**
   * Returns functions that use the state at the last read without reading again. Returns `undefined` without a tracker, because nothing then shows if
   * the present state still equals the state at the last read.
   */
  lastLook(): LastLook | undefined {
    if (this.#tracker === undefined) return undefined;
    return {
      mark: this.#mirror.top,
      observe: () => this.#observed(),
      capture: () => this.#captured(),
      restore: (mark) => this.#restore(mark as Segment, this.#mirror.top),
    };
  }

  async restore(mark: unknown): Promise<void> {
    await this.#restore(mark as Segment);
  }

  /**
   * Restores the state at the end of `segment`. With `seen`, restores it only if the store is still in the state at the end of `seen`; otherwise
   * returns `false` and changes nothing.
   */
  #restore(segment: Segment, seen?: Segment): Promise<boolean> {
    return this.#alone(async () => {
      if (!this.#mirror.holds(segment)) throw markInvalid();
      if (seen !== undefined) {
        const tried = this.#countable(segment, seen);
        if (tried) {
          const fixes = this.#fixesTo(segment);
          const how = { changes: this.#tracker!.changes, changed: () => this.#mirror.popTo(segment) };
          if (await this.#change(fixes, this.#present(fixes), how)) return true;
        }
        await this.#sync();
        if (this.#mirror.top !== seen) return false;
        // The store is unchanged, so the counted changes were made in another database. Do not use the server's count again, because such changes
        // will recur.
        this.#shared ||= tried;
      }
      const unread = seen === undefined ? await this.#unread() : new Set<Bytes>();
      const wanted = this.#mirror.changesTo(segment);
      const fixes: Fix[] = [];
      for (const [key, entry] of wanted) if (!unread.has(key) && !sameEntry(this.#mirror.now(key), entry)) fixes.push([key, entry]);
      for (const key of unread) {
        const before = wanted.get(key);
        fixes.push([key, before === undefined ? this.#mirror.now(key) : before]);
      }
      const present = this.#present(fixes);
      this.#mirror.popTo(segment);
      await this.#apply(fixes, present);
      return true;
    });
  }

  /**
   * Returns `true` if the server's count of changes suffices to detect writes before a restore, so that the store need not be read. The count does
   * not suffice if keys may have expired, or if commands may have made changes that are not counted.
   */
  #countable(segment: Segment, seen: Segment): boolean {
    if (this.#shared || this.#mirror.top !== seen || segment === seen || this.#tracker!.changes === "") return false;
    if (this.#quiet.size > 0 || this.#nextRenewalMs <= this.#keyspace.nowMs) return false;
    const keys = this.#fixesTo(segment).length;
    return keys > 0 && keys <= KEYS_A_WRITE;
  }

  /** Returns the entries that must be written to restore the state of `segment`. The current entries of these keys must be known. */
  #fixesTo(segment: Segment): Fix[] {
    return [...this.#mirror.changesTo(segment)].filter(([key, entry]) => !sameEntry(this.#mirror.now(key), entry));
  }

  capture(): Promise<KeyImage> {
    return this.#alone(async () => {
      await this.#sync();
      return this.#captured();
    });
  }

  write(image: unknown): Promise<void> {
    if (!isKeyImage(image))
      return Promise.reject(new TypeError("RedisAdapter.write accepts only what capture() of a RedisAdapter returned."));
    return this.#alone(async () => {
      const unread = await this.#unread();
      const wanted = new Map<Bytes, Entry | null>();
      for (const key of this.#mirror.touched()) wanted.set(key, this.#mirror.baseOf(key));
      for (const key of unread) wanted.set(key, this.#mirror.baseOf(key));
      for (const one of image.keys) wanted.set(one.key, entryOfImage(one));
      for (const key of image.gone) wanted.set(key, null);
      const fixes: Fix[] = [];
      for (const [key, entry] of wanted) if (unread.has(key) || !sameEntry(this.#mirror.now(key), entry)) fixes.push([key, entry]);
      const present = this.#present(fixes);
      this.#mirror.popTo(this.#mirror.bottom);
      this.#mirror.push(wanted);
      for (const [key, entry] of wanted) this.#watch(key, entry);
      await this.#apply(fixes, present);
    });
  }

  /**
   * Shortens the remaining times of all keys by `ms`, and removes keys without remaining time. If the server sends events for expired keys, these
   * keys are not deleted but expire, because the target may wait for the events. Keys of an external database that existed before the run are not
   * changed.
   */
  passTime(ms: number): Promise<void> {
    return this.#alone(async () => {
      await this.#sync();
      const expires = announcesExpiry((await readNotifications(this.#keyspace.connection)) ?? "");
      const wanted = new Map<Bytes, Entry | null>();
      for (const key of this.#expiring) {
        const entry = this.#mirror.now(key);
        if (entry !== null && entry.at !== 0 && !this.#isOriginal(key, entry)) {
          wanted.set(key, aged(entry, ms, this.#keyspace.nowMs));
        }
      }
      const fixes = [...wanted];
      const present = this.#present(fixes);
      this.#mirror.push(wanted);
      for (const [key, entry] of fixes) this.#watch(key, entry);
      await this.#apply(fixes, present, { expires });
      const expired = fixes.flatMap(([key, entry]) => (entry === null ? [key] : []));
      if (!expires || expired.length === 0) return;
      await pause(2 * LAST_MS);
      // Read the expired keys, because the server may send the event only when a client accesses the key.
      await this.#keyspace.read(expired);
      await this.#sync();
    });
  }

  /**
   * Restores an external database to its state from before the run, except for keys that other clients changed.
   * @throws SeqqaError `LEASE_OVER`, `STORE_SWAPPED`, `ROWS_KEPT`; `STORE_FLUSHED` after the restore
   */
  async giveBack(): Promise<void> {
    const { borrowed } = this.#others!;
    // Read all keys, to record the last changes of the run. The read fails if another client wrote a key. Such a key is not recorded and therefore
    // not restored.
    await this.#alone(() => this.#sync("all")).catch(() => undefined);
    if (this.#broken?.code === "LEASE_OVER" || this.#broken?.code === "STORE_SWAPPED") {
      borrowed.abandon();
      throw this.#broken;
    }
    await borrowed.giveBack(this.#keyspace);
    if (this.#broken?.code === "STORE_FLUSHED") throw this.#broken;
  }

  /** Runs `work` after all earlier operations have ended, because each operation starts from the state that the previous operation has read. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(async () => {
      if (this.#broken !== undefined) throw this.#broken;
      try {
        const done = await work();
        await this.#requireOthersUnchanged();
        return done;
      } catch (error) {
        if (error instanceof SeqqaError && ENDING.has(error.code)) this.#broken = error;
        throw error;
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /**
   * Throws if a client has emptied databases of other applications. Called after the loss of the own keys was recorded, so that the last restore brings
   * these keys back. @throws SeqqaError `STORE_FLUSHED`
   */
  async #requireOthersUnchanged(): Promise<void> {
    const emptied = this.#tracker?.emptied ?? [];
    if (this.#others === undefined || emptied.length === 0) return;
    const lost = await this.#others.borrowed.withoutClaim(emptied);
    this.#tracker?.forgetEmptied(emptied);
    if (lost.length > 0) throw flushed(this.#keyspace.connection.place, lost);
  }

  #observed(): Observed {
    const { top } = this.#mirror;
    if (this.#seen?.segment !== top) {
      const changes = this.#changes([...this.#mirror.touched()], (key) => this.#mirror.baseOf(key));
      this.#seen = { segment: top, observed: observeChanges(changes) };
    }
    return this.#seen.observed;
  }

  #captured(): KeyImage {
    const keys: ReturnType<typeof imageKey>[] = [];
    const gone: Bytes[] = [];
    for (const key of this.#mirror.touched()) {
      const entry = this.#mirror.now(key);
      if (sameEntry(entry, this.#mirror.baseOf(key))) continue;
      if (entry === null) gone.push(key);
      else keys.push(imageKey(key, entry));
    }
    return { kind: "keys", keys, gone };
  }

  async #sync(atLeast: Doubt = "none"): Promise<void> {
    // Read the keys with notifications at once, while further notifications may still arrive. A key that is written after it was read causes another
    // notification.
    const told = this.#told();
    const [early, keys] = await Promise.allSettled([this.#read(told), this.#doubtful(atLeast)]);
    if (early.status === "fulfilled" && keys.status === "fulfilled") return this.#takeIn(keys.value, early.value);
    this.#tracker?.forget();
    throw early.status === "rejected" ? early.reason : (keys as PromiseRejectedResult).reason;
  }

  async #takeIn(keys: ReadonlySet<Bytes>, early: ReadonlyMap<Bytes, Entry | null> = new Map()): Promise<void> {
    const wasQuiet = this.#others?.asked.isQuiet === true;
    try {
      const read = new Map([...early, ...(await this.#read(keys))].filter(([key, entry]) => !this.#expiredByItself(key, entry)));
      for (const [key, entry] of read) read.set(key, withLifetime(this.#mirror.now(key), entry));
      if (this.#others !== undefined) await this.#judge(read, wasQuiet, this.#others);
      for (const [key, entry] of read) this.#watch(key, entry);
      this.#mirror.push(read);
      this.#others?.asked.looked();
    } catch (error) {
      this.#tracker?.forget();
      throw error;
    }
  }

  /** Records which keys of an external database the target has changed. @throws SeqqaError `FOREIGN_WRITE`, `LEASE_OVER` */
  async #judge(read: ReadonlyMap<Bytes, Entry | null>, wasQuiet: boolean, { borrowed, asked, wrote }: Others): Promise<void> {
    const changed = [...read].filter(([key, entry]) => !sameEntry(this.#mirror.now(key), entry));
    if (changed.length === 0) return;
    const written = changed.filter(([key, entry]) => !sameEntry(withoutExpired(this.#mirror.now(key), this.#keyspace.nowMs), entry));
    const store = `the Redis database ${shownPlace(this.#keyspace.connection.place)}`;
    const nameOf = (key: Bytes): string => bytesOf(key).toString("utf8");
    if (wasQuiet && asked.isQuiet && written.length > 0) {
      const rows = written.map(([key]) => ({ table: "key", key: nameOf(key), was: null, now: null }));
      const fieldsOf = ({ key }: { readonly key: string }): readonly string[] => [fieldOfKind(`key${ROWS}`, { key })];
      throw new ForeignWrite(store, rows, new Date(), fieldsOf);
    }
    wrote?.(
      store,
      written.map(([key, entry]) => ({
        table: "key",
        key: nameOf(key),
        was: shownEntry(this.#mirror.now(key)),
        now: shownEntry(entry),
      })),
    );
    await borrowed.record(new Map(changed));
  }

  async #read(keys: ReadonlySet<Bytes>): Promise<ReadonlyMap<Bytes, Entry | null>> {
    return keys.size === 0 ? new Map<Bytes, Entry | null>() : this.#keyspace.read(keys);
  }

  /** Returns the keys that may have been written since the last read and that a restore can overwrite without reading them first. */
  async #unread(): Promise<ReadonlySet<Bytes>> {
    if (this.#others !== undefined) {
      // Keys of an external database must be read before they are overwritten, because another client may have written them.
      await this.#sync();
      return new Set();
    }
    return this.#doubtful("none");
  }

  #told(): Set<Bytes> {
    return new Set([...(this.#tracker?.take() ?? [])].filter((key) => this.#keyspace.holds(key)));
  }

  /** Returns all keys whose content on the server may differ from the content that this process knows. */
  async #doubtful(atLeast: Doubt): Promise<ReadonlySet<Bytes>> {
    const told = (await this.#tracker?.settle()) ?? "all";
    return this.#keysInDoubt(told, atLeast);
  }

  async #keysInDoubt(told: Doubt, atLeast: Doubt): Promise<ReadonlySet<Bytes>> {
    if (this.#others !== undefined && this.#tracker?.isSwapped === true) throw swapped(this.#keyspace.connection.place);
    const keys = this.#told();
    try {
      if (told === "all" || atLeast === "all") {
        if (told === "all") await this.#others?.borrowed.stillThere();
        for (const key of await this.#keyspace.keys()) keys.add(key);
        for (const key of this.#mirror.present()) keys.add(key);
      } else if (told === "quiet") {
        for (const key of this.#quiet) keys.add(key);
      }
    } catch (error) {
      this.#tracker?.forget();
      throw error;
    }
    // Add keys whose expiry time has passed, because the server may not have removed them yet.
    if (this.#nextExpiryMs <= this.#keyspace.nowMs) for (const key of this.#dueBy((entry) => entry.at)) keys.add(key);
    return keys;
  }

  /**
   * Returns copies of the current entries of the keys in `fixes`, because a restore changes the expiry times of the originals. Returns `undefined`
   * unless the database is external.
   */
  #present(fixes: readonly Fix[]): Map<Bytes, Entry | null> | undefined {
    if (this.#others === undefined) return undefined;
    const present = ([key]: Fix): [Bytes, Entry | null] => {
      const now = this.#mirror.now(key);
      return [key, now && { ...now }];
    };
    return new Map(fixes.map(present));
  }

  async #apply(fixes: Fix[], present: Map<Bytes, Entry | null> | undefined, { expires = false } = {}): Promise<void> {
    // Also write keys that are correct but expire soon, to give them a new expiry time.
    if (this.#nextRenewalMs <= this.#keyspace.nowMs) {
      const fixed = new Set(fixes.map(([key]) => key));
      const due = this.#dueBy(renewalMs).flatMap((key): Fix[] => (fixed.has(key) ? [] : [[key, this.#mirror.now(key)]]));
      for (const [key, entry] of this.#present(due) ?? []) present?.set(key, entry);
      fixes.push(...due);
    }
    if (fixes.length > 0) await this.#change(fixes, present, { expires });
  }

  /**
   * Writes keys, and reads the keys that other clients wrote meanwhile.
   * @param present The entries that the keys must have. A key with another entry is not written.
   * @param changes The expected value of the server's count of changes. If the count differs, nothing is changed and the result is `false`.
   * @param expires `true`: keys expire instead of being deleted.
   */
  async #change(
    fixes: readonly Fix[],
    present: Expected | undefined,
    {
      changes = "",
      changed,
      expires = false,
    }: { readonly changes?: string; readonly changed?: () => void; readonly expires?: boolean } = {},
  ): Promise<boolean> {
    const tracker = this.#tracker;
    const borrowed = this.#others?.borrowed;
    const later = new Set<Bytes>();
    const now = this.#keyspace.nowMs;
    for (const [key, entry] of fixes) if (entry !== null && !this.#isOriginal(key, entry)) entry.at = renewed(entry, now);
    await borrowed?.willWrite(new Map(fixes));
    let stats = "";
    const write = async (some: readonly Fix[], expected?: Expected): Promise<readonly Bytes[]> => {
      // Compare the count only at the first attempt. At later attempts, it includes the changes that this process made.
      const how = { expected, expires, changes: stats === "" ? changes : "" };
      const apply = (message = {}): ReturnType<Keyspace["apply"]> => this.#keyspace.apply(some, { ...how, ...message });
      const done = await (tracker === undefined ? apply() : tracker.own((token) => apply({ channel: tracker.channel, token })));
      stats = done.stats;
      return done.skipped;
    };
    try {
      if (present === undefined) await write(fixes);
      else for (const key of (await this.#keyspace.applyToUnchanged(fixes, present, write)).keys()) later.add(key);
      if (stats === WRITTEN) return false;
      await borrowed?.record(new Map(fixes.filter(([key]) => !later.has(key))));
      changed?.();
      if (tracker !== undefined) for (const key of await this.#keysInDoubt(await tracker.settleBy(stats), "none")) later.add(key);
      for (const [key, entry] of fixes) this.#watch(key, entry);
    } catch (error) {
      tracker?.forget();
      throw error;
    }
    if (later.size > 0) await this.#takeIn(later);
    return true;
  }

  /**
   * Returns `true` if a key of an external database still has its entry from before the run, and this entry or a field of it has an expiry time. Such
   * an entry keeps its expiry time. If it expires during the run, the state stays the same.
   */
  #isOriginal(key: Bytes, entry: Entry): boolean {
    return (entry.at !== 0 || entry.fieldTimes !== undefined) && this.#others?.borrowed.isOriginal(key, entry) === true;
  }

  /** Returns `true` if a key has its entry from before the run and differs from it only because the key, or fields of it, have expired. */
  #expiredByItself(key: Bytes, entry: Entry | null): boolean {
    const was = this.#mirror.now(key);
    return was !== null && this.#isOriginal(key, was) && sameEntry(withoutExpired(was, this.#keyspace.nowMs), entry);
  }

  #watch(key: Bytes, entry: Entry | null): void {
    if (entry === null) return;
    if (isQuiet(entry)) this.#quiet.add(key);
    if (entry.at === 0 || this.#isOriginal(key, entry)) return;
    this.#expiring.add(key);
    this.#nextExpiryMs = Math.min(this.#nextExpiryMs, entry.at);
    this.#nextRenewalMs = Math.min(this.#nextRenewalMs, renewalMs(entry));
  }

  /** Returns the existing keys for which `timeOf` returns a time that has passed. Also computes `#nextExpiryMs` and `#nextRenewalMs`. */
  #dueBy(timeOf: (entry: Entry) => number): Bytes[] {
    const now = this.#keyspace.nowMs;
    const due: Bytes[] = [];
    this.#nextExpiryMs = Infinity;
    this.#nextRenewalMs = Infinity;
    for (const key of this.#expiring) {
      const entry = this.#mirror.now(key);
      if (entry === null || entry.at === 0 || this.#isOriginal(key, entry)) continue;
      if (timeOf(entry) <= now) due.push(key);
      this.#watch(key, entry);
    }
    return due;
  }

  *#changes(keys: Iterable<Bytes>, before: (key: Bytes) => Entry | null): Iterable<Change> {
    for (const key of keys) if (this.#observes(key)) yield [key, before(key), this.#mirror.now(key)];
  }
}
