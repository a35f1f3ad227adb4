import { isAbove, isSameTotal, totalOf, type Total } from "../../rules/rows/amounts.ts";
import { nameOf } from "../../rules/rows/row-rules.ts";
import { amountIn } from "./amounts.ts";
import { isNull } from "../rows/cells.ts";
import type { Row } from "../rows/explored-rows.ts";
import { literal, objectLiteral, type Candidate, type Place } from "./candidate.ts";
import { columnOf, optionsCode, snakeCase, type Explored, type ExploredTable } from "./explored.ts";

/** The maximum number of status columns in a table for which counts of rows are tried as the second part of a total. */
const MOST_SIDES = 6;

/** Suggests rules for sums: sums that never exceed an amount of another table, and totals that no step changes. */
export function sums(explored: Explored): readonly Candidate[] {
  const { tables } = explored;
  return [
    ...tables.flatMap((parts) => tables.flatMap((whole) => (parts === whole || parts.store !== whole.store ? [] : within(parts, whole)))),
    ...tables.flatMap((table) => table.numbers.flatMap((column) => totals(explored, table, column))),
  ];
}

/**
 * Suggests rules of the form: the sum of a column over all rows that refer to the same row is at most an amount of that row. For example, the
 * payments of an order are at most the order's total. A rule is suggested only if at least one sum is equal to its limit.
 */
function within(parts: ExploredTable, whole: ExploredTable): readonly Candidate[] {
  const { key } = whole;
  if (key === undefined) return [];
  const stem = snakeCase(whole.name.slice(whole.name.lastIndexOf(".") + 1)).replace(/s$/, "");
  const by = parts.columns.find((column) => [`${stem}_id`, `${stem}id`].includes(snakeCase(column)));
  if (by === undefined) return [];
  return parts.numbers.flatMap((part) => whole.numbers.flatMap((limit) => sumWithin({ parts, part, whole, limit, by, key })));
}

/** The amounts to add up (in `parts`), and the amount that limits their sum (in `whole`). */
interface PartsOfWhole {
  readonly parts: ExploredTable;
  readonly part: string;
  readonly whole: ExploredTable;
  readonly limit: string;
  /** The column of the table `parts` that refers to the column `key` of the table `whole`. */
  readonly by: string;
  readonly key: string;
}

function sumWithin({ parts, part, whole, limit, by, key }: PartsOfWhole): readonly Candidate[] {
  let [states, reached, severalReached]: [number, number, number] = [0, 0, 0];
  const broken: Place[] = [];
  let nearest: Place | undefined;
  whole.rows.forEach((rows, state) => {
    const others = parts.rows[state];
    if (rows === undefined || others === undefined) return;
    let [isJudged, isBroken] = [false, false];
    for (const row of rows) {
      const mine = others.filter((one) => one.get(by) === row.get(key));
      const most = amountIn(whole, row, limit);
      if (mine.length === 0 || most === undefined) continue;
      isJudged = true;
      const [sum, bound] = [totalOf(mine.map((one) => amountIn(parts, one, part))), totalOf([most])];
      const place = { state, what: `${columnOf(parts, part)} add up to ${sum.text}, and the limit is ${bound.text}` };
      if (isAbove(sum, bound)) {
        if (!isBroken) broken.push(place);
        isBroken = true;
      } else if (isSameTotal(sum, bound) && bound.text !== "0") {
        reached++;
        if (mine.length > 1) severalReached++;
        nearest ??= place;
      }
    }
    if (isJudged) states++;
  });
  if (reached === 0) return [];
  const named = { parts: columnOf(parts, part), whole: columnOf(whole, limit) };
  const store: readonly (readonly [string, string])[] = parts.isOneOfSeveral ? [["store", literal(parts.store)]] : [];
  const own: readonly (readonly [string, string])[] = key === "id" ? [] : [["key", literal(key)]];
  return [
    {
      rule: "sumWithin",
      code: `sumWithin(${objectLiteral([["parts", literal(named.parts)], ["whole", literal(named.whole)], ["by", literal(by)], ...own, ...store])})`,
      columns: [named.parts, named.whole, columnOf(parts, by)],
      name: nameOf(["sum_within", { table: parts.name, column: part }, { table: whole.name, column: limit }]),
      likelihood: severalReached > 0 ? 0.85 : 0.5,
      evidence: `${reached} ${reached === 1 ? "sum reaches" : "sums reach"} the limit`,
      judged: states,
      broken,
      nearest,
    },
  ];
}

/** A count that is part of a total: the number of rows of a table whose column has one of the words. */
interface Side {
  readonly table: ExploredTable;
  readonly column: string;
  readonly words: readonly string[];
}

/**
 * Suggests totals that no step changes: the sum of the column, the sum of two columns, or the sum of the column plus the number of rows with some
 * statuses. At most one rule is returned.
 */
