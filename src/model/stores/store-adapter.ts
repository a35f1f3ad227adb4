/** A value, or a promise of it. Adapters with a synchronous driver answer at once, so that the lane does not wait for the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** The mechanism that restores a store, and why it was chosen. */
export interface CheckpointChoice {
  readonly mode: string;
  readonly why: string;
}

/** The abilities of a store. The lane chooses its way to a node by them. */
export interface StoreTraits {
  /** A state can be taken out (`capture`) and written into this or another lane (`write`) in any order. */
  readonly portable: boolean;
  /** Other connections see the target's writes: late writes show in `changed`, and races are possible. */
  readonly commits: boolean;
  /** The store is a value in this process: `changed` compares it whole, and late writes are not watched for. */
  readonly inMemory?: boolean;
  /** Checkpoints live in the target's own process: a restart of the target loses them. */
  readonly inTarget?: boolean;
}

/** A handle to a saved state. It is valid until an older checkpoint is restored, another state is written, or the store is opened again. */
export type Checkpoint = unknown;

/** One column of an observed table. */
export interface ObservedColumn {
  readonly name: string;
  /** The column is part of the primary key. */
  readonly key?: boolean;
  /**
   * Rows whose values in this column differ in more than ids and numbers are of different kinds. The noisy fields are learned for each kind on its
   * own.
   */
  readonly kind?: boolean;
  /** The table and column that this one refers to by a declared foreign key. */
  readonly references?: { readonly table: string; readonly column: string };
}

/** A value as a store returns it. Bytes are `Uint8Array`; integers beyond 2^53 are `bigint`. */
export type StoredValue = null | boolean | number | bigint | string | Uint8Array;

/** The changes in one table since the root state. At the root itself, all its rows are `added`. Rows form a set: their order means nothing. */
export interface ObservedTable {
  readonly name: string;
  readonly columns: readonly ObservedColumn[];
  readonly added: readonly (readonly StoredValue[])[];
  readonly removed: readonly (readonly StoredValue[])[];
}

/** The observed state of a store. */
export type Observed =
  | {
      readonly kind: "rows";
      /** Only tables that differ from the root state, in the order of their names. */
      readonly tables: readonly ObservedTable[];
      /** Counters that decide the next generated value (AUTOINCREMENT, sequences) where they differ from the root state, name -> value. */
      readonly counters: Readonly<Record<string, number | bigint | null>>;
    }
  | { readonly kind: "value"; readonly value: unknown };

/** A table with its columns. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The information that a lane passes to a store when it opens the store. */
export interface StoreScope {
  /** The name under which the world knows the store, e.g. `db`. */
  readonly name: string;
  readonly laneIndex: number;
  /** The target runs in this process and takes the store's own connection. */
  readonly inProcess: boolean;
  /**
   * The store is the user's own (`base_url`, `lanes`), and its modes are left as they are. `close()` restores every row that is as the run left it to
   * its value at `open()`, also rows that `setup` wrote before {@link StoreAdapter.root}, and leaves nothing of ours. Rows that somebody else changed
   * stay. The data that `close()` needs is kept in the store itself, so that `seqqa clean` can restore the rows after a SIGKILL; until then `open()`
   * refuses (`STORE_LEFT`). A store that a living run uses is refused (`STORE_IN_USE`).
   */
  readonly borrowed: boolean;
  /** Patterns of the World's `ignore`: tables and columns of an external store that they name are neither judged nor restored. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Returns the number of times that the lane has sent anything to the target until now; `undefined` while a request is in progress. A write to an
   * external store that appears between two looks with the same number is somebody else's (`FOREIGN_WRITE`). Default: every write is the run's.
   */
  readonly asked?: (() => number | undefined) | undefined;
  /**
   * An external store is opened for finding writes of others: nothing is sent to the target until the store is closed, and rows that stay are no
   * error. Default: no.
   */
  readonly watching?: boolean | undefined;
  /** Races will be probed with {@link StoreAdapter.gate}: `open` installs the parts that the gate needs. Default: no. */
  readonly gated?: boolean | undefined;
  /** Writes will be made to fail with {@link StoreAdapter.writeFaults}: `open` installs the parts that this needs. Default: no. */
  readonly faulty?: boolean | undefined;
}

