/** A value, or a promise of it: adapters whose driver is synchronous answer at once, and the lane then does not wait a turn. */
export type Awaitable<T> = T | Promise<T>;

/** Which mechanism puts a store back, and why this one was chosen. */
export interface CheckpointChoice {
  readonly mode: string;
  readonly why: string;
}

/** What a system can do; the lane chooses its way to a node by it. */
export interface StoreTraits {
  /** A state can be taken out (`capture`) and written into this or another lane (`write`) in any order. */
  readonly portable: boolean;
  /** Other connections see what the target writes: late writes show in `changed`, and races are possible. */
  readonly commits: boolean;
  /** A value in this process: `changed` compares it whole, and late writes are not watched for. */
  readonly inMemory?: boolean;
  /** What is saved lives in the target's own process: a restart of the target loses it. */
  readonly inTarget?: boolean;
}

/** A handle to a saved state. It stays valid until an older mark is restored, another state is written, or the system is opened anew. */
export type Checkpoint = unknown;

/** One column of an observed table. */
export interface ObservedColumn {
  readonly name: string;
  /** Part of the primary key. */
  readonly key?: boolean;
  /** Rows whose values here differ in more than ids and numbers are of different kinds: what of them is noise is found out for each kind. */
  readonly kind?: boolean;
  /** The table and column that this one refers to by a declared foreign key. */
  readonly references?: { readonly table: string; readonly column: string };
}

/** A value as a store gives it. Bytes are `Uint8Array`; integers beyond 2^53 are `bigint`. */
export type StoredValue = null | boolean | number | bigint | string | Uint8Array;

/** What changed in one table since the root state; at the root itself, everything in it, as `added`. A set: the order of rows means nothing. */
export interface ObservedTable {
  readonly name: string;
  readonly columns: readonly ObservedColumn[];
  readonly added: readonly (readonly StoredValue[])[];
  readonly removed: readonly (readonly StoredValue[])[];
}

/** What a system says about the state it is in. */
export type Observed =
  | {
      readonly kind: "rows";
      /** Only tables that differ from the root state, in the order of their names. */
      readonly tables: readonly ObservedTable[];
      /** Counters that decide what comes next (AUTOINCREMENT, sequences) where they differ from the root state, name -> value. */
      readonly counters: Readonly<Record<string, number | bigint | null>>;
    }
  | { readonly kind: "value"; readonly value: unknown };

/** A table with its columns. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What a lane tells a system when it opens it. */
export interface StoreScope {
  /** The name under which the world knows it, e.g. `db`. */
  readonly name: string;
  readonly laneIndex: number;
  /** The target runs in this process and takes the system's own connection. */
  readonly inProcess: boolean;
  /**
   * The store is the user's own (`base_url`, `lanes`): its modes are left as they are, and `close()` puts every row that is as the run left it back
   * to what it was at `open()`, data written by `setup` before {@link StoreAdapter.root} included, and leaves nothing of ours. Rows that somebody else
   * changed stay. What is needed for that is kept in the store itself, so that after a SIGKILL `seqqa clean` can do it; until then `open()`
   * refuses (`STORE_LEFT`). One that a living run uses is refused (`STORE_IN_USE`).
   */
  readonly borrowed: boolean;
  /** Patterns of the World's `ignore`: tables and columns of a borrowed store that they name are neither judged nor put back. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * How often the lane has asked anything of the target until now; `undefined` while something is under way. A write to a borrowed store that appears
   * between two looks with the same number is somebody else's (`FOREIGN_WRITE`). Default: every write is the run's.
   */
  readonly asked?: (() => number | undefined) | undefined;
  /** A borrowed store is opened for finding what others write: nothing is asked of the target until it is closed, and rows that stay are no error. Default: no. */
  readonly watching?: boolean | undefined;
  /** Races are to be probed with {@link StoreAdapter.gate}: `open` installs what that needs. Default: no. */
  readonly gated?: boolean | undefined;
}

/** A write at which a connection of the target is held. */
export interface HeldWrite {
  /** E.g. `UPDATE orders`. */
  readonly statement: string;
}

/** How the calls beside a held one stand. */
export type GateView =
  | { readonly kind: "running" }
  /** `by`: what it waits for, e.g. `a row of orders`; the same in every trial. */
  | { readonly kind: "blocked"; readonly by: string };

