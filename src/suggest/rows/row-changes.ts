import type { StepOfRun } from "../../run-log/index.ts";
import { isPlain, type Cell } from "./cells.ts";
import type { Row, Table } from "./explored-rows.ts";
import { renamed, rowText, type Renaming } from "./placeholders.ts";

export interface RowChanges {
  readonly step: StepOfRun;
  readonly changed: readonly { readonly before: Row; readonly after: Row }[];
  readonly created: readonly Row[];
}

/** A step that changed several rows, whose keys do not show which row before the step became which row after it. */
export interface UnpairedStep {
  readonly step: StepOfRun;
  /** The rows that exist only before the step (`gone`), and the rows that exist only after the step (`come`). */
  readonly gone: readonly Row[];
  readonly come: readonly Row[];
  /** The rows that are equal before and after the step. */
  readonly kept: readonly Row[];
}

/**
 * Returns the rows that each step added, changed and removed in a table. Rows before and after a step with equal keys are the same row. Rows with
 * generated keys that differ only in the numbers of their placeholders are the same row, too. A step is in `unpaired` if its changes are ambiguous:
 * it changed several rows with generated keys, or one row that could have exchanged its values with another row.
 * @param renamingOf Returns the placeholders that a step renames; `undefined` if there are none.
 */
export function rowChanges(
  table: Table,
  steps: readonly StepOfRun[],
  renamingOf: (step: StepOfRun) => Renaming | undefined,
): { readonly changes: readonly RowChanges[]; readonly unpaired: readonly UnpairedStep[] } {
  const changes: RowChanges[] = [];
  const unpaired: UnpairedStep[] = [];
  for (const step of steps) {
    const [rows, after] = [table.rows[step.from], table.rows[step.to]];
    if (step.from === step.to || rows === undefined || after === undefined) continue;
    const before = inNamesOf(after, rows, renamingOf(step));
    const [gone, come] = [without(before, after), without(after, before)];
    if (gone.length + come.length === 0) continue;
    const { key } = table;
    const kept = before.filter((row) => !gone.includes(row));
    const isKnown = key !== undefined && [...gone, ...come].every((row) => isPlain(row.get(key) ?? ""));
    if (isKnown) {
      const old = new Map(gone.map((row) => [row.get(key), row]));
      const changed = come.flatMap((row) => (old.has(row.get(key)) ? [{ before: old.get(row.get(key))!, after: row }] : []));
      changes.push({ step, changed, created: come.filter((row) => !old.has(row.get(key))) });
    } else if (gone.length === 0 || come.length === 0) changes.push({ step, changed: [], created: come });
    else if (gone.length === 1 && come.length === 1 && !isExchangeable(table, gone[0]!, come[0]!, kept))
      changes.push({ step, changed: [{ before: gone[0]!, after: come[0]! }], created: [] });
    else unpaired.push({ step, gone, come, kept });
  }
  return { changes, unpaired };
}

/**
 * Returns `true` if a row differs from `before` and `after` only in columns that the step changed. The step may then have changed both rows: `before`
 * into this row, and this row into `after`.
 */
function isExchangeable({ key, columns }: Table, before: Row, after: Row, kept: readonly Row[]): boolean {
  const others = columns.filter((column) => column !== key);
  const isEqual = (a: Row, b: Row, some: readonly string[]): boolean => some.every((column) => a.get(column) === b.get(column));
  const same = others.filter((column) => before.get(column) === after.get(column));
  return kept.some((row) => isEqual(row, before, same) && !isEqual(row, before, others) && !isEqual(row, after, others));
}

/**
 * Finds the changes of a column in a step whose keys do not show which row became which. Pairs rows that agree in all columns that the step left
 * unchanged. Returns `undefined` if the changes are ambiguous, for example because two rows may have exchanged their values.
 */
