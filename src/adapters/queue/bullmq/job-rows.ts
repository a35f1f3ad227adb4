import type { Observed, ObservedTable } from "../../../model/stores/store-adapter.ts";

const TIMES: ReadonlySet<unknown> = new Set(["timestamp", "processedOn", "finishedOn"]);

/**
 * Removes from an observation of Redis the times at which jobs were added, taken and finished. The order of delayed jobs remains part of the state.
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
        // Replace the score of a finished job by 0, because it is the time at which the job finished.
        return rows.map((row) => {
          const [key, member] = row;
          if (!isOurs(key)) return row;
          if (/:(?:completed|failed)$/.test(key)) return [key, member!, 0];
          // Replace the score of a delayed job by its position among the delayed jobs. The score is the time at which the job is due, and only the
          // order counts.
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
