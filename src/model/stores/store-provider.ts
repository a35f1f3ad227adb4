import type { Leftover } from "./leftover.ts";

/** What a provider of stores is told of the store that it gives every lane its own copy of. */
export interface StoreProviderOptions {
  /** The name under which the configuration declares it, e.g. `db`. */
  readonly name: string;
  /** The template. It is read, and never written. */
  readonly url: string;
  /** Of this run, `[0-9a-f]+`: part of the name of everything that is made. */
  readonly runId: string;
  /** Redis: what a lane gets as its own. */
  readonly isolation?: string | undefined;
  /** A directory of this run, for the files of servers that are started; removed with the run. */
  readonly directory: string;
}

/**
 * Gives the lanes of one run their own copies of one store. It works on the main thread. Whether a run is alive is told from the
 * store's own server (a lock or a heartbeat held by {@link StoreProvider.prepare}), so that runs on two machines leave each other alone.
 */
export interface StoreProvider {
  /**
   * Checks that the server answers, that the template is there and may be copied, and copies it once for the run; removes what dead
   * runs left on that server, told by their names, and nothing else.
   *
   * @throws SeqqaError `STORE_UNREACHABLE`, `STORE_MISSING`, `STORE_NOT_ALLOWED`
   */
  prepare(): Promise<void>;
  /** A fresh copy for a lane, whose older one is removed. Returns its URL. */
  provide(lane: number, generation: number): Promise<string>;
  /**
   * Identifies the provider's session on the server. Another one means that the server was restarted, or ended connections. Absent: each lane has a
   * server of its own.
   */
  session?(): Promise<string>;
  /** Removes a lane's copy, whoever is still connected to it. */
  release(lane: number): Promise<void>;
  /** Removes everything that this run made, the sign of life last. Any number of times. */
  close(): Promise<void>;
}

/** What was removed, a line each, such as `database seqqa_1f2e_lane0`. */
export type Removed = readonly string[];

/** How leftovers of dead runs are dealt with. */
export interface Cleaning {
  /** Only says what would be done; nothing is changed. Default: no. */
  readonly dryRun?: boolean | undefined;
  /** Is told of rows that are kept as they are, before anything is committed. */
  readonly onKept?: ((leftover: Leftover) => void) | undefined;
}

/** What was done, or would be. */
export interface Cleaned {
  readonly removed: Removed;
  /** What a dead run left in the user's own store, if it left rows there. */
  readonly leftover?: Leftover | undefined;
}

/** What a check of a store found; `seqqa doctor` prints it. Secrets are never part of it. */
export interface StoreCheck {
  readonly ok: boolean;
  /** What was looked at, e.g. `privileges`. */
  readonly what: string;
  /** One sentence: what was found, and where it is not ok, what to do. */
  readonly says: string;
}

/** What the module of an adapter exports as `stores`, beside the adapter itself. */
export interface StoreKind {
  createProvider(options: StoreProviderOptions): StoreProvider;
  /**
   * Removes from a server what dead runs left there, and from a user's own store (`borrowed`) what a dead run installed. Rows there that are as
   * that run recorded them go back to what they were when it began; others stay. Runs that are alive are left alone.
   */
  clean(url: string, how?: Cleaning): Promise<Cleaned>;
  /** Reachable, version, privileges of the checkpoint modes; leaves nothing behind. Never throws for what it is to find out. */
  check(url: string): Promise<readonly StoreCheck[]>;
  /** Changes something, by a connection of its own, in a copy that is about to be put back and removed. Says what; `undefined`: there is nothing to change. */
  disturb(url: string): Promise<string | undefined>;
}
