import { readdirSync, readFileSync } from "node:fs";

/** The environment variable that carries the run's id. Child processes inherit it. */
export const RUN_VARIABLE = "SEQQA_RUN";

/**
 * Returns the ids of processes whose environment contains the run's id, except this process and its ancestors. The list includes processes that left
 * their process group, and processes that were started but not recorded when seqqa was killed. It is empty on systems other than Linux, because only
 * Linux shows the environments of processes.
 */
export function markedProcesses(runId: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const own = ancestry();
  const mark = `${RUN_VARIABLE}=${runId}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => !own.has(pid) && environmentOf(pid).includes(mark));
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return []; // the process has ended, or belongs to another user
  }
}

function ancestry(): ReadonlySet<number> {
  const own = new Set<number>([1]);
  for (let pid = process.pid; pid > 1 && !own.has(pid);) {
    own.add(pid);
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      pid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    } catch {
      break;
    }
  }
  return own;
}
