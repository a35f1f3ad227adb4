import { readdirSync, readFileSync } from "node:fs";

/** Set in the environment of every process that a run starts, and inherited by their child processes. */
export const RUN_VARIABLE = "SEQQA_RUN";

/**
 * Returns the processes whose environment has a run's id. These include processes that left their process group, and ones that were not registered
 * yet when seqqa was killed. The id is random, so nothing else can have it. This process and its ancestors are never included. Only Linux shows
 * environments; elsewhere the list is empty and only registered processes are found.
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
    return []; // another user's, or ended
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
