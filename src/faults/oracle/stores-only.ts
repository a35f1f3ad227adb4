import { ignoredTables } from "../../model/stores/ignored.ts";
import type { Observed } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/**
 * Returns the part of a state that a failed call must leave either as before or as after a successful call. Left out are tables that match
 * `bestEffort`, stores that the action itself changes, context and credentials. Counters are left out, because a database does not take back the
 * number of a failed insert.
 */
export function storesOnly(facts: Facts, bestEffort: readonly string[], changedByAction: readonly string[] = []): Facts {
  const patterns = bestEffort.map((pattern) => ({ pattern, system: undefined }));
  const systems = Object.entries(facts.systems)
    .filter(([name]) => !changedByAction.includes(name))
    .map(([name, observed]): [string, Observed] => {
      if (observed.kind === "value") return [name, observed];
      const left = ignoredTables(patterns, name, observed.tables);
      return [name, { ...observed, tables: observed.tables.filter((table) => !left.has(table.name)), counters: {} }];
    });
  return { systems: Object.fromEntries(systems), context: {}, clients: {} };
}
