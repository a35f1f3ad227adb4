import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The identity of a process: its pid and its start time. A later process with the same pid has another start time. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time of the process: in clock ticks since boot on Linux, on other systems as `ps` prints it. */
  readonly start: string;
}

/** The scope in which a pid identifies a process: one boot of a machine, and one pid namespace. */
export interface Place {
  readonly host: string;
  readonly boot: string;
  readonly namespace: string;
}

/** Returns the identity of the running process with this pid. Returns `undefined` if no process or only a zombie process has this pid. */
export function identify(pid: number): ProcessIdentity | undefined {
  const start = process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
  return start === undefined ? undefined : { pid, start };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.start === identity.start;
}

export function here(): Place {
  return {
    host: hostname(),
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "",
    namespace: attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  };
}

/** Returns the current thread as text for {@link isThreadAlive}; empty if the system does not identify threads. */
export function thisThread(): string {
  const task = attempt(() => readlinkSync("/proc/thread-self"));
  const start = task === undefined ? undefined : startIn(`/proc/${task}/stat`);
  return start === undefined ? "" : `${task}:${start}`;
}

/** Returns `true` if a thread of this process still runs. A worker thread can end before its process. */
export function isThreadAlive(thread: string): boolean {
  const [, task = "", start] = /^(\d+\/task\/\d+):(.+)$/.exec(thread) ?? [];
  return start !== undefined && startIn(`/proc/${task}/stat`) === start;
}

function startOnLinux(pid: number): string | undefined {
  return startIn(`/proc/${pid}/stat`);
}

function startIn(file: string): string | undefined {
  const stat = attempt(() => readFileSync(file, "latin1"));
  if (stat === undefined) return undefined;
  // The 2nd field is the command in parentheses. The command may contain spaces and parentheses, so split after the last parenthesis. The state is
  // then the 1st part (3rd field of the line), the start time the 20th part (22nd field).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

function startByPs(pid: number): string | undefined {
  const listed = attempt(() =>
    execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
  const [state = "", ...start] = (listed ?? "").trim().split(/\s+/);
  return start.length === 0 || state.startsWith("Z") ? undefined : start.join(" ");
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
