import { connect, CONTROL_SETTINGS } from "../connect/connect.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { vacuumText } from "../journal/vacuum.ts";

/**
 * Removes the dead rows that rollbacks leave. Uses another connection, while the exploring transaction is open. Rows of a rolled back savepoint are
 * immediately dead for all sessions. Skips tables that are locked, not committed yet, or owned by another role.
 */
export async function vacuumApart(store: StoreUrl, tables: readonly string[]): Promise<void> {
  const client = await connect(store, { settings: CONTROL_SETTINGS });
  try {
    for (const table of tables) await client.query(vacuumText(table)).catch(() => undefined);
  } finally {
    await client.end();
  }
}
