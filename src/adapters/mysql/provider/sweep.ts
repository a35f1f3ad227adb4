import { setTimeout as pause } from "node:timers/promises";
import { databaseNames, dropDatabase } from "./databases.ts";
import { runLock, runOf } from "./provider-names.ts";
import type { Ask, Beside } from "../connect/server.ts";
import { quoteText } from "../connect/sql-text.ts";

/** Milliseconds in which a living run can reconnect and take its lock again after its connection was lost. */
const COMEBACK_MS = 3000;
const CLAIM_S = 10;

/**
 * Takes the lock that shows that a run is alive; it ends with this session. A run with several stores needs several locks, because MySQL's user locks
 * cannot be shared.
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

/** Does work if a run is dead, and holds its locks meanwhile, so that it cannot reconnect. @returns `true` if the work was done */
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
 * Drops the databases of dead runs and nothing else. A run's databases have its id in their names, and a living run holds its lock. Returns a line
 * for each dropped database.
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
