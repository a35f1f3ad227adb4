import type { WrittenRow } from "./leftover.ts";
/**
 * A value, or a promise of a value. Adapters with a synchronous driver return the value itself, so that the lane need not wait for the event loop.
 */
export type Awaitable<T> = T | Promise<T>;

/** The mechanism that restores a store, and the reason for its choice. */
export interface CheckpointChoice {
  readonly mode: string;
  readonly why: string;
}

/** The abilities of a store, which decide how the lane can return to a state. */
export interface StoreTraits {
  /** `true` if a state can be read (`capture`) and written to this or another lane (`write`), in any order. */
  readonly portable: boolean;
  /** `true` if other connections see the target's writes. Late writes then show in `changed`, and races are possible. */
  readonly commits: boolean;
  /** `true` if the store is a value in this process. `changed` then compares the whole value, and late writes are not detected. */
  readonly inMemory?: boolean;
  /** `true` if checkpoints exist in the target's own process, so that a restart of the target loses them. */
  readonly inTarget?: boolean;
  /** `true` if restores can leave chosen counters as they are; see {@link StoreScope.unrestored}. */
  readonly canLeaveCounters?: boolean;
}

/** Counters that restores leave unchanged, although they decide which values the target generates next. */
export interface KeptCounters {
  /** The names of the tables with such counters. Never empty. */
  readonly tables: readonly string[];
  /** The setting that lets seqqa restore the counters, e.g. `checkpoint: copy`. */
  readonly remedy: string;
  /**
   * Sets the counters to their values in the root state, in which the store must be. Resolves to `false` if an open transaction of the target
   * prevents this. `undefined` if the store can never set its counters.
   */
  readonly restore: (() => Promise<boolean>) | undefined;
}

/** The {@link KeptCounters.remedy} of a store that leaves counters as they are because a search would otherwise be endless. */
export const LIMIT_ROWS: string =
  "a limit for the number of rows that actions create (in their preconditions), so that the search ends by itself";

/** A handle to a saved state. The handle is valid until an older checkpoint is restored, another state is written, or the store is opened again. */
export type Checkpoint = unknown;

/** One column of an observed table. */
export interface ObservedColumn {
  readonly name: string;
  /** `true` if the column is part of the primary key. */
  readonly key?: boolean;
  /**
   * `true` if the column determines the kind of a row. Rows are of different kinds if their values in this column differ in more than ids and
   * numbers. seqqa learns separately for each kind which fields change by themselves.
   */
  readonly kind?: boolean;
  /** The table and column that a declared foreign key of this column refers to. */
  readonly references?: { readonly table: string; readonly column: string };
  /**
   * The column (`table.column`) whose counter generated the numbers in this column: this column, or the column that it refers to. Set only in races,
   * and not for a counter of a column that is the whole key of its table.
   */
  readonly serial?: string;
}

/** A value as a store returns it. Bytes are `Uint8Array`; integers beyond 2^53 are `bigint`. */
export type StoredValue = null | boolean | number | bigint | string | Uint8Array;

/** The changes of a table since the root state. In the root state itself, all rows are `added`. */
export interface ObservedTable {
  readonly name: string;
  readonly columns: readonly ObservedColumn[];
  readonly added: readonly (readonly StoredValue[])[];
  readonly removed: readonly (readonly StoredValue[])[];
  /**
   * The first `inPlace` rows of `added` are at the positions of removed rows of the root state. The remaining rows of `added` come after all rows of
   * the root state. Set only if the order of `added` belongs to the state, because the table has no key and queries can read its rows in this order.
   * Default: the order has no meaning.
   */
  readonly inPlace?: number;
  /**
   * For a table with `inPlace`: positions of rows, such as their rowids. `positions.added` has the positions of the first `inPlace` rows of `added`,
   * and `positions.removed` has the positions of all rows of `removed`. Default: rows of the root state with equal values are not distinguished.
   */
  readonly positions?: { readonly added: readonly StoredValue[]; readonly removed: readonly StoredValue[] };
  /**
   * The indices of the rows of `added` in the order in which a query without ORDER BY can read them, although the table has a key. Two states that
   * differ only in this order count as one state until an audit shows that the order matters. Default: the order has no meaning.
   */
  readonly readOrder?: readonly number[];
}