/** A write at which a connection of the target is held. */
export interface HeldWrite {
  /** E.g. `UPDATE orders`. */
  readonly statement: string;
}

/** The state of the calls beside a held one. */
export type GateView =
  | { readonly kind: "running" }
  /** `by`: the lock that the call waits for, e.g. `a row of orders`; the same in every trial. */
  | { readonly kind: "blocked"; readonly by: string };

/**
 * Holds one connection of the target before a write, so that a race needs no luck. Its parts are installed when the store is opened with {@link
 * StoreScope.gated}. It holds one call at a time. It is armed while no call is in progress; the first connection that reaches the write is held, all
 * others pass.
 */
export interface Gate {
  readonly kind: "gate";
  /**
   * Holds the connection that makes the target's `write`th write statement from here on, before that statement. Statements are counted from 1, for
   * one row or many, without those of triggers, over all connections of the target.
   * @throws SeqqaError `STORE_BUSY` when the target keeps a write transaction open
   */
  arm(write: number): Promise<void>;
  /** Resolves with the held write once there is one, or with `undefined` as soon as `done` settles without one. */
  held(done: Promise<unknown>): Promise<HeldWrite | undefined>;
  /** Returns `blocked` if another connection of the target waits for a lock of the held one. Called every few milliseconds. */
  view(): Promise<GateView>;
  /** Lets the held connection continue, and disarms; never fails. A second call does nothing. */
  release(): Promise<void>;
}

/** This store cannot hold a write. */
export interface NoGate {
  readonly kind: "none";
  /** One sentence without a full stop, e.g. `SQLite has one writer, and its triggers run inside the target`. */
  readonly why: string;
}

/**
 * How a write fails. `error`: its statement raises an error. `cut`: the connection that makes it is ended before the write. `kill`: the target's process
 * ends before the write.
 */
export type WriteFault = "error" | "cut" | "kill";

/**
 * Makes one write of the target fail. Its parts are installed when the store is opened with {@link StoreScope.faulty}. It is used while no call is in
 * progress, except for {@link watched} and {@link failed}. Writes are counted from 1, over all connections of the target: write statements, or rows
 * where the store has no triggers for statements.
 */
export interface WriteFaults {
  readonly kind: "faults";
  /** How a write of this store can fail. */
  readonly kinds: readonly WriteFault[];
  /** The reasons for kinds of faults that this store cannot make, each one sentence without a full stop. */
  readonly missing: Readonly<Partial<Record<WriteFault, string>>>;
  /** Counts the target's writes from here on. None fails. @throws SeqqaError `STORE_BUSY` when the target keeps a write transaction open */
  watch(): Promise<void>;
  /** Resolves with the number of writes since {@link watch}, once `done` has settled, and ends the counting. */
  watched(done: Promise<unknown>): Promise<number>;
  /** Makes the `write`th write from here on fail. @throws SeqqaError `STORE_BUSY` when the target keeps a write transaction open */
  arm(write: number, fault: WriteFault): Promise<void>;
  /**
   * Resolves with the write that failed, or with `undefined` as soon as `done` settles without one. `kill` ends the target's process for a fault of
   * that kind, while the write is held. The write is not made, and its connection is gone when this resolves.
   */
  failed(done: Promise<unknown>, kill?: () => Promise<void>): Promise<HeldWrite | undefined>;
  /** Lets all further writes pass; never fails. A second call does nothing. */
  disarm(): Promise<void>;
}

/** This store cannot make a write fail. */
export interface NoFaults {
  readonly kind: "none";
  /** One sentence without a full stop. */
  readonly why: string;
}

