import type { LentConnection } from "./lent-connection.ts";
import { SavepointMode } from "./savepoint-mode.ts";

export interface OpenSavepoint {
  /** What the target works on. */
  readonly connection: LentConnection;
  /** See `SystemScope.borrowed`. */
  readonly borrowed: boolean;
  readonly schemas?: readonly string[] | undefined;
  readonly tables?: readonly string[] | undefined;
}

/**
 * Begins to explore on a lent connection. From here on the transactions of the target are savepoints inside one that is never committed.
 *
 * @throws SeqqaError `SAVEPOINT_HINDERED`, `STORE_IN_USE`, `STORE_BUSY`, `TABLE_UNKNOWN`, `SCHEMA_UNKNOWN`, or why there is no connection
 */
export function openSavepoint({ connection, borrowed, schemas, tables }: OpenSavepoint): Promise<SavepointMode> {
  const { core } = connection;
  return SavepointMode.open({ store: core.store, core, borrowed, schemas, tables });
}
