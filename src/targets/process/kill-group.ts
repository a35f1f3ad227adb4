import { readdirSync, readFileSync } from "node:fs";

/** Sends a signal to a process group; `false` when nothing is left of it. */
export function killGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  return send(-group, signal);
}

/** Sends a signal to one process; `false` when it is gone. */
export function killProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  return send(pid, signal);
}

/**
 * Whether anything of the group still runs. Zombies do not: an init that is slow to collect them would otherwise be waited for. But a process whose first
 * thread is one while others have not ended yet still has its files open, and its locks on them.
 */
export function groupRuns(group: number): boolean {
  if (!killGroup(group, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    const [state, , itsGroup] = statFields(name);
    return (
      itsGroup === String(group) && (isAlive(state) || threadsOf(name).some((thread) => isAlive(statFields(`${name}/task/${thread}`)[0])))
    );
  });
}

const isAlive = (state: string | undefined): boolean => state !== undefined && state !== "Z" && state !== "X";

function threadsOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The fields after the command, of a process or (`pid/task/tid`) of a thread: state, parent, process group, ... */
function statFields(of: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${of}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal);
    return true;
  } catch (error) {
    // EPERM: it is there, and not ours to end.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
