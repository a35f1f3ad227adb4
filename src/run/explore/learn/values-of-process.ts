import type { CalibrationWalk, ReachedState } from "../../../messages/lane-messages.ts";
import { eachDifference, fieldOf, type DroppedField, type Knowledge } from "../../../state/index.ts";
import type { LanePool } from "../../../engine/lane-pool.ts";

/**
 * Number of target processes that are compared. Data that a process keeps in its memory may differ between two processes by chance, but hardly
 * between each two of three processes.
 */
const PROCESSES = 3;
/** Number of executions in each process. They must agree, because a process does not change its id or the secret that it drew at its start. */
const REPETITIONS = 2;

/** Matches a time, and a JWT, which may contain times. `setup` may have written them, and it runs again in each new process. */
const MAY_HOLD_TIME = /\b\d{10}(?:\d{3})?\b|\d\d:\d\d|\d{4}-\d\d-\d\d|eyJ/;

type Values = ReadonlyMap<string, readonly [string, string]>;

/**
 * Executes the path repeatedly in several processes of the target, of which the first is the present process. Returns the fields whose values come
 * from the process itself: equal in all executions of one process, but different in each two processes. Returns an empty list if anything else
 * differs, too, such as a field with a known time or generated value: `setup` wrote other times in each process.
 */
export async function valuesOfProcess(
  lanePool: Pick<LanePool, "calibrate" | "rebuild">,
  walk: CalibrationWalk,
  { generated, times }: Pick<Knowledge, "generated" | "times">,
): Promise<readonly DroppedField[]> {
  const known = [...generated, ...times].map(({ place }) => fieldOf(place));
  const all: (readonly ReachedState[])[] = [];
  const execute = async (): Promise<readonly ReachedState[]> => (await lanePool.calibrate({ ...walk, once: true })).reached ?? [];
  let found: Values | undefined;
  for (let process = 0; process < PROCESSES; process++) {
    if (process > 0) await lanePool.rebuild(0);
    const first = await execute();
    for (const other of all) {
      const values = differing(other, first);
      if (values === undefined || values.size === 0 || !haveSameKeys(values, found ?? values)) return [];
      if ([...values.values()].some(([a, b]) => MAY_HOLD_TIME.test(a) && MAY_HOLD_TIME.test(b))) return [];
      if ([...values.keys()].some((field) => known.some((one) => isWithin(one, field) || isWithin(field, one)))) return [];
      found ??= values;
    }
    for (let execution = 1; execution < REPETITIONS; execution++) if (differing(first, await execute())?.size !== 0) return [];
    all.push(first);
  }
  return [...found!].map(([field, values]): DroppedField => ({ field, values, isOfProcess: true }));
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

/** Returns `true` if a field is equal to another field or a part of it: `context.token.iat` is a part of `context.token`. */
function isWithin(field: string, other: string): boolean {
  return field === other || field.startsWith(`${other}.`) || field.startsWith(`${other}[`);
}
