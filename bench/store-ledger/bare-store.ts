/** A row or key of the ledger: what identifies it, and its content as text; `undefined`: it does not exist. */
export type Change = readonly [key: string, content: string | undefined];

/** The two queries of the ledger's invariants. */
export type Check = "cancelled after shipping" | "refunded too much";

/** The store of a bare loop: nothing but the statements that a mark, an observation and a restore need. */
export interface BareStore {
  /** For the target, as DATABASE_URL. */
  readonly url: string;
  /** Called once the target has made its tables. */
  prepare(): Promise<void>;
  /** The observation: what was written since the last look, by others than this store. */
  look(): Promise<readonly Change[]>;
  /** A look that also makes sure that no other session is in the middle of a write. */
  mark(): Promise<readonly Change[]>;
  /** A restore, or the writing of a node's state. */
  put(changes: readonly Change[]): Promise<void>;
  check(check: Check): Promise<unknown>;
  close(): Promise<void>;
}

/** The queries of the invariants in SQL, as fixtures/ledger/orders.ts sends them. */
export const CHECKS: Readonly<Record<Check, string>> = {
  "cancelled after shipping": "SELECT id FROM orders WHERE status = 'cancelled' AND shipped = 1",
  "refunded too much": "SELECT id FROM orders WHERE refunded > amount",
};

/** The columns of the ledger's table, in their order. */
export const COLUMNS = ["id", "amount", "refunded", "status", "shipped"] as const;
