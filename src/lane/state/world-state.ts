import { isDeepStrictEqual } from "node:util";
import { clientPartOf, type ClientPart, type CookieExpiry, type PendingRequest } from "../../model/http/client.ts";
import { contextPartOf, type ContextPart, type SavedContext } from "../../model/context/context.ts";
import { isPromise, type Awaitable, type Checkpoint, type Observed, type StoreAdapter } from "../../model/stores/store-adapter.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { World } from "../../model/declare/world.ts";
import {
  durationText,
  fieldOf,
  firstToPass,
  hashName,
  hasTimeIn,
  snapshotOfOrigins,
  NO_ORIGINS,
  originsOfSnapshot,
  signedTokens,
  type Canonicalizer,
  type Origins,
  type OriginsSnapshot,
  type StepOrigin,
  type StepWindow,
} from "../../state/index.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import { Asks } from "../bring-up/asks.ts";
import { settled } from "../bring-up/settled.ts";

/** A checkpoint of a world: its stores, context and clients. A checkpoint can only be restored on the lane where it was made. */
export interface SavedWorld {
  readonly systems: readonly Checkpoint[];
  readonly context: SavedContext;
  contextVersion: number;
  readonly clients: readonly unknown[];
  readonly clientVersions: number[];
  readonly setBy: readonly Bearer[];
  /** The steps that generated the state's ids and times. */
  readonly origins: Origins;
  readonly unstored: Unstored;
  /** The number of milliseconds by which the target's clock is set ahead of the real time. */
  readonly aheadMs: number;
  /** All cookies with an expiry time, from all clients. */
  readonly expiries?: readonly CookieExpiry[] | undefined;
  /** The time at which the first cookie expires, in milliseconds since 1970. Absent if no cookie expires. */
  readonly cookiesPassMs?: number | undefined;
}

/**
 * The part of the state that is not in stores, context and clients. An object of this type is never changed, so several checkpoints can refer to the
 * same object.
 */
interface Unstored {
  /** The last result of the World's `probe`. `undefined` if there is no probe. */
  readonly probed?: unknown;
  /** Names of the actions that wrote, in order. Only used if seqqa has no way to read the state of the target. */
  readonly trail: readonly string[];
}

const NOTHING_UNSTORED: Unstored = { trail: [] };

/** The source from which seqqa learns the state of a target: stores, the World's `probe`, the context keys in `stateFromContext`, or nothing. */
export type Visibility = "stores" | "probe" | "context" | "nothing";

/** A snapshot of a world: its stores, context and clients. A snapshot can be written to another lane. */
export interface WorldSnapshot {
  readonly systems: readonly unknown[];
  readonly context: SavedContext;
  readonly clients: readonly unknown[];
  /** `true` if the clients are as in the root state of the lane that took the snapshot. */
  readonly hasRootClients: boolean;
  readonly setBy: readonly Bearer[];
  readonly origins?: OriginsSnapshot | undefined;
  readonly unstored?: Unstored | undefined;
  /** The number of milliseconds by which the target's clock is set ahead of the real time. Default: 0. */
  readonly aheadMs?: number | undefined;
  /** The time at which the first cookie expires, in milliseconds since 1970. Absent if no cookie expires. */
  readonly cookiesPassMs?: number | undefined;
  /**
   * The times at which the `setup` that made this state began and ended. Times in the state are named by their distance from these times, so that
   * they are equal on all lanes.
   */
  readonly setupAt?: StepWindow | undefined;
  /** The hash of the root state's generated values on the lane that took the snapshot; see {@link WorldState.accepts}. */
  readonly rootValues?: string | undefined;
  /** The hash of the root state's tokens on the lane that took the snapshot. */
  readonly rootTokens?: string | undefined;
}

/**
 * Returns the time at which a saved state turns into another state, because a time in the state passes or a cookie expires. In milliseconds since
 * 1970; `Infinity` if no time passes and no cookie expires.
 */
export function passesAt(saved: Pick<SavedWorld, "origins" | "aheadMs" | "cookiesPassMs"> | WorldSnapshot): number {
  const { origins, aheadMs = 0, cookiesPassMs = Infinity } = saved;
  if (origins === undefined) return cookiesPassMs - aheadMs;
  const first = firstToPass(origins.ids instanceof Map ? (origins as Origins) : originsOfSnapshot(origins as OriginsSnapshot));
  return Math.min(first, cookiesPassMs) - aheadMs;
}

