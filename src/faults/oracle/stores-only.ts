import { isDeepStrictEqual } from "node:util";
import { ignoredColumns, ignoredTables } from "../../model/stores/ignored.ts";
import { withEffectsOnly, withoutOrder } from "../../model/stores/received.ts";
import { withoutRowOrder, type Observed, type ObservedTable } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/**
 * Returns the part of a state in which a failed call must either change nothing or make all changes of a successful call. The following is left out:
 * - tables, columns and stores without tables that match `bestEffort`;
 * - calls to a third party that had no effect there;
 * - stores that the action itself changes, context and credentials;
 * - counters, because a database does not take back the number of a failed insert.
 */
export function storesOnly(facts: Facts, bestEffort: readonly string[], changedByAction: readonly string[] = []): Facts {
  const patterns = bestEffort.map((pattern) => ({ pattern, system: undefined }));
  const systems = Object.entries(facts.systems)
    .filter(
      ([name, { kind }]) => !changedByAction.includes(name) && !(kind === "value" && ignoredTables(patterns, name, [{ name }]).size > 0),
    )
    .map(([name, observed]): [string, Observed] => {
      if (observed.kind === "value") return [name, withoutOrder(withEffectsOnly(observed))];
      const left = ignoredTables(patterns, name, observed.tables);
      const tables = observed.tables.filter((table) => !left.has(table.name));
      const schemas = tables.map((table) => ({ name: table.name, columns: table.columns.map((column) => column.name) }));
      const columns = ignoredColumns(patterns, name, schemas);
      return [name, { ...observed, tables: tables.map((table) => withoutColumns(table, columns.get(table.name))), counters: {} }];
    });
  return { systems: Object.fromEntries(systems), context: {}, clients: {} };
}

/** Returns a table without the columns `left`. Rows that differ from the root state only in these columns are left out. */
function withoutColumns(table: ObservedTable, left: ReadonlySet<string> | undefined): ObservedTable {
  if (left === undefined) return table;
  const kept = <T>(cells: readonly T[]): readonly T[] => cells.filter((_, index) => !left.has(table.columns[index]!.name));
  const removed = table.removed.map(kept);
  const added = table.added.map(kept).filter((row) => {
    const same = removed.findIndex((other) => isDeepStrictEqual(row, other));
    if (same >= 0) removed.splice(same, 1);
    return same < 0;
  });
  return { ...withoutRowOrder(table), columns: kept(table.columns), added, removed };
}
