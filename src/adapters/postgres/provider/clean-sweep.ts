import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { rowsOf } from "../schema/catalog.ts";
import { ifDead } from "./heartbeat.ts";
import { databaseNames, dropDatabase } from "./provider-drop.ts";
import { runOf } from "./provider-names.ts";
import { quoteText } from "../connect/sql-text.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The time, in milliseconds, in which a live run must reconnect after a lost connection and take its lock again. */
const COMEBACK_MS = 3000;

export interface Sweeping {
  readonly ownRun?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Called with the error of each database that could not be dropped. */
  readonly failed: (error: unknown) => void;
  /** Called with the name of each database that belongs to another role. */
  readonly foreign?: ((database: string) => void) | undefined;
}

/**
 * Drops the databases of dead runs. The name of a database contains the id of its run, and a live run holds a lock. Returns one line of text for each
 * dropped database. With `dryRun`, drops nothing.
 */
export async function sweepDeadRuns(client: Client, store: StoreUrl, { ownRun, dryRun, failed, foreign }: Sweeping): Promise<string[]> {
  const runs = new Map<string, string[]>();
  for (const name of await databaseNames(client)) {
    const run = runOf(name);
    if (run !== undefined && run !== ownRun) runs.set(run, [...(runs.get(run) ?? []), name]);
  }
  const removed: string[] = [];
  for (const [run, names] of runs) {
    if (await inUse(client, names)) {
      if ((await ifDead(client, run, () => Promise.resolve(true))) === undefined) continue;
      await pause(COMEBACK_MS);
    }
    await ifDead(client, run, async () => {
      for (const name of names) {
        try {
          if (!(await owns(client, name))) {
            foreign?.(name);
            continue;
          }
          if (dryRun !== true) await dropDatabase(client, store, name);
          removed.push(`database ${name}`);
        } catch (error) {
          failed(error);
        }
      }
    });
  }
  return removed;
}

async function owns(client: Client, database: string): Promise<boolean> {
  const [row] = await rowsOf<[string]>(
    client,
    `select pg_has_role(datdba, 'usage')::text from pg_database where datname = ${quoteText(database)}`,
  );
  return row?.[0] !== "false";
}

async function inUse(client: Client, names: readonly string[]): Promise<boolean> {
  const list = names.map(quoteText).join(", ");
  return (await rowsOf(client, `select 1 from pg_stat_activity where datname in (${list}) limit 1`)).length > 0;
}
