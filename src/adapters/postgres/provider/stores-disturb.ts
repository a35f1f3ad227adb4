import type { Client } from "pg";
import { readCatalog, type Catalog } from "../schema/catalog.ts";
import { connect, CONTROL_SETTINGS } from "../connect/connect.ts";
import { safeCause } from "../connect/failures.ts";
import { quoteText } from "../connect/sql-text.ts";
import { storeUrl } from "../connect/store-url.ts";

/** Removes a row where the schema allows it, and draws from a sequence. */
export async function disturb(url: string): Promise<string | undefined> {
  const store = storeUrl(url);
  const client = await connect(store, { rawText: true, settings: CONTROL_SETTINGS });
  try {
    const { tables, sequences } = await readCatalog(client);
    const done = [await removeRow(client, tables), await draw(client, sequences)].filter((one) => one !== undefined);
    return done.length === 0 ? undefined : done.join(" and ");
  } catch (error) {
    throw safeCause(store, error);
  } finally {
    await client.end();
  }
}

async function removeRow(client: Client, tables: Catalog["tables"]): Promise<string | undefined> {
  for (const { sqlName, name } of tables) {
    try {
      await client.query("begin");
      const { rowCount } = await client.query(`delete from only ${sqlName} where ctid = (select ctid from only ${sqlName} limit 1)`);
      await client.query(rowCount === 1 ? "commit" : "rollback");
      if (rowCount === 1) return `removed a row of ${name}`;
    } catch {
      // A row that refers to it, a trigger or a privilege prevents it: the next table is tried.
      await client.query("rollback");
    }
  }
  return undefined;
}

async function draw(client: Client, sequences: Catalog["sequences"]): Promise<string | undefined> {
  for (const { sqlName, name, cached } of sequences) {
    if (cached) continue;
    try {
      await client.query(`select nextval(${quoteText(sqlName)}::regclass)`);
      return `drew from sequence ${name}`;
    } catch {
      // The sequence is at its end, or may not be used: the next one is tried.
    }
  }
  return undefined;
}
