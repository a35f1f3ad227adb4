/** Sends a signal to a process group; `false` when nothing is left of it. */
export function killGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  return send(-group, signal);
}

/** Sends a signal to one process; `false` when it is gone. */
export function killProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  return send(pid, signal);
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