export function pairedBy(column: string, { key, columns }: Table, unpaired: UnpairedStep): RowChanges | undefined {
  const { step, gone, come } = unpaired;
  const rows = [...gone, ...come];
  const same = columns.filter(
    (one) => one !== key && one !== column && mayKeep(one, unpaired) && rows.every((row) => isPlain(row.get(one) ?? "null")),
  );
  const groupOf = (row: Row): string => JSON.stringify(same.map((one) => row.get(one) ?? "null"));
  const [left, right] = [new Set(gone), new Set(come)];
  const changed: { before: Row; after: Row }[] = [];
  const isExchanged = ({ before, after }: { readonly before: Row; readonly after: Row }): boolean =>
    unpaired.kept.some(
      (row) => groupOf(row) === groupOf(before) && row.get(column) !== before.get(column) && row.get(column) !== after.get(column),
    );
  const pair = (before: readonly Row[], after: readonly Row[]): void => {
    for (const [index, row] of before.slice(0, after.length).entries()) {
      changed.push({ before: row, after: after[index]! });
      left.delete(row);
      right.delete(after[index]!);
    }
  };
  for (const group of new Set(gone.map(groupOf))) {
    const [before, after] = [gone, come].map((all) => all.filter((row) => groupOf(row) === group)) as [Row[], Row[]];
    if (before.length === after.length && isClear(column, before, after)) pair(before, after);
  }
  const [before, after] = [[...left], [...right]];
  if (!isClear(column, before, after)) return undefined;
  pair(before, after);
  if (changed.some((one) => one.before.get(column) !== one.after.get(column) && isExchanged(one))) return undefined;
  return { step, changed, created: [...right] };
}

/**
 * Returns `true` if every possible pairing of the rows before and after a step gives the same changes of a column. Rows without a partner count as
 * removed or created.
 */
function isClear(column: string, before: readonly Row[], after: readonly Row[]): boolean {
  const isOne = (rows: readonly Row[]): boolean => new Set(rows.map((row) => row.get(column))).size === 1;
  if (before.length === 0 || after.length === 0) return true;
  if (before.length === after.length) return isOne(before) || isOne(after);
  return isOne(before.length > after.length ? before : after);
}

/**
 * Returns `true` if the rows before and after a step can be paired so that each pair has equal values of a column or a known change. `isKnown`
 * returns `true` for a change that other steps made. Its first argument is `undefined` for a created row, its second argument for a removed row.
 */
export function isExplained(
  column: string,
  { gone, come }: UnpairedStep,
  isKnown: (from: Cell | undefined, to: Cell | undefined) => boolean,
): boolean {
  const size = Math.max(gone.length, come.length);
  const [before, after] = [gone, come].map((rows) => Array.from({ length: size }, (_, index) => rows[index]?.get(column))) as [
    (Cell | undefined)[],
    (Cell | undefined)[],
  ];
  const partners = new Map<number, number>();
  // Pairs the row `at` before the step with a row after the step. If the row after the step already has a partner, the partner must find another row
  // (augmenting path of a bipartite matching).
  const finds = (at: number, tried: Set<number>): boolean =>
    after.some((to, index) => {
      if (tried.has(index) || !(before[at] === to || isKnown(before[at], to))) return false;
      tried.add(index);
      const taken = partners.get(index);
      if (taken !== undefined && !finds(taken, tried)) return false;
      partners.set(index, at);
      return true;
    });
  return before.every((_, at) => finds(at, new Set()));
}

/** Returns `true` if a step may have left a column unchanged in all rows that the step neither created nor removed. */
export function mayKeep(column: string, { gone, come }: UnpairedStep): boolean {
  const [few, many] = gone.length <= come.length ? [gone, come] : [come, gone];
  const cells = many.map((row) => row.get(column));
  return few.every((row) => {
    const at = cells.indexOf(row.get(column));
    if (at >= 0) cells.splice(at, 1);
    return at >= 0;
  });
}

/**
 * Returns the rows before a step with the placeholders that their values have after it. For a row that is equal to a row after the step, returns that
 * same object.
 */
function inNamesOf(after: readonly Row[], before: readonly Row[], renaming: Renaming | undefined): readonly Row[] {
  if (renaming === undefined) return before;
  const byText = new Map(after.map((row) => [rowText(row), row]));
  return before.map((row) => {
    const one = renamed(row, renaming);
    return byText.get(rowText(one)) ?? one;
  });
}

/**
 * Returns the rows that are in `rows` but not in `others`. Rows are compared by identity, because equal rows of different states are the same object.
 */
function without(rows: readonly Row[], others: readonly Row[]): readonly Row[] {
  const left = new Map<Row, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}
