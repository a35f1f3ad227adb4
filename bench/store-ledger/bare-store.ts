/** A row or key of the ledger: its identity, and its content as text. The content is `undefined` if the row or key does not exist. */
export type Change = readonly [key: string, content: string | undefined];

/** The queries of the ledger's two invariants. */
export type Check = "cancelled after shipping" | "refunded too much";

/** The store of a bare loop. It sends only the statements that a checkpoint, an observation and a restore need. */
export interface BareStore {
  /** The URL for the target's variable DATABASE_URL. */
  readonly url: string;
  /** Prepares the store. Called after the target has created its tables. */
  prepare(): Promise<void>;
  /** Returns the observation: the changes since the last look, without those that this store wrote itself. */
  look(): Promise<readonly Change[]>;
  /** Takes a checkpoint: a look that also checks that no other session is in the middle of a write. */
  mark(): Promise<readonly Change[]>;
  /** Restores a checkpoint, or writes the state of a node. */
  put(changes: readonly Change[]): Promise<void>;
  check(check: Check): Promise<unknown>;
  close(): Promise<void>;
}

/** The queries of the invariants in SQL, as fixtures/ledger/orders.ts sends them. */
export const CHECKS: Readonly<Record<Check, string>> = {
  "cancelled after shipping": "SELECT id FROM orders WHERE status = 'cancelled' AND shipped = 1",
  "refunded too much": "SELECT id FROM orders WHERE refunded > amount",
};

/** The columns of the ledger's table, in the order of the table. */
export const COLUMNS = ["id", "amount", "refunded", "status", "shipped"] as const;
