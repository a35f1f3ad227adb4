export type PostgresCheckpoint = "auto" | "journal" | "savepoint" | "clone";

export interface PostgresAdapterOptions {
  /** `postgresql://user:password@host:port/database`; never shown with its password. */
  readonly url: string;
  /**
   * How the database is put back. `journal`: an undo log by triggers. `savepoint`: nested savepoints on {@link PostgresAdapter.connection},
   * for a target in this process. `clone`: the whole database, by `CREATE DATABASE ... TEMPLATE`. Default `auto`: what fits, see
   * {@link PostgresAdapter.checkpoint}.
   */
  readonly checkpoint?: PostgresCheckpoint | undefined;
  /** The schemas whose tables belong to the state; the others are put back, and not looked at. Default: all. */
  readonly schemas?: readonly string[] | undefined;
  /** The tables that belong to the state, as `table` (of schema `public`) or `schema.table`; the others are put back, and not looked at. Default: all. */
  readonly tables?: readonly string[] | undefined;
  /** `table.column`s that are not part of the state. */
  readonly ignore?: readonly string[] | undefined;
  /** `table.column`s of ids that are interchangeable, so that states that differ only in their names are one. */
  readonly symmetric?: readonly string[] | undefined;
}
