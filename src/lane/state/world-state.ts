import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ClientPart, CookieExpiry, PendingRequest } from "../../model/http/client.ts";
import { contextPartOf, type ContextPart } from "../../model/context/context.ts";
import type { Schemas } from "../../model/stores/ignored.ts";
import { isPromise, type Awaitable, type Checkpoint, type Observed, type StoreAdapter } from "../../model/stores/store-adapter.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { World } from "../../model/declare/world.ts";
import { snapshotOfOrigins, NO_ORIGINS, signedTokens, type Canonicalizer, type StepOrigin } from "../../state/index.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import { Asks } from "../bring-up/asks.ts";
import { NOTHING_UNSTORED, SOON_MS, type SavedWorld, type Unstored, type WorldSnapshot } from "./saved-world.ts";
import { ValueNames } from "./value-names.ts";
import { WorldClients } from "./world-clients.ts";
import { WorldStores } from "./world-stores.ts";
import { contextText } from "./context-text.ts";
import { mentions } from "./mentions.ts";

/** The source from which seqqa learns the state of a target: stores, the World's `probe`, the context keys in `stateFromContext`, or nothing. */
export type Visibility = "stores" | "probe" | "context" | "nothing";

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** Names under which observations list the parts of a state that are in no store. Stores cannot have these names. */
const PROBE = "probe";
const TRAIL = "unseen";

/**
 * Saves, observes and restores the whole state of a lane. All methods return synchronously if all stores do, which makes the exploration of worlds in
 * memory fast.
 */
