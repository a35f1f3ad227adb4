import { setTimeout as pause } from "node:timers/promises";
import { databaseNames, dropDatabase } from "./databases.ts";
import { runLock, runOf } from "./provider-names.ts";
import type { Ask, Beside } from "../connect/server.ts";
import { quoteText } from "../connect/sql-text.ts";

/** A run whose connection was lost opens another one at once. A run whose databases are in use is given time for that. */
const COMEBACK_MS = 3000;
const CLAIM_S = 10;

/**
 * Shows that a run is alive, as long as this session lives. Several stores of one run show it side by side: the lock has a name for each of them,
 * since MySQL's locks are not shared.
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

/** Does work on what a run left, if that run is dead; meanwhile it cannot come back. @returns `true` if the work was done */
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
  /** The run that is left alone. */
  readonly ownRun?: string | undefined;
  /** Called for databases that could not be removed. */
  readonly failed: (error: unknown) => void;
  /** Only reports what would be removed. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Removes the databases of dead runs and nothing else. They are recognized by their names and by the locks that a living run holds. Returns a line
 * for each.
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
