import type { CalibrationWalk, ReachedState } from "../../../messages/lane-messages.ts";
import { eachDifference, type DroppedField } from "../../../state/index.ts";
import type { LearningLanes } from "./learn-values.ts";

/**
 * Number of new target processes that are compared. Data that a process keeps in its memory may differ between two processes by chance, but hardly
 * between each two of three processes.
 */
const PROCESSES = 3;
/** Number of executions in each process. They must agree, because a process does not change its id or the secret that it drew at its start. */
const REPETITIONS = 2;

type Values = ReadonlyMap<string, readonly [string, string]>;

/**
 * Executes the path repeatedly in several new processes of the target. Returns the fields whose values come from the process itself: equal in all
 * executions of one process, but different in each two processes. Returns an empty list if anything else differs, too.
 */
export async function valuesOfProcess(lanePool: LearningLanes, walk: CalibrationWalk): Promise<readonly DroppedField[]> {
  const all: (readonly ReachedState[])[] = [];
  for (let process = 0; process < PROCESSES; process++) {
    await lanePool.rebuild(0);
    const own: (readonly ReachedState[])[] = [];
    for (let execution = 0; execution < REPETITIONS; execution++)
      own.push((await lanePool.calibrate({ ...walk, once: true })).reached ?? []);
    if (own.some((one) => differing(own[0]!, one)?.size !== 0)) return [];
    all.push(own[0]!);
  }
  const pairs = all.flatMap((a, index) => all.slice(index + 1).map((b) => differing(a, b)));
  const [first] = pairs;
  if (first === undefined || pairs.some((one) => one === undefined || !haveSameKeys(one, first))) return [];
  return [...first].map(([field, values]): DroppedField => ({ field, values, isOfProcess: true }));
}

/** Returns the fields that differ between two executions of one path. Returns `undefined` if more differs than values of fields. */
function differing(a: readonly ReachedState[], b: readonly ReachedState[]): Values | undefined {
  const found = new Map<string, readonly [string, string]>();
  if (a.length !== b.length) return undefined;
  for (const [index, x] of a.entries()) {
    const y = b[index]!;
    if (x.action !== y.action || x.status !== y.status || x.lines.length !== y.lines.length) return undefined;
    if (x.print.lo === y.print.lo && x.print.hi === y.print.hi) continue;
    let isOther = false;
    let count = 0;
    eachDifference(
      x.lines,
      y.lines,
      (one) => {
        count++;
        if (one.kind !== "field" || one.before === "" || one.value === "") isOther = true;
        else if (!found.has(one.name)) found.set(one.name, [one.before, one.value]);
      },
      x.kinds,
    );
    if (isOther || count === 0) return undefined;
  }
  return found;
}

function haveSameKeys(a: Values, b: Values): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}