/** Returns the changes of a table without the order and the positions of its rows. */
export function withoutRowOrder({
  inPlace: _inPlace,
  positions: _positions,
  readOrder: _readOrder,
  ...table
}: ObservedTable): ObservedTable {
  return table;
}

/** The observed state of a store. */
export type Observed =
  | {
      readonly kind: "rows";
      /** Only tables that differ from the root state, ordered by name. */
      readonly tables: readonly ObservedTable[];
      /** The values of the counters (AUTOINCREMENT, sequences) that differ from the root state. A counter decides the next generated value. */
      readonly counters: Readonly<Record<string, number | bigint | null>>;
    }
  | {
      readonly kind: "value";
      readonly value: unknown;
      /** The field of `value` that lists the calls or mails that the target sent. Only for a store that plays a third party. */
      readonly received?: "calls" | "mails";
      /**
       * For a third party: the number of entries of the list `received` that arrived in each step, in order. Entries of one step count as unordered,
       * because a target may send its requests in parallel. Default: the whole list is ordered.
       */
      readonly steps?: readonly number[];
      /**
       * `true` if the order of the entries of objects, Maps and Sets in `value` is always the same after the same calls. The order is then part of the
       * state as soon as an audit shows that it matters. Default: the order is ignored.
       */
      readonly hasEntryOrder?: true;
    };

/** A table with its columns. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly string[];
  /** The foreign keys that consist of one column. Default: none. */
  readonly references?: readonly DeclaredReference[];
  /** The counters whose numbers are used in only one column, a column of this table. Default: none. */
  readonly counters?: readonly TableCounter[];
  /**
   * The names of all counters that columns of this table own or use. Default: unknown. A counter without a known table belongs to the table whose name
   * the counter has, or whose name its own name begins with (`<table>_<column>_seq`).
   */
  readonly usesCounters?: readonly string[];
  /** Set if observations can contain {@link ObservedTable.readOrder} for the table. `key`: the column of the primary key, if it is one column. */
  readonly readOrder?: { readonly key?: string | undefined };
}

/** A counter that numbers the rows of a table. */
export interface TableCounter {
  /** The name of the counter in the observations of the store. */
  readonly name: string;
  /** The column that gets the numbers. */
  readonly column: string;
  /** The meaning of the observed value: the next number, or the last number that was used. */
  readonly shows: "next" | "last";
  /** `true` if the counter reaches its maximum or wraps around after fewer than 1,000,000,000 numbers. Default `false`. */
  readonly isShort?: boolean | undefined;
}

/** A foreign key of one column. */
export interface DeclaredReference {
  readonly column: string;
  /** The table that the column refers to, and the column of that table. */
  readonly to: { readonly table: string; readonly column: string };
  /** `true` if the store checks the foreign key unless a connection turns the check off. SQLite checks it only in connections that ask for it. */
  readonly isChecked: boolean;
}

