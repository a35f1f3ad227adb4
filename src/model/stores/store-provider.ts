import type { Leftover } from "./leftover.ts";

/** The information that a provider gets about the store that it copies for each lane. */
export interface StoreProviderOptions {
  /** The name of the store in the configuration, e.g. `db`. */
  readonly name: string;
  /** The URL of the template. The provider reads the template and never writes to it. */
  readonly url: string;
  /** The id of this run, `[0-9a-f]+`. The name of everything that the provider creates contains this id. */
  readonly runId: string;
  /** The `options` of the configuration; only for a store of another package. */
  readonly options?: unknown;
  /** For Redis: `server` if each lane gets its own server, `index` if each lane gets its own database on one server. */
  readonly isolation?: string | undefined;
  /**
   * `true` if writes of the lanes' targets will be made to fail. A provider that needs a proxy between the target and the store for such faults
   * starts the proxy. Default `false`.
   */
  readonly faulty?: boolean | undefined;
  /**
   * `true` if the run needs exactly one copy. The provider then copies the template directly, without first making the run's own copy of the
   * template. Default `false`.
   */
  readonly single?: boolean | undefined;
  /** A directory of this run, for the files of servers that the provider starts. The directory is removed at the end of the run. */
  readonly directory: string;
  /** Claims a free port that no other lane or run gets. The port is released at the end of the run. Runs always supply this function. */
  readonly claimPort?: (() => Promise<number>) | undefined;
}

/**
 * Gives each lane of a run its own copy of one store. Providers work on the main thread. The store's server shows which runs are alive, by a lock or
 * heartbeat that {@link StoreProvider.prepare} sets up. A run therefore does not remove copies of live runs on other machines.
 */
export interface StoreProvider {
  /**
   * Checks that the server answers, that the template exists, and that seqqa is allowed to copy it. Copies the template once for the run. Removes the
   * leftovers of dead runs from that server, recognized by their names, and nothing else.
   *
   * @throws SeqqaError `STORE_UNREACHABLE`, `STORE_MISSING`, `STORE_NOT_ALLOWED`
   */
  prepare(): Promise<void>;
  /**
   * Makes a fresh copy for a lane and removes the lane's older copy. Returns the URL of the fresh copy. `generation` grows with each copy of a lane.
   */
  provide(lane: number, generation: number): Promise<string>;
  /**
   * Returns an id of the provider's session on the server. If the id changes, the server was restarted or closed connections. Absent if each lane has
   * its own server.
   */
  session?(): Promise<string>;
  /**
   * Returns environment variables for the target of a lane. `url` is the URL of the lane's copy. Libraries in `LD_PRELOAD` are loaded in addition to
   * the user's preloaded libraries. Default: none.
   */
  environment?(url: string): Readonly<Record<string, string>>;
  /** Returns the URL by which the target reaches the lane's copy with the URL `url`; `undefined` if the two URLs are equal. */
  targetUrl?(url: string): string | undefined;
  /** Removes a lane's copy, even if somebody is still connected to it. */
  release(lane: number): Promise<void>;
  /** Removes everything that this run created. The lock or heartbeat that shows the run as alive is removed last. Can be called repeatedly. */
  close(): Promise<void>;
}

/** The removed objects, one line each, such as `database seqqa_1f2e_lane0`. */
export type Removed = readonly string[];

/** Options for removing leftovers of dead runs. */
export interface Cleaning {
  /** `true` if the leftovers are only reported, and nothing is changed. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /** Receives the rows of an external store that are not restored. Called before the store forgets the earlier values of these rows. */
  readonly onKept?: ((leftover: Leftover) => void) | undefined;
}

/** The result of removing the leftovers of dead runs, or of only looking for them (`dryRun`). */
export interface Cleaned {
  readonly removed: Removed;
  /** The changes that a dead run left in an external store; absent if it left none. */
  readonly leftover?: Leftover | undefined;
  /** A sentence which says that a run that may be alive uses the store, so that nothing was restored. Absent if no run uses it. */
  readonly inUse?: string | undefined;
  /** Leftovers that were not removed, because the user in the store's URL is not allowed to remove them, one line each. Default: none. */
  readonly notAllowed?: Removed | undefined;
  /** The errors of the parts that failed. All other parts were done. Default: none. */
  readonly failures?: readonly unknown[] | undefined;
}

/** The way in which the runs of a configuration use a store. */
export interface StoreUse {
  /** `true` if a run uses the store in place, `false` if lanes get copies of it. */
  readonly inPlace: boolean;
  /** `true` if the target can run in the process of seqqa, and can then use the adapter's own connection. */
  readonly inProcess: boolean;
  /** For Redis: see {@link StoreProviderOptions.isolation}. Default: `server`. */
  readonly isolation?: string | undefined;
}

/** The default of {@link StoreUse}: each lane of a target in its own process gets a copy. */
export const COPIED: StoreUse = { inPlace: false, inProcess: false };

/** The result of one check of a store, for `seqqa doctor`. The texts never contain secrets. */
export interface StoreCheck {
  readonly ok: boolean;
  /** The subject of the check, e.g. `privileges`. */
  readonly what: string;
  /** The result in one sentence, with the remedy if `ok` is `false`. */
  readonly says: string;
}

/** The functions that an adapter's module exports as `stores`, in addition to the adapter itself. */
export interface StoreKind {
  createProvider(options: StoreProviderOptions): StoreProvider;
  /**
   * Removes the leftovers of dead runs from a server, and everything that a dead run installed in an external store. Rows of an external store that
   * nobody has changed since the dead run recorded them are restored to their values before that run. All other rows are left unchanged. Live runs
   * are not affected.
   */
  clean(url: string, how?: Cleaning): Promise<Cleaned>;
  /**
   * Checks if the store is reachable, has a supported version, and meets the other needs of a run that uses the store in this way. Writes nothing to
   * a store that lanes copy, and leaves nothing behind. Problems that the function checks for are returned, not thrown.
   */
  check(url: string, use?: StoreUse): Promise<readonly StoreCheck[]>;
  /**
   * Changes something in a copy, over a separate connection, to test that a restore undoes it. Returns a description of the change; `undefined` if
   * there is nothing to change.
   */
  disturb(url: string): Promise<string | undefined>;
}