/**
 * Returns the fields whose times were in the future when they were written and have passed since, and the cookies that have expired. The distance
 * between a time and its step is in brackets: `orders.lease_until (5 min)`.
 */
export function passedTimes(saved: Pick<SavedWorld, "origins"> & Partial<Pick<SavedWorld, "expiries" | "aheadMs">>): readonly string[] {
  const { origins, expiries = [], aheadMs = 0 } = saved;
  const passed = [...origins.times.values()].filter(({ isPassed }) => isPassed === true);
  const expired = expiries.filter(({ atMs }) => atMs <= Date.now() + aheadMs);
  return [
    ...new Set([
      ...passed.map(({ name, step, domain }) => (step === 0 ? "a time of the root state" : `${fieldOf(domain)}${offsetText(name)}`)),
      ...expired.map(({ name }) => `the expiry of the cookie ${name}`),
    ]),
  ];
}

/**
 * Returns the distance between a time and the step that wrote it, in brackets. Returns an empty text if the distance was not measured from this step.
 */
function offsetText(name: string): string {
  const offset = /^step(\d+)$/.exec(name)?.[1];
  return offset === undefined ? "" : ` (${durationText(Number(offset))})`;
}

/** The credentials of a client, and the name of the action that set them. The name is `undefined` for credentials of the root state. */
interface Bearer {
  readonly text: string;
  readonly action: string | undefined;
}

/** Names under which observations list the parts of a state that are in no store. Stores cannot have these names. */
const PROBE = "probe";
const TRAIL = "unseen";
const NONE: readonly PendingRequest[] = Object.freeze([]);
const NO_EXPIRIES: readonly CookieExpiry[] = Object.freeze([]);
const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Saves, observes and restores the whole state of a lane. All methods return synchronously if all stores do, which makes the exploration of worlds in
 * memory fast.
 */
