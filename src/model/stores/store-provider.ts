import type { Leftover } from "./leftover.ts";

/** The information that a provider gets about the store that it copies for every lane. */
export interface StoreProviderOptions {
  /** The name under which the configuration declares it, e.g. `db`. */
  readonly name: string;
  /** The template. It is only read, never written. */
  readonly url: string;
  /** The id of this run, `[0-9a-f]+`, which is part of the name of everything that the provider creates. */
  readonly runId: string;
  /** `options` of the configuration; only for a store of another package. */
  readonly options?: unknown;
  /** Redis: the part that each lane has to itself, `server` or `index`. */
  readonly isolation?: string | undefined;
  /** `true`: writes of the lanes' targets will be made to fail. A store that needs something between itself and the target makes it. Default: no. */
  readonly faulty?: boolean | undefined;
  /** A directory of this run, for the files of servers that the provider starts; removed with the run. */
  readonly directory: string;
  /** Claims a free port that no other lane or run gets; it is released with the run. Runs always give it. */
  readonly claimPort?: (() => Promise<number>) | undefined;
}

/**
 * Gives the lanes of one run their own copies of one store. It works on the main thread. The store's own server shows which runs are alive (a lock or
 * a heartbeat held by {@link StoreProvider.prepare}), so that runs on two machines leave each other alone.
 */
export interface StoreProvider {
  /**
   * Checks that the server answers, that the template exists and may be copied, and copies it once for the run. Removes leftovers of dead runs from
   * that server, recognized by their names, and nothing else.
   *
   * @throws SeqqaError `STORE_UNREACHABLE`, `STORE_MISSING`, `STORE_NOT_ALLOWED`
   */
  prepare(): Promise<void>;
  /** Makes a fresh copy for a lane and removes the lane's older one. Returns its URL. */
  provide(lane: number, generation: number): Promise<string>;
  /**
   * Identifies the provider's session on the server. Another value means that the server was restarted, or ended connections. Absent: each lane has a
   * server of its own.
   */
  session?(): Promise<string>;
  /** Returns variables for the environment of the target whose lane has this URL. Default: none. */
  environment?(url: string): Readonly<Record<string, string>>;
  /** Returns the URL by which the target reaches the store of a lane with this URL, if it is another one. */
  targetUrl?(url: string): string | undefined;
  /** Removes a lane's copy, even if somebody is still connected to it. */
  release(lane: number): Promise<void>;
  /** Removes everything that this run created, the sign of life last. Can be called repeatedly. */
  close(): Promise<void>;
}

/** The removed objects, a line each, such as `database seqqa_1f2e_lane0`. */
export type Removed = readonly string[];

/** Options for removing leftovers of dead runs. */
export interface Cleaning {
  /** Only reports; nothing is changed. Default: no. */
  readonly dryRun?: boolean | undefined;
  /** Called with the rows that are kept as they are, before anything is committed. */
  readonly onKept?: ((leftover: Leftover) => void) | undefined;
}

/** The result of a cleaning, done or planned. */
export interface Cleaned {
  readonly removed: Removed;
  /** The changes that a dead run left in the user's own store, if it left rows there. */
  readonly leftover?: Leftover | undefined;
}

/** The result of one check of a store; `seqqa doctor` prints it. Secrets are never part of it. */
export interface StoreCheck {
  readonly ok: boolean;
  /** The subject of the check, e.g. `privileges`. */
  readonly what: string;
  /** One sentence: the result and, where it is not ok, the remedy. */
  readonly says: string;
}

/** The members that the module of an adapter exports as `stores`, beside the adapter itself. */
export interface StoreKind {
  createProvider(options: StoreProviderOptions): StoreProvider;
  /**
   * Removes leftovers of dead runs from a server, and the parts that a dead run installed in a user's own store (an external store). Rows of an
   * external store that are as that run recorded them are restored to their values when it began; others stay. Runs that are alive are left alone.
   */
  clean(url: string, how?: Cleaning): Promise<Cleaned>;
  /** Checks reachability, version, and privileges of the checkpoint modes; leaves nothing behind. Never throws for a problem that it checks for. */
  check(url: string): Promise<readonly StoreCheck[]>;
  /**
   * Changes something, over a connection of its own, in a copy that will be restored and removed. Returns a description of the change; `undefined` if
   * there is nothing to change.
   */
  disturb(url: string): Promise<string | undefined>;
}