/** The information that a lane passes to a store when it opens the store. */
export interface StoreScope {
  /** The name of the store in the world, e.g. `db`. */
  readonly name: string;
  readonly laneIndex: number;
  /** `true` if the target runs in this process and uses the store's own connection. */
  readonly inProcess: boolean;
  /**
   * `true` for an external store: a store of the user that seqqa uses in place (`base_url`, `lanes`). The adapter does not change settings of the
   * store. `close()` restores the rows that the run changed to their values at `open()`, including rows that `setup` wrote before {@link
   * StoreAdapter.root}. Rows that somebody else changed are left unchanged. `close()` also removes everything that seqqa installed. The store itself
   * holds the data that `close()` needs, so that `seqqa clean` can restore the rows after a SIGKILL. Before this cleaning, `open()` refuses the store
   * (`STORE_LEFT`). `open()` also refuses a store that a live run uses (`STORE_IN_USE`).
   */
  readonly borrowed: boolean;
  /** The World's `ignore` patterns. Tables and columns of an external store that match are neither judged nor restored. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Returns the number of times that the lane has sent a request to the target; `undefined` while a request is in progress. If an external store has
   * a new write but the number is unchanged, somebody else made the write (`FOREIGN_WRITE`). Default: every write is attributed to the run.
   */
  readonly asked?: (() => number | undefined) | undefined;
  /**
   * Called with rows of an external store that were written since its last read, while the run had a request in progress. Another client may have
   * written some of these rows. Default: nobody needs these rows.
   */
  readonly wrote?: ((store: string, rows: readonly WrittenRow[]) => void) | undefined;
  /**
   * `true` if an external store is opened only to detect writes of others. Nothing is sent to the target until the store is closed, and rows that
   * cannot be restored are not an error. Default `false`.
   */
  readonly watching?: boolean | undefined;
  /**
   * The names of counters that restores leave at the values that they have reached, and that are not part of observations. Writing a snapshot raises
   * them to the values of the snapshot. Only for stores with the trait `canLeaveCounters`. Default: none.
   */
  readonly unrestored?: readonly string[] | undefined;
  /** `true` if races will be probed with {@link StoreAdapter.gate}, so that `open` installs what the gate needs. Default `false`. */
  readonly gated?: boolean | undefined;
  /** `true` if writes will be made to fail with {@link StoreAdapter.writeFaults}, so that `open` installs what the faults need. Default `false`. */
  readonly faulty?: boolean | undefined;
}

/** A write by the target that a {@link Gate} holds back, or that {@link WriteFaults} causes to fail. */
export interface HeldWrite {
  /** The kind of statement and its table, e.g. `UPDATE orders`. */
  readonly statement: string;
}

/** The progress of a race while a gate holds one of its calls. */
export type GateView =
  | { readonly kind: "running" }
  /** The other calls wait for a lock of the held call. `by`: that lock, e.g. `a row of orders`. The text is the same in every trial. */
  | { readonly kind: "blocked"; readonly by: string };

/**
 * Holds one connection of the target before a write, so that the calls of a race overlap at that write in each trial. The store installs what the
 * gate needs when it is opened with {@link StoreScope.gated}. The gate holds one call at a time. Arm the gate only while no call is in progress. The
 * first connection that reaches the write is held; all others pass.
 */
export interface Gate {
  readonly kind: "gate";
  /**
   * Arms the gate: the connection that makes the `write`th write statement from now on is held before that statement. Statements are counted from 1,
   * over all connections of the target. A statement counts once, however many rows it changes; triggers' statements do not count.
   * @throws SeqqaError `STORE_BUSY` if the target keeps a write transaction open
   */
  arm(write: number): Promise<void>;
  /** Resolves with the held write as soon as a connection is held, or with `undefined` if `done` settles first. */
  held(done: Promise<unknown>): Promise<HeldWrite | undefined>;
  /** Returns `blocked` if another connection of the target waits for a lock of the held connection. Callers call it every few milliseconds. */
  view(): Promise<GateView>;
  /** Releases the held connection and disarms the gate. Never rejects. A second call does nothing. */
  release(): Promise<void>;
}

/** Returned by a store instead of a {@link Gate} if it cannot delay a write until seqqa lets the write continue. */
export interface NoGate {
  readonly kind: "none";
  /** The reason, in one sentence without a full stop, e.g. `SQLite has one writer, and its triggers run inside the target`. */
  readonly why: string;
}

/**
 * The way in which a write fails. `error`: its statement raises an error. `cut`: its connection is closed before the write. `kill`: the target's
 * process ends before the write.
 */
export type WriteFault = "error" | "cut" | "kill";

/**
 * Makes one write of the target fail. The store installs what the faults need when it is opened with {@link StoreScope.faulty}. All methods except
 * {@link watched} and {@link failed} are called while no call is in progress. Writes are counted from 1, over all connections of the target: write
 * statements, or rows if the store has no statement triggers.
 */
