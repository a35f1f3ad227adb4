import { readdirSync, readFileSync } from "node:fs";

/** Sends a signal to a process group. @returns `false` if no process of the group exists */
export function killGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  return send(-group, signal);
}

/** Sends a signal to one process. @returns `false` if the process does not exist */
export function killProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  return send(pid, signal);
}

/**
 * Returns `true` if a process of the group is still running. A process that has ended but was not yet reaped by its parent (a zombie) does not count,
 * because this may take long if the parent is an init process. A zombie with running threads counts, because it still holds files and locks.
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

/**
 * Returns the fields of `/proc/<of>/stat` that follow the name of the command: state, parent, process group, and so on. `of` is a process (`pid`) or
 * a thread (`pid/task/tid`).
 */
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
    // Return `true` for the error EPERM, because the process exists, but this user is not allowed to send a signal to it.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
