import { isAbove, isSameTotal, totalOf } from "../../rules/rows/amounts.ts";
import { nameOf } from "../../rules/rows/row-rules.ts";
import { numberIn } from "../rows/cells.ts";
import type { Row } from "../rows/explored-rows.ts";
import { literal, type Candidate, type Place } from "./candidate.ts";
import { columnOf, eachRow, optionsCode, type Explored, type ExploredTable } from "./explored.ts";

/** Suggests rules for amounts: amounts that are never negative, and amounts that never exceed another amount in the same row. */
export function amounts({ tables }: Explored): readonly Candidate[] {
  return tables.flatMap((table) => [
    ...table.numbers.flatMap((column) => neverNegative(table, column)),
    ...table.numbers.flatMap((column) => table.numbers.flatMap((limit) => (column === limit ? [] : neverAbove(table, column, limit)))),
  ]);
}

/** Suggests that an amount is never negative, provided that some step lowers the amount. */
function neverNegative(table: ExploredTable, column: string): readonly Candidate[] {
  const falls = changesOf(table, column).filter(({ by }) => by < 0).length;
  if (falls === 0) return [];
  const at = columnOf(table, column);
  const { states, broken, nearest, least } = judged(
    table,
    (row) => numberIn(row.get(column) ?? ""),
    (left) => `${at} is ${left}`,
  );
  return [
    {
      rule: "neverNegative",
      code: `neverNegative(${literal(at)}${optionsCode(table)})`,
      name: nameOf(["never_negative", { table: table.name, column }]),
      columns: [at],
      likelihood: least <= 0 ? 0.9 : 0.45,
      evidence: `${falls} ${falls === 1 ? "step lowers" : "steps lower"} ${at}${least === 0 ? ", down to 0 at the lowest" : ""}`,
      judged: states,
      broken,
      nearest,
    },
  ];
}

/**
 * Suggests that an amount never exceeds another amount in the same row, provided that some step raises the amount, and that both amounts are equal in
 * some row.
 */
function neverAbove(table: ExploredTable, column: string, limit: string): readonly Candidate[] {
  const rises = changesOf(table, column).filter(({ by }) => by > 0).length;
  if (rises === 0) return [];
  const [at, most] = [columnOf(table, column), columnOf(table, limit)];
  let reached = 0;
  const { states, broken, nearest, least } = judged(
    table,
    (row) => {
      const [value, bound] = [amountIn(table, row, column), amountIn(table, row, limit)];
      if (value === undefined || bound === undefined) return undefined;
      const [one, most] = [totalOf([value]), totalOf([bound])];
      if (isSameTotal(one, most)) {
        if (one.text !== "0") reached++;
        return 0;
      }
      const left = Number(most.text) - Number(one.text);
      return isAbove(one, most) ? Math.min(left, -Number.MIN_VALUE) : Math.max(left, 0);
    },
    (_left, row) => `${at} is ${row.get(column)}, and its limit is ${row.get(limit)}`,
  );
  if (least > 0 || reached === 0) return [];
  return [
    {
      rule: "neverAbove",
      code: `neverAbove(${literal(at)}, ${literal(most)}${optionsCode(table)})`,
      name: nameOf(["never_above", { table: table.name, column }, { table: table.name, column: limit }]),
      columns: [at, most],
      likelihood: 0.88,
      evidence: `${rises} ${rises === 1 ? "step raises" : "steps raise"} ${at}, ${reached} ${reached === 1 ? "row reaches" : "rows reach"} the limit`,
      judged: states,
      broken,
      nearest,
    },
  ];
}

/**
 * Returns the number in a column of a row as a driver returns it: text for an integer or decimal number, and a number for a floating-point number.
 * Returns `undefined` for other values.
 */
export function amountIn({ decimals }: ExploredTable, row: Row, column: string): string | number | undefined {
  const cell = row.get(column) ?? "";
  const number = numberIn(cell);
  return number !== undefined && (decimals.has(column) || /^-?\d+$/.test(cell)) ? cell : number;
}

function changesOf({ changes }: ExploredTable, column: string): readonly { readonly by: number }[] {
  return changes.flatMap(({ changed }) =>
    changed.flatMap(({ before, after }) => {
      const [from, to] = [before, after].map((row) => numberIn(row.get(column) ?? ""));
      return from === undefined || to === undefined || from === to ? [] : [{ by: to - from }];
    }),
  );
}

/**
 * Checks a limit for an amount in all states. `leftOf` returns the difference between the limit and the amount of a row: negative if the row breaks
 * the limit, `undefined` if the row cannot be judged.
 */
function judged(
  table: ExploredTable,
  leftOf: (row: Row) => number | undefined,
  say: (left: number, row: Row) => string,
): { readonly states: number; readonly broken: readonly Place[]; readonly nearest: Place | undefined; readonly least: number } {
  const seen = new Set<number>();
  const broken = new Map<number, Place>();
  let [nearest, least]: [Place | undefined, number] = [undefined, Infinity];
  eachRow(table, (row, state) => {
    const left = leftOf(row);
    if (left === undefined) return;
    seen.add(state);
    const place = { state, what: say(left, row) };
    if (left < 0 && !broken.has(state)) broken.set(state, place);
    if (left >= 0 && left < least) [nearest, least] = [place, left];
  });
  return { states: seen.size, broken: [...broken.values()], nearest, least };
}
