import { existsSync } from "node:fs";
import { SeqqaError } from "../../../model/errors.ts";
import type { Cleaned, Cleaning, StoreKind } from "../../../model/stores/store-provider.ts";
import { check } from "../connect/check.ts";
import { connect } from "../connect/connect.ts";
import { planTables } from "../journal/table-plan.ts";
import { SqliteProvider } from "./provider.ts";
import { sqlitePath } from "../connect/sqlite-path.ts";
import { recover } from "../journal/take-over.ts";

/** Provides SQLite stores for lanes: one file per lane. */
export const stores: StoreKind = { createProvider: (options) => new SqliteProvider(options), clean, check, disturb };

/** Restores an external file if a dead run left changes in it. */
async function clean(url: string, how: Cleaning = {}): Promise<Cleaned> {
  const file = sqlitePath(url);
  if (!existsSync(file)) return { removed: [] };
  try {
    const leftover = await recover(file, how);
    return { removed: leftover === undefined ? [] : [`tables and triggers of a dead run in ${file}`], leftover };
  } catch (error) {
    if (error instanceof SeqqaError && error.code === "STORE_IN_USE") return { removed: [], inUse: error.message };
    throw error;
  }
}

async function disturb(url: string): Promise<string | undefined> {
  const db = connect(sqlitePath(url));
  try {
    const plans = planTables(db, undefined);
    const tables = typeof plans === "string" ? [] : plans;
    for (const { sqlName, name, keyAt, stored } of tables) {
      const key = keyAt.map((at) => stored[at]).join(", ");
      try {
        const { changes } = db.prepare(`delete from ${sqlName} where (${key}) = (select ${key} from ${sqlName} limit 1)`).run();
        if (changes > 0) return `removed a row of ${name}`;
      } catch {
        // The row cannot be deleted, e.g. because of a foreign key, a trigger or a missing function. Try the next table.
      }
    }
    return undefined;
  } finally {
    db.close();
  }
}
