import { ignoredTables } from "../../model/stores/ignored.ts";
import type { Observed } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/**
 * Returns the part of a state that a failed call must leave as before or as after it: the stores, without the tables that patterns of `bestEffort`
 * name, and without stores that the action itself changes. Counters are left out, since a database does not take a number back that a failed insert used. Context and credentials belong to the client.
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
