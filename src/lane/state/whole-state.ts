import type { Observed, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";

type Row = readonly StoredValue[];

/** Computes the whole present content of a store. `before`: the content at an earlier time. `since`: the changes since this earlier time. */
export function wholeOf(before: Observed, since: Observed): Observed {
  if (before.kind === "value" || since.kind === "value") return since;
  const changes = new Map(since.tables.map((table) => [table.name, table]));
  const tables: ObservedTable[] = before.tables.map(({ readOrder: _readOrder, ...table }) => {
    const change = changes.get(table.name);
    changes.delete(table.name);
    return { ...table, added: [...without(table.added, change?.removed ?? []), ...(change?.added ?? [])] };
  });
  for (const { name, columns, added } of changes.values()) tables.push({ name, columns, added, removed: [] });
  const sorted = tables.filter(({ added }) => added.length > 0).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "rows", tables: sorted, counters: { ...before.counters, ...since.counters } };
}

/** Removes rows from a list. For each row in `taken`, removes one row with equal values. */
function without(rows: readonly Row[], taken: readonly Row[]): readonly Row[] {
  if (taken.length === 0) return rows;
  const left = new Map<string, number>();
  for (const row of taken) left.set(textOf(row), (left.get(textOf(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const text = textOf(row);
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    return count === 0;
  });
}

function textOf(row: Row): string {
  return JSON.stringify(row.map((value) => (value instanceof Uint8Array ? ["bytes", ...value] : [typeof value, String(value)])));
}
