import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/** Matches text that ends in a number and may label a row: `ORD-7`, `INV/0007`, `order:7`. */
const LABEL = /^(?=.{2,60}$)([A-Za-z][\w\-/:.#]*?)0*(\d{1,19})$/;

/**
 * The ids that were generated in one execution: integer keys of new rows, other numbers of counters in new rows, and new labels that end in a number.
 * Timing decides which call gets which number, and a refused insert uses up a number of a sequence. Two executions that differ only in these ids have
 * the same result.
 */
export class FreshIds {
  readonly all: ReadonlySet<string>;
  /** For each domain (`system.table`, or `system.table.column` for a counter of a column that is no key), the generated numbers as text. */
  readonly #keys: ReadonlyMap<string, ReadonlySet<string>>;
  /** For each domain (`system.table.column prefix`), the generated numbers as text. */
  readonly #labels: ReadonlyMap<string, { readonly prefix: string; readonly numbers: ReadonlySet<string> }>;

  constructor(before: Facts, after: Facts) {
    const keys = new Map<string, Set<string>>();
    const labels = new Map<string, { readonly prefix: string; readonly numbers: Set<string> }>();
    for (const [name, observed] of Object.entries(after.systems)) {
      if (observed.kind !== "rows") continue;
      for (const table of observed.tables) {
        const known = tableOf(before, name, table.name);
        for (const [domain, column] of generatedColumns(name, table)) {
          const fresh = freshNumbers(table, known, column);
          if (fresh.size > 0) keys.set(domain, fresh);
        }
        for (const { column, prefix, number } of freshLabels(table, known)) {
          const domain = `${name}.${table.name}.${column} ${prefix}`;
          if (!labels.has(domain)) labels.set(domain, { prefix, numbers: new Set() });
          labels.get(domain)!.numbers.add(number);
        }
      }
    }
    this.#keys = keys;
    this.#labels = labels;
    this.all = new Set([...keys.values()].flatMap((ids) => [...ids]));
  }

  /** Returns `true` if the execution generated this number as an id of the domain. */
  has(domain: string, token: string): boolean {
    return this.#keys.get(domain)?.has(token) ?? this.#labels.get(domain)?.numbers.has(token) ?? false;
  }

  /**
   * Returns the domains in which the execution generated this number as an id. @param before The text before the number, for a number inside text.
   */
  domainsOf(token: string, before?: string): readonly string[] {
    const keys = [...this.#keys].flatMap(([domain, ids]) => (ids.has(token) ? [domain] : []));
    if (before === undefined) return keys;
    const labels = [...this.#labels].flatMap(([domain, { prefix, numbers }]) =>
      numbers.has(token) && before.endsWith(prefix) ? [domain] : [],
    );
    return [...keys, ...labels];
  }
}

/** Returns the index of the column that is the key of a table; -1 unless the key has exactly one column. */
export function keyColumn(table: ObservedTable): number {
  const keys = table.columns.flatMap((column, index) => (column.key === true ? [index] : []));
  return keys.length === 1 ? keys[0]! : -1;
}

/** Returns the columns whose numbers the store generates for new rows, each with its domain. */
function generatedColumns(system: string, table: ObservedTable): readonly (readonly [domain: string, column: number])[] {
  const key = keyColumn(table);
  return table.columns.flatMap(({ serial, references }, index) => {
    if (index === key) return [[`${system}.${table.name}`, index] as const];
    return serial === undefined || references !== undefined ? [] : [[`${system}.${serial}`, index] as const];
  });
}

/** Returns the domain of the ids in a column: a key, a counter's column, or a column with a foreign key. `undefined` for all other columns. */
export function idDomain(system: string, table: ObservedTable, index: number): string | undefined {
  const { serial, references } = table.columns[index]!;
  if (serial !== undefined) return `${system}.${serial}`;
  if (references !== undefined) return `${system}.${references.table}`;
  return index === keyColumn(table) ? `${system}.${table.name}` : undefined;
}

function freshNumbers(table: ObservedTable, before: ObservedTable | undefined, index: number): Set<string> {
  const known = new Set([...(before?.added ?? []), ...(before?.removed ?? []), ...table.removed].map((row) => String(row[index])));
  return new Set(table.added.flatMap((row) => (isInteger(row[index]) && !known.has(String(row[index])) ? [String(row[index])] : [])));
}

interface Label {
  readonly column: string;
  readonly prefix: string;
  readonly number: string;
}

function freshLabels(table: ObservedTable, before: ObservedTable | undefined): readonly Label[] {
  const known = [...(before?.added ?? []), ...(before?.removed ?? []), ...table.removed];
  return table.columns.flatMap(({ name }, index) => {
    const old = new Set<StoredValue | undefined>(known.map((row) => row[index]));
    return table.added.flatMap((row): Label[] => {
      const value = row[index];
      if (typeof value !== "string" || old.has(value)) return [];
      const [, prefix, number] = LABEL.exec(value) ?? [];
      return prefix === undefined || number === undefined ? [] : [{ column: name, prefix, number }];
    });
  });
}

export function tableOf(facts: Facts, system: string, table: string): ObservedTable | undefined {
  const observed = facts.systems[system];
  return observed?.kind === "rows" ? observed.tables.find(({ name }) => name === table) : undefined;
}

export const isInteger = (value: unknown): value is number | bigint => typeof value === "bigint" || Number.isInteger(value);