function totals({ tables, of }: Explored, table: ExploredTable, column: string): readonly Candidate[] {
  const sumOf = totalsOf(table, (row) => amountIn(table, row, column) ?? (isNull(row.get(column) ?? "null") ? 0 : undefined));
  if (isConstant(sumOf)) {
    // If the column alone has the same sum in all states, suggest the rule only if some step changes several rows, such as a transfer between
    // accounts.
    const moves = table.changes.filter(({ changed }) => changed.some(({ before, after }) => before.get(column) !== after.get(column)));
    if (moves.every(({ changed }) => changed.length < 2)) return [];
    return conserved({ table, column, others: [], parts: [sumOf], moves: moves.length }, of.steps);
  }
  const candidates: Candidate[] = [];
  for (const other of tables) {
    if (other.store !== table.store) continue;
    for (const second of other.numbers) {
      const isLater = other.name > table.name || (other === table && second > column);
      if (!isLater) continue;
      const sums = totalsOf(other, (row) => amountIn(other, row, second) ?? 0);
      candidates.push(...conserved({ table, column, others: [{ table: other, column: second }], parts: [sumOf, sums] }, of.steps));
    }
    for (const [status, words] of [...other.words].slice(0, MOST_SIDES)) {
      for (const some of subsets(words)) {
        const counts = totalsOf(other, (row) => (some.some((word) => row.get(status) === JSON.stringify(word)) ? 1 : 0));
        candidates.push(
          ...conserved({ table, column, others: [{ table: other, column: status, words: some }], parts: [sumOf, counts] }, of.steps),
        );
      }
    }
    if (candidates.some(({ broken }) => broken.length === 0)) break;
  }
  // Drop totals with exceptions: among the many tried combinations, some nearly hold by chance.
  return candidates.filter(({ broken }) => broken.length === 0).slice(0, 1);
}

/** A sum in each state; `undefined` for a state in which it is unknown. */
type Totals = readonly (Total | undefined)[];

/** @param valueOf Returns the number of a row as a driver returns it; `undefined` if the row has another value. */
function totalsOf(table: ExploredTable, valueOf: (row: Row) => unknown): Totals {
  return table.rows.map((rows) => {
    const values = rows?.map(valueOf);
    return values === undefined || values.includes(undefined) ? undefined : totalOf(values);
  });
}

function isConstant(totals: Totals): boolean {
  return new Set(totals.flatMap((one) => (one === undefined ? [] : [one.text]))).size < 2;
}

/** A total that a rule may require to stay the same: the sum of a column, plus the sums and counts in `others`. */
interface Conserved {
  readonly table: ExploredTable;
  readonly column: string;
  /** The further parts: a count of rows with one of `words`, or the sum of the column if `words` is absent. */
  readonly others: readonly (Pick<Side, "table" | "column"> & Partial<Side>)[];
  /** For each part, its value in every state. The first part is the sum of `column`. */
  readonly parts: readonly Totals[];
  /** The number of steps that change the column, if the caller has counted them. */
  readonly moves?: number;
}

/**
 * Returns the rule that no step changes the total, with the steps that break the rule and the number of steps that change a part of the total.
 * Returns an empty list if one of several parts never changes.
 */
function conserved({ table, column, others, parts, moves = 0 }: Conserved, steps: Explored["of"]["steps"]): readonly Candidate[] {
  const totalAt = (state: number): Total | undefined => {
    const values = parts.map((part) => part[state]);
    return values.includes(undefined) ? undefined : totalOf(values.map((one) => (one!.isExact ? one!.text : Number(one!.text))));
  };
  let judged = moves;
  const broken: Place[] = [];
  for (const { from, to, action } of steps) {
    const [before, after] = [totalAt(from), totalAt(to)];
    if (before === undefined || after === undefined || from === to) continue;
    const isPartChanged = parts.some((part) => part[from]?.text !== part[to]?.text);
    if (isPartChanged && moves === 0) judged++;
    if (!isSameTotal(before, after)) broken.push({ state: from, action, what: `the total goes from ${before.text} to ${after.text}` });
  }
  // If one part never changes, drop this rule, because the rule without this part is simpler.
  if (parts.length > 1 && parts.some(isConstant)) return [];
  const sums = [columnOf(table, column), ...others.flatMap((one) => (one.words === undefined ? [columnOf(one.table, one.column)] : []))];
  const rows = others.flatMap((one) => (one.words === undefined ? [] : [[columnOf(one.table, one.column), literal(one.words)] as const]));
  const code = `conserved(${literal(sums.length === 1 ? sums[0] : sums)}${optionsCode(table, rows.length === 0 ? [] : [["rows", objectLiteral(rows)]])})`;
  return [
    {
      rule: "conserved",
      code,
      columns: [...sums, ...rows.map(([status]) => status)],
      name: nameOf(["conserved", { table: table.name, column }, ...others.map((one) => ({ table: one.table.name, column: one.column }))]),
      likelihood: 0.9,
      evidence: `${judged} ${judged === 1 ? "step changes" : "steps change"} a part of the total, and the total stays the same`,
      judged,
      broken,
      nearest: undefined,
    },
  ];
}

/** Returns all subsets of the words, the largest first, without the empty subset and the complete one. */
function subsets(words: readonly string[]): readonly (readonly string[])[] {
  const all = Array.from({ length: 2 ** words.length - 2 }, (_, bits) => words.filter((_word, at) => ((bits + 1) >> at) & 1));
  return all.toSorted((a, b) => b.length - a.length);
}