/**
 * Holds one connection of the target before a write of its choice, so that a race needs no luck. What it needs was installed when the system was opened
 * with {@link StoreScope.gated}. For one call at a time: armed while nothing is under way; who comes to the write is held, all others pass.
 */
export interface Gate {
  readonly kind: "gate";
  /**
   * Who makes the `write`th write statement (from 1; of one row or many, of triggers' none) of the target from here on, on whichever of its connections, is
   * held before it. @throws SeqqaError `STORE_BUSY` when the target keeps a write transaction open
   */
  arm(write: number): Promise<void>;
  /** Resolves with what is held once something is, or with `undefined` as soon as `done` settles without that. */
  held(done: Promise<unknown>): Promise<HeldWrite | undefined>;
  /** Whether another connection of the target waits for what the held one has locked. Asked every few milliseconds. */
  view(): Promise<GateView>;
  /** Lets the held connection go on, and disarms; never fails. Again does nothing. */
  release(): Promise<void>;
}

/** This system cannot hold a write. */
export interface NoGate {
  readonly kind: "none";
  /** One sentence without an end, e.g. `SQLite has one writer, and its triggers run inside the target`. */
  readonly why: string;
}

/** The state that a store was in at the last look into it. It holds until the system looks again. */
export interface LastLook {
  /** As {@link StoreAdapter.position}. */
  readonly mark: Checkpoint;
  /** As {@link StoreAdapter.observe}. */
  observe(): Observed;
  /** As {@link StoreAdapter.capture}. */
  capture(): unknown;
  /**
   * As {@link StoreAdapter.restore}, but only where nothing was written since this look. Resolves to `false` where something was: then nothing is
   * restored. Spares the look that a caller would take before a restore.
   */
  restore(mark: Checkpoint): Promise<boolean>;
}

/**
 * The contract of a system: an adapter to one store behind the API. All implementations pass one contract suite
 * (`test/contract/system`). Marks nest: `restore(mark)` puts the store into exactly the state it had at the mark, whatever was
 * committed since by whichever connection, and leaves the mark valid.
 */
export interface StoreAdapter {
  /** The kind of store, e.g. `sqlite`. */
  readonly name: string;
  readonly checkpoint: CheckpointChoice;
  /** Where the store is, without secrets: two systems that say the same are on one store. `undefined` for what lives in this process. */
  readonly uses?: string | undefined;
  readonly traits: StoreTraits;
  /** Connects, chooses the checkpoint mode, installs what it needs. Called once the target is ready, and again after a restart of the target. */
  open(scope: StoreScope): Awaitable<void>;
  /** Makes the present state the root that observations are relative to. Returns the whole of it. */
  root(): Awaitable<Observed>;
  mark(): Awaitable<Checkpoint>;
  /** A mark that is taken without making sure that nobody is in the middle of a write: cheaper, for seeing what changes from here on. Default: `mark`. */
  position?(): Awaitable<Checkpoint>;
  /** Whether anything was written since the mark (a write that restored the old value may count). Cheap. */
  changed(mark: Checkpoint): Awaitable<boolean>;
  restore(mark: Checkpoint): Awaitable<void>;
  /** The difference between now and the root state. */
  observe(): Awaitable<Observed>;
  /**
   * The last look into the store, of whichever method, for a caller that needs no later one: another one would be a round trip to a server.
   * Only where `restore` and `write` end with a look. Default: `undefined`.
   */
  lastLook?(): LastLook | undefined;
  /** The present state as structured-cloneable data relative to the root; only with `traits.portable`. */
  capture?(): Awaitable<unknown>;
  /** Puts the store into a captured state, whatever state it is in. Marks other than those taken at the root become invalid. */
  write?(image: unknown): Awaitable<void>;
  /**
   * The target has ended and is about to be started anew: gives up what would be in its way, such as a connection that keeps a server from
   * choosing the file's mode. Nothing but {@link resume} follows; marks stay valid. Default: nothing.
   */
  pause?(): Awaitable<void>;
  /** The target was started anew and is ready. */
  resume?(): Awaitable<void>;
  /** Where a connection of the target can be held before a write; asked once the system is open. Default: it cannot. */
  gate?(): Gate | NoGate;
  /** The tables that there are, once it is open, empty ones included. Default: it has none that patterns of `ignore` could name. */
  schema?(): Awaitable<readonly TableSchema[]>;
  /** Everything in the store, as text, for comparing: exact, ordered, counters and hidden keys included. Slow. */
  dump(): Awaitable<string>;
  close(): Awaitable<void>;
}

export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
