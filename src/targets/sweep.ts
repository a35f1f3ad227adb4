import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { killGroup, killProcess } from "./process/kill-group.ts";
import { markedProcesses } from "./process/marked-processes.ts";
import { here, isAlive, type ProcessIdentity } from "./process/process-identity.ts";
import { basesToSweep, readRecord, rootIn, type Owner } from "./run-directory.ts";

/**
 * The name of the file in a run's directory which shows that docker containers of the run may exist. Only commands that use docker themselves remove
 * such containers, because the removal is slow.
 */
export const COMPOSE_RECORD = "compose.json";
const DRAFT_MAX_AGE_MS = 60 * 60 * 1000;

export interface Swept {
  readonly runs: number;
  readonly processes: number;
}

/**
 * Ends the processes and removes the directories of dead runs. A run is dead if its owner process, identified by pid and start time, no longer
 * exists. Does not touch runs of another machine or container (pid namespace), because their processes are not visible here.
 */
export function sweep(base: string | undefined): Swept {
  let runs = 0;
  let processes = 0;
  for (const root of basesToSweep(base).map(rootIn)) {
    if (!isOurs(root)) continue;
    for (const port of entries(join(root, "ports"))) {
      const path = join(root, "ports", port);
      const claim = readRecord<Owner>(path);
      // The file that reserves a port is incomplete if a run was killed, or the disk was full, while it was written. Remove an incomplete file only
      // if it is old, because a run may just be writing it.
      if (claim === undefined ? ageMs(path) > DRAFT_MAX_AGE_MS : isDead(claim)) remove(path);
    }
    for (const name of readdirSync(root)) {
      const path = join(root, name);
      if (name.startsWith(".new-") && ageMs(path) > DRAFT_MAX_AGE_MS) remove(path);
      if (!/^(?:run|bundle)-/.test(name)) continue;
      const owner = readRecord<Owner>(join(path, "owner.json"));
      if (owner === undefined || !isDead(owner)) continue;
      if (name.startsWith("bundle-")) {
        remove(path);
        continue;
      }
      processes += killLeftovers(path, name.slice("run-".length), owner);
      if (existsSync(join(path, COMPOSE_RECORD))) continue;
      remove(path);
      runs += 1;
    }
  }
  return { runs, processes };
}

/** Ends the processes and removes the directories of dead runs in the default folders. */
export function sweepDeadRuns(): Swept {
  return sweep(undefined);
}

/** Returns a line for each dead run of this user that left something on this machine. Removes nothing. */
export function deadRuns(): readonly string[] {
  return basesToSweep(undefined).flatMap((base) => {
    const root = rootIn(base);
    if (!isOurs(root)) return [];
    const dead = readdirSync(root).filter((name) => {
      const owner = /^(?:run|bundle)-/.test(name) ? readRecord<Owner>(join(root, name, "owner.json")) : undefined;
      return owner !== undefined && isDead(owner);
    });
    return dead.map((name) => `${join(root, name)}, with the processes and containers of that run`);
  });
}

/** Returns `true` if the owner process has certainly ended. */
export function isDead(owner: Owner): boolean {
  const place = here();
  if (owner.place.host !== place.host) return false;
  if (owner.place.boot !== place.boot) return true;
  return owner.place.namespace === place.namespace && !isAlive(owner);
}

function killLeftovers(path: string, runId: string, owner: Owner): number {
  // Kill nothing after a reboot, because the stored pids belong to other processes.
  if (owner.place.boot !== here().boot) return 0;
  let killed = 0;
  for (const name of entries(join(path, "processes"))) {
    const started = readRecord<ProcessIdentity>(join(path, "processes", name));
    if (started !== undefined && isAlive(started) && killGroup(started.pid, "SIGKILL")) killed += 1;
  }
  for (const pid of markedProcesses(runId)) if (killProcess(pid, "SIGKILL")) killed += 1;
  return killed;
}

function isOurs(root: string): boolean {
  try {
    const stats = lstatSync(root);
    return stats.isDirectory() && stats.uid === process.getuid?.();
  } catch {
    return false;
  }
}

function entries(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function ageMs(path: string): number {
  try {
    return Date.now() - lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** Removes a directory. If the directory cannot be removed, removes as many of its files as possible. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // Ignore the failure: another run may be removing the directory, or a dying process may write to it. The next run removes the rest.
  }
}
