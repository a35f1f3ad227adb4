import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { idDomain, isInteger } from "./fresh-ids.ts";
import { mapLeaves, templateOf, type Visitor } from "./leaves.ts";

export interface FactsVisitor extends Visitor {
  /**
   * Called for each key of a table, each number of a counter, and each value that is declared to refer to one of them. `domain` is `system.table`, or
   * `system.table.column` for a counter of a column that is no key. @returns the replacement; `undefined` to keep the value
   */
  declared(domain: string, token: string): string | undefined;
}

/**
 * Returns a copy of the content of a state, in which the visitor has replaced values of stores and context. Counters are left out, because an unused
 * number of a sequence is no result of a call. Clients stay unchanged.
 */
export function mapFacts(facts: Facts, visitor: FactsVisitor): Facts {
  const systems = Object.fromEntries(Object.entries(facts.systems).map(([name, observed]) => [name, mapSystem(name, observed, visitor)]));
  const context = Object.fromEntries(
    Object.entries(facts.context).flatMap(([key, value]) => {
      const place = `context.${key}`;
      return visitor.drops(place) ? [] : [[key, mapLeaves(value, place, key, visitor)]];
    }),
  );
  return { ...facts, systems, context };
}

function mapSystem(name: string, observed: Observed, visitor: FactsVisitor): Observed {
  if (observed.kind === "value") return { ...observed, value: mapLeaves(observed.value, `systems.${name}`, "", visitor) };
  return { kind: "rows", counters: {}, tables: observed.tables.map((table) => mapTable(name, table, visitor)) };
}

function mapTable(system: string, table: ObservedTable, visitor: FactsVisitor): ObservedTable {
  const rows = (list: ObservedTable["added"]): ObservedTable["added"] =>
    list.map((row) => row.map((_value, index) => mapCell(system, table, row, index, visitor)));
  return { ...table, added: rows(table.added), removed: rows(table.removed) };
}

export function mapCell(
  system: string,
  table: ObservedTable,
  row: readonly StoredValue[],
  index: number,
  visitor: FactsVisitor,
): StoredValue {
  const value = row[index]!;
  const domain = idDomain(system, table, index);
  if (domain !== undefined && isInteger(value)) return visitor.declared(domain, String(value)) ?? value;
  if (value instanceof Uint8Array) return value;
  return mapLeaves(value, cellPlace(system, table, row, index), table.columns[index]!.name, visitor) as StoredValue;
}

/** Returns the place of a column's value. In a table with several kinds of rows, each kind has its own place. */
function cellPlace(system: string, { name, columns }: ObservedTable, row: readonly StoredValue[], index: number): string {
  const kinds = columns.flatMap(({ kind }, at) => (kind === true && at !== index ? [templateOf(String(row[at]))] : []));
  return `${system}.${name}.${columns[index]!.name}${kinds.length === 0 ? "" : `(${kinds.join()})`}`;
}