export class WorldState {
  readonly systems: readonly StoreAdapter[];
  /** `true` if snapshots can be taken and written: every store supports snapshots, and no other state has to be restored. */
  readonly portable: boolean;
  readonly #world: World<never, never>;
  readonly #names: readonly string[];
  readonly #clock: StoreAdapter | undefined;
  /** The stores that call user code to produce their answers. */
  readonly #throwing: readonly StoreAdapter[];
  readonly #stepwise: readonly StoreAdapter[];
  readonly #context: ContextPart;
  readonly #clients: readonly ClientPart[];
  readonly #roles: readonly string[];
  readonly #wholeContext: boolean;
  /** For each client: its credentials, and the name of the action that set them. */
  #setBy: readonly Bearer[];
  readonly #attributed: number[];
  /** The canonicalizer, which names states, generated values and times. `undefined` until the root state is known. */
  #canonicalizer: Canonicalizer | undefined;
  #origins: Origins = NO_ORIGINS;
  /**
   * The name of the root state. Values that are generated in the root state have an empty {@link Origins.at}, whatever path led to the root state.
   */
  #homeName: string | undefined;
  /** The name of the content of the root state's stores, as in {@link Origins.atStores}. */
  #homeStores: string | undefined;
  #realTimeColumns: readonly string[] = [];
  /** The saved data of the clients in the root state, and who set their credentials. */
  #root: Pick<WorldSnapshot, "clients" | "setBy"> = { clients: [], setBy: [] };
  /** The time at which the first cookie of the observed state expires, in milliseconds since 1970. `undefined` if no cookie expires. */
  #cookiesPassMs: number | undefined;
  #unstored: Unstored = NOTHING_UNSTORED;
  /** For each store: the names of the tables that are not part of the state. */
  #leftOut: readonly (ReadonlySet<string> | undefined)[] = [];
  /** A function that returns the last step. `undefined` if the state after the last step has been observed. */
  #step: (() => StepOrigin) | undefined;
  readonly #facts: {
    systems: Record<string, Observed>;
    context: Readonly<Record<string, unknown>>;
    clients: Readonly<Record<string, unknown>>;
    node: string | undefined;
  };

  readonly asks: Asks;

  /** @param hidden `true` if the target keeps state that no store restores. @param asks Counts the calls of user code, for external stores. */
  constructor(world: World<never, never>, hidden = false, asks: Asks = new Asks()) {
    this.#world = world;
    this.asks = asks;
    asks.isPending = () => this.pending().length > 0;
    const systems = Object.entries(world.systems).filter((entry): entry is [string, StoreAdapter] => entry[1] !== undefined);
    this.#names = systems.map(([name]) => name);
    this.systems = systems.map(([, system]) => system);
    this.#throwing = this.systems.filter(({ takeThrown }) => takeThrown !== undefined);
    this.#stepwise = this.systems.filter(({ beginStep }) => beginStep !== undefined);
    this.#clock = this.systems.find((system) => system.aheadMs !== undefined);
    // The state that a probe reads is inside the target, so it cannot be written to another lane.
    this.portable = !hidden && world.probe === undefined && this.systems.every(({ traits }) => traits.portable);
    this.#context = contextPartOf(world.context);
    const clients = [...world.allClients()].map(([role, client]) => [role, clientPartOf(client)] as const);
    const parts = clients.filter((entry): entry is readonly [string, ClientPart] => entry[1] !== undefined);
    this.#roles = parts.map(([role]) => role);
    this.#clients = parts.map(([, part]) => part);
    this.#setBy = this.#clients.map(bearerOf);
    this.#attributed = this.#clients.map(({ version }) => version);
    if (this.#clock !== undefined) for (const one of [...this.#clients, ...this.systems]) one.keepTime?.(() => this.now());
    this.#wholeContext = world.stateFromContext === undefined || world.stateFromContext.length > 0;
    this.#facts = { systems: {}, context: NOTHING, clients: NOTHING, node: undefined };
  }

  /** `true` if the clients themselves hold their whole state, so that no target keeps further state. */
  get selfContained(): boolean {
    return this.#clients.length > 0 && this.#clients.every((client) => client.selfContained === true);
  }

  get clients(): readonly ClientPart[] {
    return this.#clients;
  }

  pending(): readonly PendingRequest[] {
    let all: readonly PendingRequest[] = NONE;
    for (const client of this.#clients) {
      const pending = client.pending?.() ?? NONE;
      if (pending.length > 0) all = all.length === 0 ? pending : [...all, ...pending];
    }
    return all;
  }

  /** Tells the stores that a step begins; see {@link StoreAdapter.beginStep}. */
  beginStep(): void {
    for (const system of this.#stepwise) system.beginStep?.();
  }

  /** Returns an error that user code threw while it produced the answer of a store; see {@link StoreAdapter.takeThrown}. */
  takeThrown(): Error | undefined {
    for (const system of this.#throwing) {
      const error = system.takeThrown?.();
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Tells all clients if a 503 of an overloaded server is an expected answer, for which the clients do not wait. */
  expectShed(isExpected: boolean): void {
    for (const client of this.#clients) client.expectShed?.(isExpected);
  }

  cut(): void {
    for (const client of this.#clients) client.cut?.();
  }

  listen(sink: Parameters<ClientPart["listen"]>[0]): void {
    for (const client of this.#clients) client.listen(sink);
  }

  /**
   * Records the name of the action that set the token or cookies that a client uses now. A random token that is in no store is renamed like a
   * generated id. Without the name of the action, the logins of two users would lead to equal states.
   */
  attribute(action: string, step?: () => StepOrigin): void {
    this.#step = step;
    this.#realTimeColumns = [];
    for (let i = 0; i < this.#clients.length; i++) {
      const { version } = this.#clients[i]!;
      if (version === this.#attributed[i]) continue;
      this.#attributed[i] = version;
      const { text } = bearerOf(this.#clients[i]!);
      if (text !== this.#setBy[i]!.text) this.#setBy = this.#setBy.with(i, { text, action });
    }
  }

  /** Returns `true` if the generated values or times of the state that was observed last differ from those of the checkpoint. */
  renewedSince({ origins }: SavedWorld): boolean {
    return this.#origins.ids !== origins.ids || this.#origins.times !== origins.times;
  }

  get visibility(): Visibility {
    // If user code sends requests without seqqa's clients, seqqa does not see these requests and cannot record which actions wrote.
    if (this.systems.length > 0 || this.selfContained || this.#clients.length === 0) return "stores";
    if (this.#world.probe !== undefined) return "probe";
    return this.#world.stateFromContext === undefined ? "nothing" : "context";
  }

  /**
   * Reads the World's `probe` and keeps the result as part of the state. @throws errors of the probe, and SeqqaError `PROBE_INVALID` for a result
   * that is not JSON
   */
  async probe(): Promise<void> {
    const probe = this.#world.probe;
    if (probe === undefined) return;
    const read = asJson(await this.asks.during(() => probe(this.#world)));
    if (!isDeepStrictEqual(read, this.#unstored.probed)) this.#unstored = { ...this.#unstored, probed: read };
  }

  /** Records a write whose effect seqqa cannot see. The resulting state is only equal to states after the same sequence of such writes. */
  wroteUnseen(action: string): void {
    this.#unstored = { ...this.#unstored, trail: [...this.#unstored.trail, action] };
  }

  /**
   * The milliseconds until the next second, if the observed state contains a time in the present second or if it is not known which values are times.
   * 0 in all other cases.
   */
  get msToNextSecond(): number {
    const now = this.now();
    const secondMs = now - (now % 1_000);
    const renamer = this.#canonicalizer?.renamer;
    const isLikely = renamer?.knowsTimes !== true || hasTimeIn(this.#origins, secondMs) || renamer.hasRootTimeIn(secondMs);
    return isLikely ? secondMs + 1_000 - now : 0;
  }

  /** `true` if a client or the context holds a token with times. */
  get holdsTokens(): boolean {
    return this.#tokens().length > 0;
  }

  /**
   * The milliseconds until the next second, if a client or the context holds a token that was issued in the present second. A login within this second
   * would return the same token. 0 in all other cases.
   */
  get msToOtherTokens(): number {
    const now = this.now();
    const secondMs = now - (now % 1_000);
    // A token that only says when it expires lives for whole minutes.
    const isOfNow = this.#tokens().some(({ timesMs }) => timesMs.some((ms) => (ms - secondMs) % 60_000 === 0));
    return isOfNow ? secondMs + 1_000 - now : 0;
  }

  /** Sets the canonicalizer, which names states, generated values and times from now on. */
  identify(canonicalizer: Canonicalizer): void {
    this.#canonicalizer = canonicalizer;
    this.#homeName = undefined;
    this.#homeStores = undefined;
    canonicalizer.renamer.clock = this;
  }

  /** Returns the time on the target's clock, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** The number of milliseconds by which the target's clock is set ahead of the real time. */
  get aheadMs(): number {
    return this.#clock?.aheadMs?.() ?? 0;
  }

  /**
   * The columns, such as `orders.created_at`, that the observed step filled with the real time although the target's clock is at least an hour ahead.
   * The store fills these columns from its own clock.
   */
  get realTimeColumns(): readonly string[] {
    return this.#realTimeColumns;
  }

  /**
   * Finds the values that the last step generated, unless they were found already. Values that are found later would be attributed to the next step.
   */
  observeStep(): Awaitable<void> {
    if (this.#step === undefined || this.#canonicalizer === undefined || this.#canonicalizer.renamer.isIdle) return;
    const facts = this.facts();
    if (isPromise(facts)) return facts.then(() => undefined);
  }

  /** Excludes tables from the state from now on. `tables`: for each store, the names of the tables. */
  leaveOut(tables: ReadonlyMap<string, ReadonlySet<string>>): void {
    this.#leftOut = this.#names.map((name) => {
      const names = tables.get(name);
      return names === undefined || names.size === 0 ? undefined : names;
    });
  }

  /**
   * Observes the state after requests of rules. Values that are new since `startMs` are attributed to no action until the next restore, because these
   * requests belong to no action.
   */
  observeSince(startMs: number): Awaitable<Facts> {
    const observed = this.observeStep();
    const begin = (): Awaitable<Facts> => {
      this.#step = () => ({ action: "", startMs, endMs: this.now(), exchanges: [] });
      return this.facts();
    };
    return isPromise(observed) ? observed.then(begin) : begin();
  }

  /** Sets the current node of the user's state graph, which is part of the state. */
  moveTo(node: string | undefined): void {
    this.#context.moveTo(node);
  }

  mark(): Awaitable<SavedWorld> {
    const systems = this.#each((system) => system.mark());
    return isPromise(systems) ? systems.then((marks) => this.#markOf(marks)) : this.#markOf(systems);
  }

  /**
   * Returns a checkpoint that is only used to detect later changes. `seen`: `true` to use the result of the last read, for stores that keep it,
   * instead of reading again.
   */
  position(seen = false): Awaitable<SavedWorld> {
    const systems = this.#each((system) => {
      const look = seen ? system.lastLook?.() : undefined;
      if (look !== undefined) return look.mark;
      return system.position === undefined ? system.mark() : system.position();
    });
    return isPromise(systems) ? systems.then((marks) => this.#markOf(marks)) : this.#markOf(systems);
  }

  /**
   * Returns `true` if the state may have changed since the checkpoint. The caller must compare fingerprints to be sure. Stores that keep the result
   * of their last read are always read again.
   */
  changed(mark: SavedWorld): Awaitable<boolean> {
    const own = this.ownChanged(mark) || this.hasPassed;
    if (!this.systems.some((system) => system.lastLook?.() !== undefined)) return own || this.storesChanged(mark);
    const changed = this.#each((system, i) => system.changed(mark.systems[i]));
    return isPromise(changed) ? changed.then((all) => own || all.includes(true)) : own || changed.includes(true);
  }

  /** `true` if a time in the state has passed that was in the future when the state was observed. */
  get hasPassed(): boolean {
    return this.nextToPassMs <= this.now();
  }

  /**
   * The earliest time in the observed state that was in the future when the state was observed, in milliseconds since 1970. `Infinity` if there is
   * none.
   */
  get nextToPassMs(): number {
    const cookiesPassMs = this.#cookiesPassMs ?? Infinity;
    return this.#origins === NO_ORIGINS ? cookiesPassMs : Math.min(firstToPass(this.#origins), cookiesPassMs);
  }

  ownChanged(mark: SavedWorld): boolean {
    return this.#context.mutable || this.ownSet(mark);
  }

  /** Returns `true` if the context or a client was assigned a new value. A change inside an object is not noticed. */
  ownSet(mark: SavedWorld): boolean {
    if (this.#context.version !== mark.contextVersion || this.#unstored !== mark.unstored) return true;
    for (let i = 0; i < this.#clients.length; i++) if (this.#clients[i]!.version !== mark.clientVersions[i]) return true;
    return false;
  }

  storesChanged(mark: SavedWorld, from = 0): Awaitable<boolean> {
    for (let i = from; i < this.systems.length; i++) {
      const changed = this.systems[i]!.changed(mark.systems[i]);
      if (changed === true) return true;
      if (changed !== false) return changed.then((one) => one || this.storesChanged(mark, i + 1));
    }
    return false;
  }

  /**
   * Returns `true` if the last read of some store shows another state than the checkpoint. Stores that do not keep the result of their last read are
   * read again.
   */
  seenElsewhere(mark: SavedWorld, from = 0): Awaitable<boolean> {
    for (let i = from; i < this.systems.length; i++) {
      const look = this.systems[i]!.lastLook?.();
      const elsewhere = look === undefined ? this.systems[i]!.changed(mark.systems[i]) : look.mark !== mark.systems[i];
      if (elsewhere === true) return true;
      if (elsewhere !== false) return elsewhere.then((one) => one || this.seenElsewhere(mark, i + 1));
    }
    return false;
  }

  restore(mark: SavedWorld): Awaitable<void> {
    this.restoreOwn(mark);
    return this.restoreStores(mark);
  }

  /**
   * Restores the checkpoint if nothing was written since the last read of the store. Resolves to `false` and restores nothing if something was
   * written. Returns `undefined` if checking and restoring are not possible in one operation: there are several stores, or the store does not keep
   * the result of its last read.
   */
  restoreUntouched(mark: SavedWorld): Promise<boolean> | undefined {
    if (this.systems.length !== 1) return undefined;
    const restoring = this.systems[0]!.lastLook?.()?.restore(mark.systems[0]);
    return restoring?.then((restored) => {
      if (restored) this.restoreOwn(mark);
      return restored;
    });
  }

  /** Returns a checkpoint of the context and the clients, without the stores. */
  own(): SavedWorld {
    return this.#markOf([]);
  }

  restoreOwn(mark: SavedWorld): void {
    if (this.#context.version !== mark.contextVersion || this.#context.mutable) {
      this.#context.restore(mark.context);
      mark.contextVersion = this.#context.version;
    }
    for (let i = 0; i < this.#clients.length; i++) {
      const client = this.#clients[i]!;
      if (client.version === mark.clientVersions[i]) continue;
      client.restore(mark.clients[i]);
      mark.clientVersions[i] = client.version;
      this.#attributed[i] = client.version;
    }
    this.#setBy = mark.setBy;
    this.#origins = mark.origins;
    this.#unstored = mark.unstored;
    this.#cookiesPassMs = mark.cookiesPassMs;
    this.#step = undefined;
  }

  /**
   * Sets the counters that {@link restoreStores} leaves unchanged to their values in the root state. The stores must be in the root state. Resolves to
   * `false` if an open transaction of the target prevents this.
   */
  async restoreCounters(): Promise<boolean> {
    for (const { keptCounters } of this.systems) if ((await keptCounters?.restore?.()) === false) return false;
    return true;
  }

  restoreStores(mark: SavedWorld): Awaitable<void> {
    return this.#all((system, i) => system.restore(mark.systems[i]));
  }

  /** Releases connections of seqqa to the stores, because they would block a restart of the target. Checkpoints remain valid. */
  async pause(): Promise<void> {
    for (const system of this.systems) await system.pause?.();
  }

  async resume(): Promise<void> {
    for (const system of this.systems) await system.resume?.();
  }

  /** Takes a snapshot of the state. @param seen `true` to use the result of the last read, for stores that keep it, instead of reading again. */
  capture(seen = false): Awaitable<WorldSnapshot> {
    const context = this.#context.save();
    const clients = this.#clients.map((client) => client.save());
    const systems = this.#each((system) => {
      const look = seen ? system.lastLook?.() : undefined;
      return look === undefined ? system.capture!() : look.capture();
    });
    const setBy = this.#setBy;
    const own = {
      context,
      clients,
      hasRootClients: isDeepStrictEqual(clients, this.#root.clients),
      setBy,
      origins: snapshotOfOrigins(this.#origins),
      unstored: this.#unstored === NOTHING_UNSTORED ? undefined : this.#unstored,
      aheadMs: this.aheadMs || undefined,
      cookiesPassMs: this.#firstToExpire(this.#expiries()),
      rootValues: this.#canonicalizer?.renamer.rootValues,
      rootTokens: this.#canonicalizer?.renamer.rootTokens,
    };
    return isPromise(systems) ? systems.then((snapshots) => ({ systems: snapshots, ...own })) : { systems, ...own };
  }

  /**
   * Returns `true` if a snapshot of a state may be written on this lane. A snapshot contains whole rows, so it also contains values that the other
   * target generated before the exploration, such as a salted password. If this lane's root state has other values, a replay must reach the state.
   */
  accepts(snapshot: WorldSnapshot): boolean {
    const renamer = this.#canonicalizer?.renamer;
    if (snapshot.rootValues !== renamer?.rootValues) return false;
    // If the lanes have different tokens, this lane uses its own ones. It can do so only if no other place contains a token.
    return this.#hasTokensOf(snapshot) || (snapshot.hasRootClients && renamer?.hasTokensInContext === false);
  }

  /** Returns `true` if the lane that took a snapshot got the same tokens in the root state as this lane. */
  #hasTokensOf({ rootTokens }: WorldSnapshot): boolean {
    return rootTokens === this.#canonicalizer?.renamer.rootTokens;
  }

  /** @param isAccepted `true` if {@link accepts} returned `true`: the clients get this lane's own tokens if the other lane has different ones. */
  write(snapshot: WorldSnapshot, isAccepted = false): Awaitable<void> {
    this.#context.restore(snapshot.context);
    const { clients, setBy } = isAccepted && !this.#hasTokensOf(snapshot) ? this.#root : snapshot;
    for (let i = 0; i < this.#clients.length; i++) {
      this.#clients[i]!.restore(clients[i]);
      this.#attributed[i] = this.#clients[i]!.version;
    }
    this.#setBy = setBy;
    this.#origins = originsOfSnapshot(snapshot.origins);
    this.#unstored = snapshot.unstored ?? NOTHING_UNSTORED;
    this.#cookiesPassMs = snapshot.cookiesPassMs;
    this.#step = undefined;
    return this.#all((system, i) => system.write!(snapshot.systems[i]));
  }

  fingerprint(canonicalizer: Canonicalizer, out: Fingerprint): Awaitable<void> {
    const facts = this.facts();
    if (isPromise(facts)) return facts.then((known) => canonicalizer.fingerprint(known, out));
    canonicalizer.fingerprint(facts, out);
  }

  /**
   * Returns the contents of the state, with names instead of generated values and times. `seen`: `true` to use the result of the last read (for
   * stores that keep it) instead of reading again.
   */
  facts(seen = false): Awaitable<Facts> {
    const observed = this.observed(seen);
    return isPromise(observed) ? observed.then((facts) => this.#identified(facts)) : this.#identified(observed);
  }

  #identified(observed: Facts): Facts {
    const canonicalizer = this.#canonicalizer;
    if (canonicalizer === undefined) return observed;
    const { renamer } = canonicalizer;
    if (renamer.isIdle && this.#origins === NO_ORIGINS) return observed;
    const step = this.#step?.();
    this.#step = undefined;
    const { facts, origins } = renamer.observe(observed, this.#origins, step);
    this.#origins = origins;
    if (step === undefined) {
      if (origins.at === "" && renamer.namesSources) this.#homeName ??= canonicalizer.nameOf(facts);
      if (origins.at === "" && renamer.namesTokens) this.#homeStores ??= this.#storesName(facts, canonicalizer);
      return facts;
    }
    this.#realTimeColumns = [...renamer.realTimeColumns];
    const name = renamer.namesSources ? canonicalizer.nameOf(facts) : "";
    const at = name === this.#homeName ? "" : name;
    const stores = renamer.namesTokens ? this.#storesName(facts, canonicalizer) : undefined;
    const atStores = stores === this.#homeStores ? undefined : stores;
    if (at !== origins.at || atStores !== origins.atStores) this.#origins = { ...origins, at, atStores };
    return facts;
  }

  /** Returns the name of the content of all stores, for {@link Origins.atStores}. If seqqa reads no stores, returns the name of the whole state. */
  #storesName(facts: Facts, canonicalizer: Canonicalizer): string {
    const isRead = this.visibility === "stores" || this.visibility === "probe";
    return hashName(canonicalizer.unordered(isRead ? { systems: facts.systems, context: NOTHING, clients: NOTHING } : facts));
  }

  /** Returns the contents of the state as they were read, without renaming generated values and times. The next call reuses the returned object. */
  observed(seen = false): Awaitable<Facts> {
    this.#facts.context = this.#wholeContext && this.#context.entries.size > 0 ? this.#world.observedContext() : NOTHING;
    this.#facts.clients = this.#acting();
    this.#cookiesPassMs = this.#firstToExpire(this.#expiries());
    this.#facts.node = this.#context.node;
    this.#observeUnstored(this.#facts.systems);
    for (let i = 0; i < this.systems.length; i++) {
      const observed = observe(this.systems[i]!, seen);
      if (isPromise(observed)) return this.#observeFrom(i, observed, seen);
      this.#facts.systems[this.#names[i]!] = withoutTables(observed, this.#leftOut[i]);
    }
    return this.#facts;
  }

  /** Returns the whole root state. From now on, the stores report changes since this call. */
  async root(): Promise<Facts> {
    this.adopt();
    this.#origins = NO_ORIGINS;
    this.#step = undefined;
    const systems: Record<string, Observed> = {};
    this.#observeUnstored(systems);
    for (let i = 0; i < this.systems.length; i++) {
      systems[this.#names[i]!] = withoutTables(await this.systems[i]!.root(), this.#leftOut[i]);
    }
    return { systems, context: this.#world.observedContext(), clients: this.#acting(), node: this.#context.node };
  }

  /** Attributes the present credentials of all clients to the root state, because `setup` set them. */
  adopt(): void {
    this.#setBy = this.#clients.map(bearerOf);
    this.#root = { clients: this.#clients.map((client) => client.save()), setBy: this.#setBy };
    for (let i = 0; i < this.#clients.length; i++) this.#attributed[i] = this.#clients[i]!.version;
  }

  #tokens(): readonly { readonly timesMs: readonly number[] }[] {
    const texts = [...this.#clients.map((client) => bearerOf(client).text), contextText(this.#context)];
    return texts.flatMap((text) => signedTokens(text)).filter(({ timesMs }) => timesMs.length > 0);
  }

  #observeUnstored(systems: Record<string, Observed>): void {
    const { probed, trail } = this.#unstored;
    if (probed !== undefined) systems[PROBE] = { kind: "value", value: probed };
    if (trail.length > 0) systems[TRAIL] = { kind: "value", value: trail };
    else delete systems[TRAIL];
  }

  #expiries(): readonly CookieExpiry[] {
    let all: readonly CookieExpiry[] = NO_EXPIRIES;
    for (const client of this.#clients) {
      const expiries = client.expiries?.() ?? NO_EXPIRIES;
      if (expiries.length > 0) all = all.length === 0 ? expiries : [...all, ...expiries];
    }
    return all;
  }

  #firstToExpire(expiries: readonly CookieExpiry[]): number | undefined {
    if (expiries.length === 0) return undefined;
    const now = this.now();
    const left = expiries.filter(({ atMs }) => atMs > now);
    return left.length === 0 ? undefined : Math.min(...left.map(({ atMs }) => atMs));
  }

  #markOf(systems: readonly Checkpoint[]): SavedWorld {
    const expiries = this.#expiries();
    return {
      systems,
      context: this.#context.save(),
      contextVersion: this.#context.version,
      clients: this.#clients.map((client) => client.save()),
      clientVersions: this.#clients.map((client) => client.version),
      setBy: this.#setBy,
      origins: this.#origins,
      unstored: this.#unstored,
      aheadMs: this.aheadMs,
      expiries,
      cookiesPassMs: this.#firstToExpire(expiries),
    };
  }

  #acting(): Readonly<Record<string, unknown>> {
    let acting: Record<string, unknown> | undefined;
    for (let i = 0; i < this.#clients.length; i++) {
      const one = this.#clients[i]!.acting();
      const by = this.#setBy[i]!.action;
      if (one !== undefined) (acting ??= {})[this.#roles[i]!] = by === undefined ? one : [one, by];
    }
    return acting ?? NOTHING;
  }

  async #observeFrom(index: number, first: Promise<Observed>, seen: boolean): Promise<Facts> {
    this.#facts.systems[this.#names[index]!] = withoutTables(await first, this.#leftOut[index]);
    for (let i = index + 1; i < this.systems.length; i++) {
      this.#facts.systems[this.#names[i]!] = withoutTables(await observe(this.systems[i]!, seen), this.#leftOut[i]);
    }
    return this.#facts;
  }

  #each<T>(call: (system: StoreAdapter, index: number) => Awaitable<T>): Awaitable<readonly T[]> {
    const results: Awaitable<T>[] = [];
    let waits = false;
    for (let i = 0; i < this.systems.length; i++) {
      const result = call(this.systems[i]!, i);
      waits ||= isPromise(result);
      results.push(result);
    }
    return waits ? settled(results) : (results as T[]);
  }

  #all(call: (system: StoreAdapter, index: number) => Awaitable<void>): Awaitable<void> {
    let waiting: Promise<void>[] | undefined;
    for (let i = 0; i < this.systems.length; i++) {
      const result = call(this.systems[i]!, i);
      if (isPromise(result)) (waiting ??= []).push(result);
    }
    if (waiting !== undefined) return settled(waiting).then(() => undefined);
  }
}

/** Reads a store. @param seen `true` to use the result of the last read, if the store keeps it, instead of reading again. */
function observe(system: StoreAdapter, seen: boolean): Awaitable<Observed> {
  const look = seen ? system.lastLook?.() : undefined;
  return look === undefined ? system.observe() : look.observe();
}

function withoutTables(observed: Observed, leftOut: ReadonlySet<string> | undefined): Observed {
  if (leftOut === undefined || observed.kind !== "rows") return observed;
  // Returns `true` if a counter belongs to a table: the counter has the table's name, or the name `<table>_<column>_seq`.
  const isOf = (counter: string, table: string): boolean =>
    counter === table || (counter.startsWith(`${table}_`) && counter.endsWith("_seq"));
  const counters = Object.entries(observed.counters).filter(([name]) => ![...leftOut].some((table) => isOf(name, table)));
  return { ...observed, tables: observed.tables.filter(({ name }) => !leftOut.has(name)), counters: Object.fromEntries(counters) };
}

/** Returns a copy of the probe's result that consists of JSON values. @throws SeqqaError `PROBE_INVALID` if JSON cannot represent it */
function asJson(read: unknown): unknown {
  const text = JSON.stringify(read) as string | undefined;
  if (text === undefined)
    throw new SeqqaError("PROBE_INVALID", "The function `probe` of the World returned a value that JSON cannot represent.", {
      hint: "Return plain data from `probe`, e.g. `response.json()`.",
    });
  return JSON.parse(text);
}

/** Returns the values of a context as JSON, to search them for tokens. Returns an empty text if an object contains itself. */
export function contextText({ entries }: Pick<SavedContext, "entries">): string {
  try {
    return JSON.stringify([...entries.values()], (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  } catch {
    return "";
  }
}

function bearerOf(client: ClientPart): Bearer {
  return { text: JSON.stringify((client.bearer === undefined ? client.acting() : client.bearer()) ?? null), action: undefined };
}
