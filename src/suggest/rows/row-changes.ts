import type { StepOfRun } from "../../run-log/index.ts";
import { isPlain } from "./cells.ts";
import type { Row, Table } from "./explored-rows.ts";

export interface RowChanges {
  readonly step: StepOfRun;
  readonly changed: readonly { readonly before: Row; readonly after: Row }[];
  readonly created: readonly Row[];
}

/**
 * Returns the rows that each step added, changed and removed in a table. Rows before and after a step with equal keys are the same row. A generated
 * id may have different placeholders before and after the step. Such a step is used only if it changes a single row.
 */
export function rowChanges(table: Table, steps: readonly StepOfRun[]): readonly RowChanges[] {
  return steps.flatMap((step): readonly RowChanges[] => {
    const [before, after] = [table.rows[step.from], table.rows[step.to]];
    if (step.from === step.to || before === undefined || after === undefined) return [];
    const [gone, come] = [without(before, after), without(after, before)];
    if (gone.length + come.length === 0) return [];
    const { key } = table;
    const isKnown = key !== undefined && [...gone, ...come].every((row) => isPlain(row.get(key) ?? ""));
    if (isKnown) {
      const old = new Map(gone.map((row) => [row.get(key), row]));
      const changed = come.flatMap((row) => (old.has(row.get(key)) ? [{ before: old.get(row.get(key))!, after: row }] : []));
      return [{ step, changed, created: come.filter((row) => !old.has(row.get(key))) }];
    }
    if (gone.length === 0) return [{ step, changed: [], created: come }];
    return gone.length === 1 && come.length === 1 ? [{ step, changed: [{ before: gone[0]!, after: come[0]! }], created: [] }] : [];
  });
}

/** Returns the rows that are in `rows` but not in `others`. Equal rows of different states are the same object. */
function without(rows: readonly Row[], others: readonly Row[]): readonly Row[] {
  const left = new Map<Row, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}
