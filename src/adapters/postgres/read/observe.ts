import type { Observed, ObservedTable, StoredValue } from "../../../model/stores/store-adapter.ts";
import type { Sequence, Table } from "../schema/catalog.ts";
import { pairsOf } from "../journal/counter-sql.ts";
import type { MultisetMirror, RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Selection } from "./selection.ts";
import { rowFields } from "../connect/sql-text.ts";
import { integer, shownValue } from "./values.ts";

export function shownRow(table: Table, row: string): StoredValue[] {
  const fields = rowFields(row);
  return table.shownAt.map((at) => shownValue(fields[at] ?? null, table.columns[at]?.kind ?? "text"));
}

/**
 * Collects added and removed rows under the table names that states show. Rows of partitions are collected under the name of their partitioned table.
 */
export class ShownTables {
  readonly #tables = new Map<string, { table: Table; added: StoredValue[][]; removed: StoredValue[][] }>();

  add(table: Table, row: string, by: number): void {
    let shown = this.#tables.get(table.name);
    if (shown === undefined) this.#tables.set(table.name, (shown = { table, added: [], removed: [] }));
    const values = shownRow(table, row);
    const into = by > 0 ? shown.added : shown.removed;
    for (let i = Math.abs(by); i > 0; i--) into.push(values);
  }

  all(): ObservedTable[] {
    const names = [...this.#tables.keys()].sort();
    return names.map((name) => {
      const { table, added, removed } = this.#tables.get(name)!;
      return { name, columns: table.shown, added, removed };
    });
  }
}

export function observeNet(tables: readonly Table[], net: RowSums, selection: Selection): ObservedTable[] {
  const shown = new ShownTables();
  for (let i = 0; i < tables.length; i++) {
    const table = tables[i]!;
    const rows = net.of(i);
    if (rows.size > 0 && selection.tables(table)) for (const [row, by] of rows) shown.add(table, row, by);
  }
  return shown.all();
}

export function observeMirror(
  tables: readonly Table[],
  sequences: readonly Sequence[],
  { net, counters, rootCounters }: MultisetMirror,
  selection: Selection,
): Observed {
  const pairs = (text: string): string => pairsOf(text, sequences.length);
  return {
    kind: "rows",
    tables: observeNet(tables, net, selection),
    counters: observeCounters(sequences, pairs(counters), pairs(rootCounters), selection),
  };
}

export function observeAll(tables: readonly (readonly [Table, readonly string[]])[]): ObservedTable[] {
  const shown = new ShownTables();
  for (const [table, rows] of tables) for (const row of rows) shown.add(table, row, 1);
  return shown.all();
}

/** Parses the text of an array of pairs. Returns `last_value` and `is_called` of each sequence. */
export function counterPairs(counters: string): readonly (readonly [last: bigint, called: boolean])[] {
  const numbers = counters.match(/-?\d+/g) ?? [];
  return Array.from({ length: numbers.length / 2 }, (_, i) => [BigInt(numbers[2 * i] ?? 0), numbers[2 * i + 1] === "1"] as const);
}

/**
 * Returns the next value of each sequence whose next value differs from its next value in `root`. Without `root`, returns the next values of all
 * sequences.
 */
export function observeCounters(
  sequences: readonly Sequence[],
  now: string,
  root: string | undefined,
  selection: Selection,
): Record<string, number | bigint> {
  const differing: Record<string, number | bigint> = {};
  if (now === root) return differing;
  const [pairs, before] = [counterPairs(now), root === undefined ? undefined : counterPairs(root)];
  for (let i = 0; i < sequences.length; i++) {
    const sequence = sequences[i]!;
    if (!selection.sequences(sequence)) continue;
    const next = nextOf(sequence, pairs[i]);
    if (before === undefined || nextOf(sequence, before[i]) !== next) differing[sequence.name] = integer(next.toString());
  }
  return differing;
}

function nextOf({ increment }: Sequence, pair: readonly [last: bigint, called: boolean] | undefined): bigint {
  const [last, called] = pair ?? [0n, false];
  return called ? last + increment : last;
}

export function rows(tables: readonly ObservedTable[], counters: Readonly<Record<string, number | bigint>>): Observed {
  return { kind: "rows", tables, counters };
}
