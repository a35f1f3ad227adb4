import { connect, CONTROL_SETTINGS } from "../connect/connect.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { vacuumText } from "../journal/vacuum.ts";

/**
 * Takes away the rows that were rolled back, by a connection of its own, while the exploring transaction stays open: what a subtransaction wrote
 * is dead for everybody as soon as that was rolled back. A table that is locked, not committed yet, or another role's is left for another time.
 */
export async function vacuumApart(store: StoreUrl, tables: readonly string[]): Promise<void> {
  const client = await connect(store, { settings: CONTROL_SETTINGS });
  try {
    for (const table of tables) await client.query(vacuumText(table)).catch(() => undefined);
  } finally {
    await client.end();
  }
}
