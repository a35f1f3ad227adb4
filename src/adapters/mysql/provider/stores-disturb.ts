import { OURS } from "../schema/catalog.ts";
import { connect, disconnect, OUR_SETTINGS } from "../connect/connect.ts";
import { safeCause } from "../connect/failures.ts";
import { named, quoteName } from "../connect/sql-text.ts";
import { storeUrl } from "../connect/store-url.ts";

/** Removes a row where the schema allows it. */
export async function disturb(url: string): Promise<string | undefined> {
  const store = storeUrl(url);
  const connection = await connect(store, { settings: OUR_SETTINGS, driver: { rowsAsArray: true } });
  try {
    const [tables] = (await connection.query(
      `select table_name from information_schema.tables where ${named("table_schema", store.database)} and table_type = 'BASE TABLE' order by table_name`,
    )) as unknown as [string[][]];
    for (const [name] of tables) {
      if (name!.startsWith(OURS)) continue;
      try {
        const [result] = await connection.query(`delete from ${quoteName(name!)} limit 1`);
        if ((result as { affectedRows: number }).affectedRows === 1) return `removed a row of ${name!}`;
      } catch {
        // A row that refers to it, a trigger or a privilege prevents it: the next table is tried.
      }
    }
    return undefined;
  } catch (error) {
    throw safeCause(store, error);
  } finally {
    await disconnect(connection);
  }
}
