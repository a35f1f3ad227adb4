import type { RowImage } from "../../../model/stores/leftover.ts";
import { shown, shownRow, type ExactRow, type ExactValue } from "../../../stores/index.ts";
import type { TablePlan } from "../journal/table-plan.ts";

export function rowImage(plan: TablePlan, row: ExactRow | null): RowImage | null {
  if (row === null) return null;
  const values = shownRow(plan, row);
  return Object.fromEntries(plan.columns.map(({ name }, i) => [name, values[i]]));
}

/** Returns the key of a row as text for reports, e.g. `id 7`. */
export function shownKey(plan: TablePlan, row: ExactRow): string {
  const name = (at: number): string => plan.columns[at - plan.shownFrom]?.name ?? "rowid";
  return plan.keyAt.map((at) => `${name(at)} ${String(shown(row[at] as ExactValue)).slice(0, 80)}`).join(", ");
}
