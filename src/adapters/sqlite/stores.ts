import { existsSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";
import type { Removed, StoreKind } from "../../model/store-provider.ts";
import { check } from "./check.ts";
import { connect } from "./connect.ts";
import { planTables } from "./table-plan.ts";
import { SqliteProvider } from "./provider.ts";
import { sqlitePath } from "./sqlite-path.ts";
import { sweepBeside, takeOver } from "./take-over.ts";

/** SQLite for lanes: a file for each. */
export const stores: StoreKind = { createProvider: (options) => new SqliteProvider(options), clean, check, disturb };

/** Puts a user's file back that a dead run left, and removes copies beside it that nobody needs. */
async function clean(url: string): Promise<Removed> {
  const file = sqlitePath(url);
  if (!existsSync(file)) return [];
  const removed: string[] = [];
  try {
    if (await takeOver(file)) removed.push(`what a dead run left in ${file}, whose data was put back`);
    const copies = await sweepBeside(file);
    if (copies > 0) removed.push(`${copies} ${copies === 1 ? "copy" : "copies"} of a dead run beside ${file}`);
  } catch (error) {
    if (!(error instanceof SeqqaError) || error.code !== "STORE_IN_USE") throw error;
  }
  return removed;
}

/** Removes a row where the schema allows it. */
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
        // What refers to it, a trigger, or a function that only the target has forbids it: the next one.
      }
    }
    return undefined;
  } finally {
    db.close();
  }
}