export class WorldState {
  readonly systems: readonly StoreAdapter[];
  /** `true` if snapshots can be taken and written: every store supports snapshots, and no other state has to be restored. */
  readonly portable: boolean;
  readonly asks: Asks;
  readonly #world: World<never, never>;
  readonly #stores: WorldStores;
  readonly #clients: WorldClients;
  readonly #context: ContextPart;
  readonly #names: ValueNames;
  readonly #clock: StoreAdapter | undefined;
  readonly #wholeContext: boolean;
  readonly #hidden: boolean;
  /** Identifies the snapshots of this lane. */
  readonly #lane = randomUUID();
  #refusesOtherLanes = false;
  readonly #host: string | undefined;
  /** The time at which the first cookie of the observed state expires, in milliseconds since 1970. `undefined` if no cookie expires. */
  #cookiesPassMs: number | undefined;
  #unstored: Unstored = NOTHING_UNSTORED;
  readonly #facts: {
    systems: Record<string, Observed>;
    context: Readonly<Record<string, unknown>>;
    clients: Readonly<Record<string, unknown>>;
    node: string | undefined;
  };

  /**
   * @param hidden `true` if the target keeps state that no store restores.
   * @param asks Counts the calls of user code, for external stores.
   * @param baseUrl The URL of the lane's target. Default: the target has no URL.
   */
  constructor(world: World<never, never>, hidden = false, asks: Asks = new Asks(), baseUrl = "") {
    this.#world = world;
    this.#hidden = hidden;
    this.#host = baseUrl === "" ? undefined : new URL(baseUrl).host;
    this.asks = asks;
    asks.isPending = () => this.pending().length > 0;
    this.#stores = new WorldStores(world.systems);
    this.systems = this.#stores.systems;
    this.#clock = this.systems.find((system) => system.aheadMs !== undefined);
    // The state that a probe reads is inside the target, so it cannot be written to another lane.
    this.portable = !hidden && world.probe === undefined && this.systems.every(({ traits }) => traits.portable);
    this.#context = contextPartOf(world.context);
    this.#clients = new WorldClients(world.allClients());
    this.#names = new ValueNames(() => this.visibility === "stores" || this.visibility === "probe");
    if (this.#clock !== undefined) for (const one of [...this.clients, ...this.systems]) one.keepTime?.(() => this.now());
    this.#wholeContext = world.stateFromContext === undefined || world.stateFromContext.length > 0;
    this.#facts = { systems: {}, context: NOTHING, clients: NOTHING, node: undefined };
  }

  /** `true` if the clients themselves hold their whole state, so that no target keeps further state. */
  get selfContained(): boolean {
    return this.#clients.selfContained;
  }

  get clients(): readonly ClientPart[] {
    return this.#clients.parts;
  }

  pending(): readonly PendingRequest[] {
    return this.#clients.pending();
  }

  /** Tells the stores that a step begins; see {@link StoreAdapter.beginStep}. */
  beginStep(): void {
    this.#stores.beginStep();
  }

  /** Returns an error that user code threw while it produced the answer of a store; see {@link StoreAdapter.takeThrown}. */
  takeThrown(): Error | undefined {
    return this.#stores.takeThrown();
  }

  /** Tells all clients if a 503 answer is expected; see {@link WorldClients.expectShed}. */
  expectShed(isExpected: boolean): void {
    this.#clients.expectShed(isExpected);
  }

  cut(): void {
    this.#clients.cut();
  }

  listen(sink: Parameters<ClientPart["listen"]>[0]): void {
    this.#clients.listen(sink);
  }

  /**
   * Records the name of the action that set the token or cookies that a client uses now. A random token that is in no store is renamed like a
   * generated id. Without the name of the action, the logins of two users would lead to equal states.
   */
  attribute(action: string, step?: () => StepOrigin): void {
    this.#names.ended(step);
    this.#clients.attribute(action);
  }

  /** Returns `true` if the generated values or times of the state that was observed last differ from those of the checkpoint. */
  renewedSince({ origins }: SavedWorld): boolean {
    return this.#names.origins.ids !== origins.ids || this.#names.origins.times !== origins.times;
  }

  get visibility(): Visibility {
    if (this.systems.length > 0 || this.selfContained) return "stores";
    if (this.#world.probe !== undefined) return "probe";
    if (this.#world.stateFromContext !== undefined) return "context";
    // Without a target and a `reset`, user code is assumed to compute with the context alone.
    return this.clients.length > 0 || this.#host !== undefined || this.#hidden ? "nothing" : "stores";
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
    return this.#names.mayHoldTimeIn(secondMs) ? secondMs + 1_000 - now : 0;
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
    // A token may contain only the time at which it expires. Tokens are valid for whole minutes, so a token that was issued in this second expires a
    // whole number of minutes later.
    const isOfNow = this.#tokens().some(({ timesMs }) => timesMs.some((ms) => (ms - secondMs) % 60_000 === 0));
    return isOfNow ? secondMs + 1_000 - now : 0;
  }

  /**
   * The milliseconds until the next second, if the present second is half over. 0 if a time in the state passes soon, because it would pass during the
   * wait.
   */
  get msToEarlyStep(): number {
    const now = this.now();
    const leftMs = 1_000 - (now % 1_000);
    const { nextToPassMs } = this;
    return leftMs > 500 || (nextToPassMs > now && nextToPassMs <= now + SOON_MS) ? 0 : leftMs;
  }

  /** Sets the canonicalizer, which names states, generated values and times from now on. */
  identify(canonicalizer: Canonicalizer): void {
    this.#names.identify(canonicalizer, this);
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
    return this.#names.realTimeColumns;
  }

  /**
   * Finds the values that the last step generated, unless they were found already. Values that are found later would be attributed to the next step.
   */
  observeStep(): Awaitable<void> {
    if (!this.#names.isBehind) return;
    const facts = this.facts();
    if (isPromise(facts)) return facts.then(() => undefined);
  }

  /** Excludes tables and their counters from the state from now on. `tables`: for each store, the names of the tables. */
  leaveOut(tables: ReadonlyMap<string, ReadonlySet<string>>, schemas: Schemas): void {
    this.#stores.leaveOut(tables, schemas);
  }

  /**
   * Observes the state after requests of rules. Values that are new since `startMs` are attributed to no action until the next restore, because these
   * requests belong to no action.
   */
  observeSince(startMs: number): Awaitable<Facts> {
    const observed = this.observeStep();
    const begin = (): Awaitable<Facts> => {
      this.#names.since(() => ({ action: "", startMs, endMs: this.now(), exchanges: [] }));
      return this.facts();
    };
    return isPromise(observed) ? observed.then(begin) : begin();
  }

  /** Sets the current node of the user's state graph, which is part of the state. */
  moveTo(node: string | undefined): void {
    this.#context.moveTo(node);
  }

  mark(): Awaitable<SavedWorld> {
    const systems = this.#stores.mark();
    return isPromise(systems) ? systems.then((marks) => this.#markOf(marks)) : this.#markOf(systems);
  }

  /**
   * Returns a checkpoint that is only used to detect later changes. `seen`: `true` to use the result of the last read, for stores that keep it,
   * instead of reading again.
   */
  position(seen = false): Awaitable<SavedWorld> {
    const systems = this.#stores.position(seen);
    return isPromise(systems) ? systems.then((marks) => this.#markOf(marks)) : this.#markOf(systems);
  }

  /**
   * Returns `true` if the state may have changed since the checkpoint. The caller must compare fingerprints to be sure. Stores that keep the result
   * of their last read are always read again.
   */
  changed(mark: SavedWorld): Awaitable<boolean> {
    const own = this.ownChanged(mark) || this.hasPassed;
    if (!this.#stores.keepLooks) return own || this.storesChanged(mark);
    const changed = this.#stores.readChanged(mark.systems);
    return isPromise(changed) ? changed.then((one) => own || one) : own || changed;
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
    return Math.min(this.#names.firstToPassMs, this.#cookiesPassMs ?? Infinity);
  }

  ownChanged(mark: SavedWorld): boolean {
    return this.#context.mutable || this.ownSet(mark);
  }

  /** Returns `true` if the context or a client was assigned a new value. A change inside an object is not noticed. */
  ownSet(mark: SavedWorld): boolean {
    return this.#context.version !== mark.contextVersion || this.#unstored !== mark.unstored || this.#clients.changed(mark);
  }

  storesChanged(mark: SavedWorld): Awaitable<boolean> {
    return this.#stores.changed(mark.systems);
  }

  /**
   * Returns `true` if the last read of some store differs from the checkpoint. Stores that do not keep the result of their last read are read again.
   */
  seenElsewhere(mark: SavedWorld): Awaitable<boolean> {
    return this.#stores.seenElsewhere(mark.systems);
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
    const restoring = this.#stores.restoreUntouched(mark.systems);
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
    this.#clients.restore(mark);
    this.#names.moved(mark.origins);
    this.#unstored = mark.unstored;
    this.#cookiesPassMs = mark.cookiesPassMs;
  }

  /**
   * Sets the counters that {@link restoreStores} leaves unchanged to their values in the root state. The stores must be in the root state. Resolves to
   * `false` if an open transaction of the target prevents this.
   */
  restoreCounters(): Promise<boolean> {
    return this.#stores.restoreCounters();
  }

  restoreStores(mark: SavedWorld): Awaitable<void> {
    return this.#stores.restore(mark.systems);
  }

  /** Releases connections of seqqa to the stores, because they would block a restart of the target. Checkpoints remain valid. */
  pause(): Promise<void> {
    return this.#stores.pause();
  }

  resume(): Promise<void> {
    return this.#stores.resume();
  }

  /** Takes a snapshot of the state. @param seen `true` to use the result of the last read, for stores that keep it, instead of reading again. */
  capture(seen = false): Awaitable<WorldSnapshot> {
    const context = this.#context.save();
    const clients = this.#clients.capture();
    const systems = this.#stores.capture(seen);
    const own = {
      context,
      ...clients,
      origins: snapshotOfOrigins(this.#names.origins),
      unstored: this.#unstored === NOTHING_UNSTORED ? undefined : this.#unstored,
      aheadMs: this.aheadMs || undefined,
      cookiesPassMs: this.#firstToExpire(this.#clients.expiries()),
      rootValues: this.#names.renamer?.rootValues,
      rootStores: this.#names.renamer?.rootStores,
      rootTokens: this.#names.renamer?.rootTokens,
      host: this.#host,
      lane: this.#lane,
    };
    return isPromise(systems) ? systems.then((snapshots) => ({ systems: snapshots, ...own })) : { systems, ...own };
  }

  /**
   * Returns `true` if a snapshot of a state may be written on this lane. A snapshot contains whole rows, so it also contains values that another
   * lane's target generated before the exploration, such as a salted password. If this lane's root state has different values, the lane must reach
   * the state by a replay.
   */
  accepts(snapshot: WorldSnapshot): boolean {
    const renamer = this.#names.renamer;
    if (snapshot.rootValues !== renamer?.rootValues || this.namesOtherHost(snapshot)) return false;
    if (this.#refusesOtherLanes && snapshot.lane !== this.#lane) return false;
    // If the lanes have different tokens, this lane uses its own tokens. This is possible only if the clients are as in the root state, and the
    // context contains no token.
    return this.#hasTokensOf(snapshot) || (snapshot.hasRootClients && renamer?.hasTokensInContext === false);
  }

  /**
   * Returns `true` if the root state of the lane that took a snapshot has other values in its stores, such as the times at which the target filled
   * them. The snapshot then only fits this lane if no step to its state changed these rows.
   */
  isOfOtherRoot({ rootStores }: WorldSnapshot): boolean {
    return rootStores !== this.#names.renamer?.rootStores;
  }

  /** Makes {@link accepts} refuse snapshots of other lanes, because one of them did not fit this lane. */
  refuseOtherLanes(): void {
    this.#refusesOtherLanes = true;
  }

  /**
   * Returns `true` if a snapshot contains the host and port of the target of another lane, for example in a stored absolute URL. On this lane, such a
   * URL belongs to another server.
   */
  namesOtherHost({ host, systems, context, clients }: WorldSnapshot): boolean {
    if (host === undefined || host === this.#host) return false;
    return mentions([systems, context.entries, clients], [host, host.replace(/^127\.0\.0\.1:/, "localhost:")]);
  }

  /** Returns `true` if the lane that took a snapshot got the same tokens in the root state as this lane. */
  #hasTokensOf({ rootTokens }: WorldSnapshot): boolean {
    return rootTokens === this.#names.renamer?.rootTokens;
  }

  /**
   * Takes a snapshot with the whole contents of the stores. Unlike a snapshot of {@link capture}, it can also be written on a lane whose root state
   * has different rows. Returns `undefined` if a store cannot return its whole content.
   */
  async captureWhole(): Promise<WorldSnapshot | undefined> {
    const systems = await this.#stores.captureWhole();
    return systems === undefined ? undefined : { ...(await this.capture()), systems, isWhole: true };
  }

  /**
   * Brings the world to the state of a snapshot. @param isAccepted `true` if {@link accepts} returned `true`. The clients then get this lane's own
   * tokens if the other lane has different tokens.
   */
  write(snapshot: WorldSnapshot, isAccepted = false): Awaitable<void> {
    this.#context.restore(snapshot.context);
    this.#clients.write(snapshot, isAccepted && !this.#hasTokensOf(snapshot));
    this.#names.movedToSnapshot(snapshot.origins);
    this.#unstored = snapshot.unstored ?? NOTHING_UNSTORED;
    this.#cookiesPassMs = snapshot.cookiesPassMs;
    return this.#stores.write(snapshot.systems);
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
    return isPromise(observed) ? observed.then((facts) => this.#names.observe(facts)) : this.#names.observe(observed);
  }

  /** Returns a name for the state; see {@link ValueNames.strictName}. */
  async strictName(): Promise<string | undefined> {
    return this.#names.strictName(await this.facts());
  }

  /** Returns the contents of the state as they were read, without renaming generated values and times. The next call reuses the returned object. */
  observed(seen = false): Awaitable<Facts> {
    this.#facts.context = this.#wholeContext && this.#context.entries.size > 0 ? this.#world.observedContext() : NOTHING;
    this.#facts.clients = this.#clients.acting();
    this.#cookiesPassMs = this.#firstToExpire(this.#clients.expiries());
    this.#facts.node = this.#context.node;
    this.#observeUnstored(this.#facts.systems);
    const reading = this.#stores.observe(this.#facts.systems, seen);
    return isPromise(reading) ? reading.then(() => this.#facts) : this.#facts;
  }

  /** The values of the stores' counters in the root state, by store. */
  get rootCounters(): WorldStores["rootCounters"] {
    return this.#stores.rootCounters;
  }

  /** Returns the whole root state. From now on, the stores report changes since this call. */
  async root(): Promise<Facts> {
    this.adopt();
    this.#names.moved(NO_ORIGINS);
    const systems: Record<string, Observed> = {};
    this.#observeUnstored(systems);
    await this.#stores.root(systems);
    return { systems, context: this.#world.observedContext(), clients: this.#clients.acting(), node: this.#context.node };
  }

  /** Attributes the present credentials of all clients to the root state, because `setup` set them. */
  adopt(): void {
    this.#clients.adopt();
  }

  #tokens(): readonly { readonly timesMs: readonly number[] }[] {
    const texts = [...this.#clients.bearers(), contextText(this.#context)];
    return texts.flatMap((text) => signedTokens(text)).filter(({ timesMs }) => timesMs.length > 0);
  }

  #observeUnstored(systems: Record<string, Observed>): void {
    const { probed, trail } = this.#unstored;
    if (probed !== undefined) systems[PROBE] = { kind: "value", value: probed };
    if (trail.length > 0) systems[TRAIL] = { kind: "value", value: trail };
    else delete systems[TRAIL];
  }

  #firstToExpire(expiries: readonly CookieExpiry[]): number | undefined {
    if (expiries.length === 0) return undefined;
    const now = this.now();
    const left = expiries.filter(({ atMs, isOfRoot }) => isOfRoot !== true && atMs > now);
    return left.length === 0 ? undefined : Math.min(...left.map(({ atMs }) => atMs));
  }

  #markOf(systems: readonly Checkpoint[]): SavedWorld {
    const expiries = this.#clients.expiries();
    return {
      systems,
      context: this.#context.save(),
      contextVersion: this.#context.version,
      clients: this.#clients.save(),
      clientVersions: this.#clients.versions(),
      setBy: this.#clients.setBy,
      origins: this.#names.origins,
      unstored: this.#unstored,
      aheadMs: this.aheadMs,
      expiries,
      cookiesPassMs: this.#firstToExpire(expiries),
    };
  }
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
