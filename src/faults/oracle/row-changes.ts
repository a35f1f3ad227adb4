import { isDeepStrictEqual } from "node:util";
import type { ObservedTable, Observed } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";

/** Returns the differences between the stores of two states as text, for example `db.payments: 1 row added; db.orders: 1 row changed`. */
export function rowChanges(before: Facts, after: Facts): string {
  const found: string[] = [];
  for (const [name, now] of Object.entries(after.systems)) {
    const was = before.systems[name];
    if (now.kind === "value" || was?.kind !== "rows") {
      if (!isDeepStrictEqual(plain(now), plain(was))) found.push(`${name} changed`);
      continue;
    }
    for (const table of new Set([...was.tables, ...now.tables].map((one) => one.name))) {
      const [old, present] = [rowsOf(was.tables, table), rowsOf(now.tables, table)];
      const more = countMore(old, present);
      const less = countMore(present, old);
      const changed = Math.min(more, less);
      const parts = [rows(more - changed, "added"), rows(less - changed, "removed"), rows(changed, "changed")].filter(
        (part) => part !== "",
      );
      if (parts.length > 0) found.push(`${name}.${table}: ${parts.join(", ")}`);
    }
  }
  return found.join("; ");
}

/** Returns, for each row, how many more copies the state has than the root state. The number is negative for removed rows. */
function rowsOf(tables: readonly ObservedTable[], name: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const table = tables.find((one) => one.name === name);
  const text = (row: readonly unknown[]): string => row.map((value) => `${typeof value} ${String(value)}`).join("\n");
  for (const row of table?.added ?? []) counts.set(text(row), (counts.get(text(row)) ?? 0) + 1);
  for (const row of table?.removed ?? []) counts.set(text(row), (counts.get(text(row)) ?? 0) - 1);
  return counts;
}

/** Returns the number of rows by which `now` exceeds `was`. Rows that `was` has more often are not subtracted. */
function countMore(was: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): number {
  let more = 0;
  for (const row of new Set([...was.keys(), ...now.keys()])) more += Math.max((now.get(row) ?? 0) - (was.get(row) ?? 0), 0);
  return more;
}

function rows(count: number, how: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? "row" : "rows"} ${how}`;
}

function plain(observed: Observed | undefined): unknown {
  return observed?.kind === "value" ? observed.value : observed?.kind;
}
