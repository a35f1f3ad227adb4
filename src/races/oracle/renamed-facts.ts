import { createHash } from "node:crypto";
import type { Observed, ObservedTable, StoredValue } from "../../model/system.ts";
import type { Facts } from "../../state/facts.ts";
import { isInteger, type FreshIds } from "./fresh-ids.ts";

/**
 * How far integers are taken for ids of new rows. `exact`: not at all. `named`: keys, declared references, and what is called like an id. `any`: every integer
 * that is the number of a new row.
 */
export type Renaming = "exact" | "named" | "any";

/** Called like an id: `id`, `order_id`, `orderId`, `ORDER_ID`. */
const ID_NAME = /(?:^|_)id$|[a-z]I[dD]$|_ID$|^ID$/;

/**
 * Facts in which the ids of new rows are opaque ids, which the canonical form renames, and without counters: a number that was given out and not used
 * is no outcome.
 */
export function renamedFacts(facts: Facts, fresh: FreshIds, renaming: Renaming): Facts {
  const systems = Object.fromEntries(
    Object.entries(facts.systems).map(([name, observed]) => [name, system(name, observed, fresh, renaming)]),
  );
  const context =
    renaming === "exact"
      ? facts.context
      : (leaves(facts.context, (key, value) => outside(key, value, fresh, renaming)) as Facts["context"]);
  return { ...facts, systems, context };
}

function system(name: string, observed: Observed, fresh: FreshIds, renaming: Renaming): Observed {
  if (observed.kind === "value") return observed;
  if (renaming === "exact") return { ...observed, counters: {} };
  return { kind: "rows", counters: {}, tables: observed.tables.map((table) => renamedTable(name, table, fresh, renaming)) };
}

function renamedTable(system: string, table: ObservedTable, fresh: FreshIds, renaming: Renaming): ObservedTable {
  const cell = (value: StoredValue, index: number): StoredValue => {
    const column = table.columns[index]!;
    const { references } = column;
    if (column.key === true && fresh.has(system, table.name, value)) return opaque(`${system}.${table.name}`, value);
    if (references !== undefined)
      return fresh.has(system, references.table, value) ? opaque(`${system}.${references.table}`, value) : value;
    return outside(column.name, value, fresh, renaming) as StoredValue;
  };
  const rows = (list: ObservedTable["added"]): ObservedTable["added"] => list.map((row) => row.map(cell));
  return { ...table, added: rows(table.added), removed: rows(table.removed) };
}

/** A value that no declaration says to be an id. */
function outside(name: string, value: unknown, fresh: FreshIds, renaming: Renaming): unknown {
  if (renaming !== "any" && !ID_NAME.test(name)) return value;
  const table = fresh.tableOf(value);
  if (table !== undefined) return opaque(table, value as StoredValue);
  // Of several tables: which one is not known, and does not matter where it is only compared.
  return isInteger(value) && fresh.all.has(String(value)) ? "<id of a new row>" : value;
}

/** A UUID that stands for a key. */
function opaque(table: string, id: StoredValue): string {
  const hex = createHash("sha256")
    .update(`${table} ${String(id)}`)
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A copy of plain data with its numbers and strings replaced; `key`: the nearest name that a value stands under. */
function leaves(value: unknown, replace: (key: string, value: unknown) => unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => leaves(item, replace, key));
  if (typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, leaves(item, replace, name)]));
  }
  return replace(key, value);
}
