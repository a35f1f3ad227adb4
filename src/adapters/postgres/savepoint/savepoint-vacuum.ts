import { connect, CONTROL_SETTINGS } from "../connect/connect.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { vacuumText } from "../journal/vacuum.ts";

/**
 * Removes the rows that were rolled back, on a connection of its own, while the exploring transaction stays open: the writes of a subtransaction are
 * dead for everybody as soon as it was rolled back. A table that is locked, not committed yet, or another role's is left for another time.
 */
export async function vacuumApart(store: StoreUrl, tables: readonly string[]): Promise<void> {
  const client = await connect(store, { settings: CONTROL_SETTINGS });
  try {
    for (const table of tables) await client.query(vacuumText(table)).catch(() => undefined);
  } finally {
    await client.end();
  }
}