export interface WriteFaults {
  readonly kind: "faults";
  /** The kinds of failures that this store can make. */
  readonly kinds: readonly WriteFault[];
  /** The reasons why this store cannot make the other kinds, each one sentence without a full stop. */
  readonly missing: Readonly<Partial<Record<WriteFault, string>>>;
  /** Starts counting the target's writes. No write fails. @throws SeqqaError `STORE_BUSY` if the target keeps a write transaction open */
  watch(): Promise<void>;
  /** Resolves, once `done` has settled, with the number of writes since {@link watch}. Ends the counting. */
  watched(done: Promise<unknown>): Promise<number>;
  /** Makes the `write`th write from now on fail. @throws SeqqaError `STORE_BUSY` if the target keeps a write transaction open */
  arm(write: number, fault: WriteFault): Promise<void>;
  /**
   * Resolves with the write that failed. The write was not made, and for `cut` and `kill` its connection is closed. Resolves with `undefined` if
   * `done` settles first, or if the store lets the write pass. For a fault of kind `kill`, `kill` is called to end the target's process while the
   * write is held.
   */
  failed(done: Promise<unknown>, kill?: () => Promise<void>): Promise<HeldWrite | undefined>;
  /** Lets all further writes pass. Never rejects. A second call does nothing. */
  disarm(): Promise<void>;
}

/** The answer of a store that cannot make a write fail. */
export interface NoFaults {
  readonly kind: "none";
  /** The reason, in one sentence without a full stop. */
  readonly why: string;
}

/**
 * The use of a stub since its creation: whether it received any requests, and examples of requests for which it had no reply. See {@link
 * StoreAdapter.asked}.
 */
export interface StubUse {
  readonly wasCalled: boolean;
  readonly unmatched: readonly string[];
}

/** The state of a store at the adapter's last read. The object is valid until the store is read again. */
export interface LastLook {
  /** The checkpoint of the state that was read: the checkpoint that {@link StoreAdapter.position} returned at the time of the read. */
  readonly mark: Checkpoint;
  /** Returns the same as {@link StoreAdapter.observe} would have returned at that read. */
  observe(): Observed;
  /** Returns the same as {@link StoreAdapter.capture} would have returned at that read. */
  capture(): unknown;
  /**
   * Restores a checkpoint like {@link StoreAdapter.restore}, but only if nothing was written since this read. Resolves to `false`, and restores
   * nothing, if something was written. Saves callers a separate read before a restore.
   */
  restore(mark: Checkpoint): Promise<boolean>;
}

/**
 * The contract of a store adapter: the adapter gives access to one store behind the API. All adapters pass one contract suite
 * (`test/contract/system`). `restore(mark)` brings the store to exactly the state that it had at the checkpoint, whichever connection made the
 * changes. That checkpoint and older checkpoints stay valid; younger checkpoints become invalid.
 */
