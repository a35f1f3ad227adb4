import type { ObservedTable, StoredValue } from "../../model/system.ts";
import type { Facts } from "../../state/facts.ts";

/**
 * Integer keys that were given out by an execution. Which call gets which number is decided by the moment (and a refused insert burns a number of a
 * sequence), so two executions that differ only in these came out alike.
 */
export class FreshIds {
  /** `system.table` -> the keys, as text. */
  readonly #tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of all tables. */
  readonly all: ReadonlySet<string>;

  /** `before`: the state in which the execution began. */
  constructor(before: Facts, after: Facts) {
    const tables = new Map<string, Set<string>>();
    const all = new Set<string>();
    for (const [name, observed] of Object.entries(after.systems)) {
      if (observed.kind !== "rows") continue;
      for (const table of observed.tables) {
        const fresh = freshKeys(table, tableOf(before, name, table.name));
        if (fresh.size > 0) tables.set(`${name}.${table.name}`, fresh);
        for (const id of fresh) all.add(id);
      }
    }
    this.#tables = tables;
    this.all = all;
  }

  has(system: string, table: string, value: StoredValue): boolean {
    return isInteger(value) && this.#tables.get(`${system}.${table}`)?.has(String(value)) === true;
  }

  /** The one table that a number outside of keys may be an id of; `undefined` where it is none's, or several tables have it. */
  tableOf(value: unknown): string | undefined {
    if (!isInteger(value) && !(typeof value === "string" && /^\d{1,19}$/.test(value))) return undefined;
    const id = String(value);
    if (!this.all.has(id)) return undefined;
    const tables = [...this.#tables].filter(([, ids]) => ids.has(id));
    return tables.length === 1 ? tables[0]![0] : undefined;
  }
}

/** The place of the one integer key of a table; -1 without one. */
export function keyColumn(table: ObservedTable): number {
  const keys = table.columns.flatMap((column, index) => (column.key === true ? [index] : []));
  return keys.length === 1 ? keys[0]! : -1;
}

function freshKeys(table: ObservedTable, before: ObservedTable | undefined): Set<string> {
  const key = keyColumn(table);
  if (key < 0) return new Set();
  const known = new Set([...(before?.added ?? []), ...(before?.removed ?? []), ...table.removed].map((row) => String(row[key])));
  return new Set(table.added.flatMap((row) => (isInteger(row[key]) && !known.has(String(row[key])) ? [String(row[key])] : [])));
}

export function tableOf(facts: Facts, system: string, table: string): ObservedTable | undefined {
  const observed = facts.systems[system];
  return observed?.kind === "rows" ? observed.tables.find(({ name }) => name === table) : undefined;
}

export const isInteger = (value: unknown): value is number | bigint => typeof value === "bigint" || Number.isInteger(value);
