import { setTimeout as pause } from "node:timers/promises";
import { databaseNames, dropDatabase } from "./databases.ts";
import { runLock, runOf } from "./provider-names.ts";
import type { Ask, Beside } from "../connect/server.ts";
import { quoteText } from "../connect/sql-text.ts";

/** The time, in milliseconds, in which a live run must reconnect after a lost connection and take its lock again. */
const COMEBACK_MS = 3000;
const CLAIM_S = 10;

/**
 * Takes the lock that shows other runs that this run is alive. The lock ends with this session. A run with several stores has several such locks,
 * because sessions cannot share a user lock in MySQL.
 */
export async function claim(ask: Ask, runId: string): Promise<void> {
  for (let slot = 0; ; slot++) {
    const [got] = await ask(`select get_lock(${quoteText(slotLock(runId, slot))}, ${slot < SLOTS - 1 ? 0 : CLAIM_S})`);
    if (got?.[0] === "1" || slot >= SLOTS - 1) return;
  }
}

const SLOTS = 8;

function slotLock(runId: string, slot: number): string {
  return `${runLock(runId)} ${slot}`;
}

/** Calls `work` if the run is dead. Holds the run's locks during `work`, so that the run cannot reconnect. @returns `true` if `work` was called */
async function ifDead(ask: Ask, runId: string, work: () => Promise<void>): Promise<boolean> {
  const held: string[] = [];
  try {
    for (let slot = 0; slot < SLOTS; slot++) {
      const name = slotLock(runId, slot);
      const [got] = await ask(`select get_lock(${quoteText(name)}, 0)`);
      if (got?.[0] !== "1") return false;
      held.push(name);
    }
    await work();
    return true;
  } finally {
    for (const name of held) await ask(`do release_lock(${quoteText(name)})`).catch(() => undefined);
  }
}

interface Sweep {
  readonly ownRun?: string | undefined;
  readonly failed: (error: unknown) => void;
  readonly dryRun?: boolean | undefined;
}

/**
 * Drops the databases of dead runs. The name of a database contains the id of its run, and a live run holds a lock. Returns one line of text for each
 * dropped database. With `dryRun`, drops nothing.
 */
export async function sweepDeadRuns(ask: Ask, beside: Beside, { ownRun, failed, dryRun = false }: Sweep): Promise<string[]> {
  const runs = new Map<string, string[]>();
  for (const name of await databaseNames(ask)) {
    const run = runOf(name);
    if (run !== undefined && run !== ownRun) runs.set(run, [...(runs.get(run) ?? []), name]);
  }
  const removed: string[] = [];
  for (const [run, names] of runs) {
    const list = names.map(quoteText).join(", ");
    if ((await ask(`select 1 from information_schema.processlist where db in (${list}) limit 1`)).length > 0) {
      if (!(await ifDead(ask, run, () => Promise.resolve()))) continue;
      await pause(COMEBACK_MS);
    }
    await ifDead(ask, run, async () => {
      for (const name of names) {
        try {
          if (!dryRun) await dropDatabase(ask, name, beside);
          removed.push(`database ${name}`);
        } catch (error) {
          failed(error);
        }
      }
    });
  }
  return removed;
}
