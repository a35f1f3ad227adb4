import type { LanePool } from "../../engine/lane-pool.ts";
import type { Explorer } from "../../engine/search/explorer.ts";
import { differingFields } from "../../state/index.ts";

/** The number of steps below which no note is given. */
const FEWEST_STEPS = 200;
/** The share of changing steps that led to a new state above which a note is given. */
const SUSPICIOUS = 0.95;

/** Returns a note with the fields that differ, if nearly every step that changed the state led to a new one. */
export async function freshStateNotes(explorer: Explorer, lanePool: LanePool): Promise<readonly string[]> {
  const { committer, stopReason, limit } = explorer;
  const { nodes, edges } = committer;
  if (stopReason === "exhausted" || stopReason === "interrupted" || committer.steps < FEWEST_STEPS || limit.isOver) return [];
  let changing = 0;
  edges.each((from, _action, to) => {
    if (to >= 0 && to !== from) changing++;
  });
  const fresh = nodes.size - 1;
  if (changing < FEWEST_STEPS / 2 || fresh < changing * SUSPICIOUS) return [];
  const fields = await fieldsThatDiffer(nodes.path(nodes.size - 1), lanePool);
  const what = `Nearly every step that changed the state led to a new one (${fresh} of ${changing}).`;
  if (fields.length === 0) return [`${what} If states should recur, look for a value that differs each time and list it under ignore.`];
  return [`${what} These fields differ between two executions of one path; list them under ignore: ${fields.join(", ")}.`];
}

async function fieldsThatDiffer(path: readonly number[], lanePool: LanePool): Promise<readonly string[]> {
  try {
    await lanePool.rebuild(0);
    const first = await lanePool.record(0, path);
    const second = await lanePool.record(0, path);
    return differingFields(first.lines, second.lines);
  } catch {
    return [];
  }
}