/** The state of a store at the last look into it. The object is valid until the store is looked at again. */
export interface LastLook {
  /** The checkpoint of that look, like {@link StoreAdapter.position}. */
  readonly mark: Checkpoint;
  /** Like {@link StoreAdapter.observe}, for that look. */
  observe(): Observed;
  /** Like {@link StoreAdapter.capture}, for that look. */
  capture(): unknown;
  /**
   * Like {@link StoreAdapter.restore}, but only if nothing was written since this look. Resolves to `false` after a write: then nothing is restored.
   * Saves the look that a caller would take before a restore.
   */
  restore(mark: Checkpoint): Promise<boolean>;
}

/**
 * The contract of a store: an adapter to one store behind the API. All implementations pass one contract suite (`test/contract/system`). Checkpoints
 * nest: `restore(mark)` brings the store to exactly the state it had at the checkpoint, whichever connection committed changes since, and the
 * checkpoint stays valid.
 */
export interface StoreAdapter {
  /**
   * Executes one writing statement on a connection of its own, as a target would: it is part of the state, and is undone with it. For testing rules with
   * rows that are wrong. Never called for a store of the user's own.
   */
  spoil?(sql: string): Awaitable<void>;
  /** The kind of store, e.g. `sqlite`. */
  readonly name: string;
  readonly checkpoint: CheckpointChoice;
  /** The place of the store, without secrets: two adapters with the same value use one store. `undefined` for a store in this process. */
  readonly uses?: string | undefined;
  readonly traits: StoreTraits;
  /** Connects, chooses the checkpoint mode, installs its parts. Called once the target is ready, and again after a restart of the target. */
  open(scope: StoreScope): Awaitable<void>;
  /** Makes the present state the root that observations are relative to. Returns the whole of it. */
  root(): Awaitable<Observed>;
  mark(): Awaitable<Checkpoint>;
  /**
   * Takes a checkpoint without making sure that nobody is in the middle of a write. It is cheaper, and serves to detect changes from here on.
   * Default: `mark`.
   */
  position?(): Awaitable<Checkpoint>;
  /** Returns `true` if anything was written since the checkpoint (a write that restored the old value may count). Cheap. */
  changed(mark: Checkpoint): Awaitable<boolean>;
  restore(mark: Checkpoint): Awaitable<void>;
  /** The difference between now and the root state. */
  observe(): Awaitable<Observed>;
  /**
   * Returns the last look into the store by any method, for a caller that needs no later one: another look would be a round trip to a server. Only
   * where `restore` and `write` end with a look. Default: `undefined`.
   */
  lastLook?(): LastLook | undefined;
  /** The present state as structured-cloneable data relative to the root; only with `traits.portable`. */
  capture?(): Awaitable<unknown>;
  /** Brings the store to a captured state from any state. Checkpoints other than those taken at the root become invalid. */
  write?(image: unknown): Awaitable<void>;
  /**
   * The target has ended and will be restarted: releases resources that would be in its way, such as a connection that keeps a server from choosing
   * the file's mode. Only {@link resume} follows; checkpoints stay valid. Default: nothing.
   */
  pause?(): Awaitable<void>;
  /** The target was restarted and is ready. */
  resume?(): Awaitable<void>;
  /** Returns a gate if a connection of the target can be held before a write; called once the store is open. Default: it cannot. */
  gate?(): Gate | NoGate;
  /** Returns a way to make single writes of the target fail; called once the store is open. Default: there is none. */
  writeFaults?(): WriteFaults | NoFaults;
  /**
   * The present tables, empty ones included; called once the store is open. Default: the store has no tables that patterns of `ignore` could name.
   */
  schema?(): Awaitable<readonly TableSchema[]>;
  /** Receives each query of user code with its rows, while it is set. Default: the store has no queries. */
  onQuery?: QueryListener | undefined;
  /** How far this store has moved the target's clock ahead, in milliseconds. Default: it moves no clock. */
  aheadMs?(): number;
  /** Everything in the store, as text, for comparing: exact, ordered, counters and hidden keys included. Slow. */
  dump(): Awaitable<string>;
  close(): Awaitable<void>;
}

/** Receives a query that user code made to a store. */
export type QueryListener = (query: {
  readonly sql: string;
  readonly params: unknown;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}) => void;

export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