export interface StoreAdapter {
  /**
   * Executes one writing statement as a target would: on a separate connection, or on the shared connection if the target uses it. The change belongs
   * to the state, and a restore undoes it. Serves to test rules with wrong rows. Never called for an external store. Returns the number of changed
   * rows. If no number is returned, the statement counts as a change.
   */
  spoil?(sql: string): Awaitable<number | void>;
  /** The kind of the store, e.g. `sqlite`. */
  readonly name: string;
  readonly checkpoint: CheckpointChoice;
  /** The location of the store, without secrets. Two adapters with the same value use one store. `undefined` for a store in this process. */
  readonly uses?: string | undefined;
  readonly traits: StoreTraits;
  /**
   * Connects, chooses the checkpoint mode, and installs what the mode needs. Called when the target is ready, and again after a restart of the
   * target.
   */
  open(scope: StoreScope): Awaitable<void>;
  /** Makes the present state the root state, to which observations are relative. Returns the whole state. */
  root(): Awaitable<Observed>;
  mark(): Awaitable<Checkpoint>;
  /** Takes a checkpoint without waiting for writes in progress. Cheaper than `mark`, and serves to detect later changes. Default: `mark`. */
  position?(): Awaitable<Checkpoint>;
  /** Returns `true` if anything was written since the checkpoint. A write that left the value as it was may count as a change. Must be cheap. */
  changed(mark: Checkpoint): Awaitable<boolean>;
  restore(mark: Checkpoint): Awaitable<void>;
  /** The counters that {@link restore} leaves unchanged. Default: none. */
  readonly keptCounters?: KeptCounters | undefined;
  /** Returns the differences between the present state and the root state. */
  observe(): Awaitable<Observed>;
  /**
   * Returns the state at the last read of the store by any method. Saves a round trip to the server if a caller needs no newer state. Only for stores
   * whose `restore` and `write` end with a read. Default: `undefined`.
   */
  lastLook?(): LastLook | undefined;
  /** Returns the present state relative to the root, as structured-cloneable data. Only called if `traits.portable` is `true`. */
  capture?(): Awaitable<unknown>;
  /**
   * Returns the whole present content, as structured-cloneable data that {@link write} accepts on a lane whose root state has other rows. Returns
   * `undefined` if the content is too large, or if the store is an external store. Only for stores with `capture`. Default: `undefined`.
   */
  captureWhole?(): Awaitable<unknown>;
  /** Brings the store from any state to a captured state. All checkpoints except checkpoints of the root state become invalid. */
  write?(image: unknown): Awaitable<void>;
  /**
   * Prepares for a restart of the target, which has ended. Releases resources that would disturb the new target. An open connection to a SQLite file,
   * for example, would make `PRAGMA journal_mode` fail in the target. Only {@link resume} is called next; checkpoints stay valid. Default: does
   * nothing.
   */
  pause?(): Awaitable<void>;
  /** Continues after a restart, when the target is ready again. */
  resume?(): Awaitable<void>;
  /** Returns a gate if a connection of the target can be held before a write. Called after `open`. Default: the store has no gate. */
  gate?(): Gate | NoGate;
  /** Returns an object that makes single writes of the target fail. Called after `open`. Default: the store cannot make writes fail. */
  writeFaults?(): WriteFaults | NoFaults;
  /** Returns the present tables, including empty tables. Called after `open`. Default: the store has no tables that `ignore` patterns could name. */
  schema?(): Awaitable<readonly TableSchema[]>;
  /** A function that receives each query of user code with its rows, while the property is set. Default: the store has no queries. */
  onQuery?: QueryListener | undefined;
  /** Returns the milliseconds by which this store has moved the target's clock ahead. Default: the store does not move the clock. */
  aheadMs?(): number;
  /**
   * Reports the requests that the target sent since the store was created, including requests that a restore undid. Only for a store that plays a
   * third party. `unmatched`: some of the requests without a reply, e.g. `POST /charges`. Default: the store is no third party.
   */
  asked?(): StubUse;
  /**
   * Called when an action has moved the target's clock ahead. Removes data whose lifetime has ended, and shortens all other lifetimes. Default: the
   * store has no lifetimes, or they do not follow the target's clock.
   */
  passTime?(ms: number): Awaitable<void>;
  /** Sets the clock that shows the target's time, in milliseconds since 1970. Called only if a store moves the clock. Default: no effect. */
  keepTime?(now: () => number): void;
  /** Called before each step of a path. Leave this method out if the state of the store does not depend on where steps begin. */
  beginStep?(): void;
  /** Returns an error that user code threw while it computed an answer of the store, and forgets the error. Default: the store calls no user code. */
  takeThrown?(): Error | undefined;
  /**
   * Calls code of a target that runs in this process, and makes the code use this store. Omit the method if the code uses the store anyway.
   */
  callTarget?<T>(call: () => T): T;
  /** Returns the whole content of the store as text, for comparing: exact, ordered, including counters and hidden keys. Slow. */
  dump(): Awaitable<string>;
  close(): Awaitable<void>;
}

/** Receives a query that user code sent to a store. */
export type QueryListener = (query: {
  readonly sql: string;
  readonly params: unknown;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}) => void;

export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
