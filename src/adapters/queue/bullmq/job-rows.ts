import type { Observed, ObservedTable } from "../../../model/stores/store-adapter.ts";

/** Fields of a job that say when something happened. */
const TIMES: ReadonlySet<unknown> = new Set(["timestamp", "processedOn", "finishedOn"]);

/**
 * Returns an observation of Redis without the times of jobs: when a job was added, taken and finished. What a delayed job waits for is part of the state.
 * @param prefix The prefix of the queues' keys.
 */
export function withoutTimes(observed: Observed, prefix: string): Observed {
  if (observed.kind !== "rows") return observed;
  const isOurs = (key: unknown): key is string => typeof key === "string" && key.startsWith(`${prefix}:`);
  const kept = (table: ObservedTable, rows: ObservedTable["added"]): ObservedTable["added"] => {
    switch (table.name) {
      case "hash":
        return rows.filter(([key, field]) => !(isOurs(key) && TIMES.has(field)));
      case "zset":
        // Finished jobs are sorted by the time at which they finished.
        return rows.map((row) => {
          const [key, member] = row;
          if (!isOurs(key)) return row;
          if (/:(?:completed|failed)$/.test(key)) return [key, member!, 0];
          // Delayed jobs are sorted by the time at which they are due: their order counts.
          const place = (): number => rows.filter((other) => other[0] === key && Number(other[2]) < Number(row[2])).length;
          return key.endsWith(":delayed") ? [key, member!, place()] : row;
        });
      default:
        return rows;
    }
  };
  const tables = observed.tables.map((table) => ({ ...table, added: kept(table, table.added), removed: kept(table, table.removed) }));
  return { ...observed, tables: tables.filter(({ added, removed }) => added.length + removed.length > 0) };
}
