import type { Observed, ObservedTable, StoredValue } from "../../../model/stores/store-adapter.ts";

const TIMES: ReadonlySet<unknown> = new Set(["timestamp", "processedOn", "finishedOn"]);

/** Matches the id of a job that a job scheduler made, and the key of such a job. Both end with the time of the job in milliseconds. */
const SCHEDULED = /^((?:.*?:)?)(repeat:.+:)(\d{13})$/s;
/** Matches the key of a job scheduler. */
const SCHEDULER = /:repeat:[^:]+$/;

/** The options that contain the time or the delay of a job that a job scheduler made. */
const TIMED_OPTIONS: ReadonlySet<string> = new Set(["prevMillis", "jobId", "timestamp", "delay"]);

/**
 * Removes from an observation of Redis the times at which jobs were added, taken and finished. The order of delayed jobs remains part of the state.
 * In the ids of jobs that a job scheduler made, the time is replaced by its position among the times of this scheduler.
 * @param prefix The prefix of the queues' keys.
 */
export function withoutTimes(observed: Observed, prefix: string): Observed {
  if (observed.kind !== "rows") return observed;
  const isOurs = (key: unknown): key is string => typeof key === "string" && key.startsWith(`${prefix}:`);
  const kept = (table: ObservedTable, rows: ObservedTable["added"]): ObservedTable["added"] => {
    switch (table.name) {
      case "hash":
        return rows
          .filter(([key, field]) => !(isOurs(key) && isTime(key, field)))
          .map((row) => (isOurs(row[0]) ? withPlainOptions(row) : row));
      case "zset":
        // Replace the score of a finished job by 0, because it is the time at which the job finished.
        return rows.map((row) => {
          const [key, member] = row;
          if (!isOurs(key)) return row;
          if (/:(?:completed|failed)$/.test(key)) return [key, member!, 0];
          // Replace the score of a delayed job, and of a job scheduler, by its position among the scores of the same key. The score is the time at
          // which the job becomes ready, and only the order of these times belongs to the state.
          const place = (): number => rows.filter((other) => other[0] === key && Number(other[2]) < Number(row[2])).length;
          return /:(?:delayed|repeat)$/.test(key) ? [key, member!, place()] : row;
        });
      default:
        return rows;
    }
  };
  const placed = placesIn(observed.tables.flatMap(({ added, removed }) => [...added, ...removed]).filter(([key]) => isOurs(key)));
  const shown = (table: ObservedTable, rows: ObservedTable["added"]): ObservedTable["added"] =>
    kept(table, rows).map((row) => (isOurs(row[0]) ? row.map(placed) : row));
  const tables = observed.tables.map((table) => ({ ...table, added: shown(table, table.added), removed: shown(table, table.removed) }));
  return { ...observed, tables: tables.filter(({ added, removed }) => added.length + removed.length > 0) };
}

/** Returns `true` for a field that contains a time or a delay of a job, or the number of jobs that a job scheduler made. */
function isTime(key: string, field: unknown): boolean {
  if (SCHEDULED.test(key)) return TIMES.has(field) || field === "delay";
  return TIMES.has(field) || (SCHEDULER.test(key) && (field === "ic" || field === "offset"));
}

/**
 * Removes the times from the options of a job that a job scheduler made. Also removes the number of the job, unless the scheduler has a limit for the
 * number of jobs.
 */
function withPlainOptions(row: readonly StoredValue[]): readonly StoredValue[] {
  const [key, field, value] = row;
  if (field !== "opts" || typeof value !== "string" || !SCHEDULED.test(String(key))) return row;
  const plain = JSON.stringify(JSON.parse(value), function (this: { readonly limit?: unknown }, name, one: unknown) {
    return TIMED_OPTIONS.has(name) || (name === "count" && this.limit === undefined) ? undefined : one;
  });
  return [key!, field, plain];
}

/** Returns a function that replaces the time in the id of a scheduler's job by its position among all times of this scheduler in `rows`. */
function placesIn(rows: readonly (readonly StoredValue[])[]): (value: StoredValue) => StoredValue {
  const times = new Map<string, Set<string>>();
  for (const [, , scheduler, ms] of rows.flat().flatMap((value) => (typeof value === "string" ? [SCHEDULED.exec(value) ?? []] : []))) {
    if (scheduler !== undefined) times.set(scheduler, (times.get(scheduler) ?? new Set()).add(ms!));
  }
  const places = new Map([...times].map(([scheduler, all]) => [scheduler, [...all].sort()]));
  return (value) =>
    typeof value === "string"
      ? value.replace(
          SCHEDULED,
          (_, before: string, scheduler: string, ms: string) => `${before}${scheduler}${places.get(scheduler)!.indexOf(ms)}`,
        )
      : value;
}
