import { readdirSync, readFileSync } from "node:fs";

/** Set in the environment of every process that a run starts, and inherited by what those start in turn. */
export const RUN_VARIABLE = "SEQQA_RUN";

/**
 * The processes that carry a run's mark: also those that left their process group, or were started and not yet registered when
 * seqqa was killed. The id is random, so nothing else can carry it. Never this process or one that it descends from. Linux
 * alone shows environments; elsewhere the list is empty and the registry of processes has to do.
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
    return []; // another user's, or gone
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
