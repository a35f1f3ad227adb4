import { impliesName } from "../../rules/rows/row-rules.ts";
import { isNull, numberIn, type Cell } from "../rows/cells.ts";
import { literal, objectLiteral, type Candidate, type Place } from "./candidate.ts";
import { columnOf, eachRow, optionsCode, type Explored, type ExploredTable } from "./explored.ts";

/** Suggests rules such as "`paid_at` is empty while `status` is open": a column that is empty for some statuses and set for others. */
export function dependents({ tables }: Explored): readonly Candidate[] {
  return tables.flatMap((table) =>
    [...table.words].flatMap(([status, words]) =>
      table.columns.flatMap((column) => (column === status || column === table.key ? [] : dependent(table, status, words, column))),
    ),
  );
}

/** For the rows with one status: the states with a row whose column is empty (`empty`), and the states with a row whose column is set (`full`). */
interface Seen {
  readonly empty: Set<number>;
  readonly full: Set<number>;
}

function dependent(table: ExploredTable, status: string, words: readonly string[], column: string): readonly Candidate[] {
  const isEmpty = emptiness(table, column);
  if (isEmpty === undefined) return [];
  const byWord = new Map<string, Seen>(words.map((word) => [word, { empty: new Set(), full: new Set() }]));
  eachRow(table, (row, state) => {
    const seen = byWord.get(JSON.parse(row.get(status) ?? '""') as string);
    seen?.[isEmpty.of(row.get(column) ?? "null") ? "empty" : "full"].add(state);
  });
  const [empty, full] = isEmpty.value === null ? ["empty", "set"] : ["0", "not 0"];
  const side = (wanted: "empty" | "full"): readonly Candidate[] => {
    const other = wanted === "empty" ? "full" : "empty";
    // Keep a status with few exceptions in the rule, because the exceptions may be defects. Leave a status with more exceptions out of the rule.
    const chosen = words.filter((word) => {
      const seen = byWord.get(word)!;
      return seen[wanted].size > 0 && seen[other].size <= seen[wanted].size * FEW;
    });
    if (chosen.length === 0 || chosen.length === words.length) return [];
    const judged = new Set(chosen.flatMap((word) => [...byWord.get(word)![wanted], ...byWord.get(word)![other]]));
    const broken = new Map<number, Place>();
    for (const word of chosen) {
      for (const state of byWord.get(word)![other]) {
        broken.set(state, {
          state,
          what: `a row of ${table.name} with ${status} ${literal(word)} has ${column} ${other === "full" ? full : empty}`,
        });
      }
    }
    const value = wanted === "empty" ? isEmpty.value : { not: isEmpty.value };
    const when = chosen.length === 1 ? chosen[0]! : chosen;
    const valueCode = wanted === "empty" ? literal(isEmpty.value) : `{ not: ${literal(isEmpty.value)} }`;
    const counter = words.find((word) => !chosen.includes(word) && byWord.get(word)![other].size > 0);
    if (counter === undefined) return [];
    return [
      {
        rule: "implies",
        code: `implies(${literal(table.name)}, ${objectLiteral([[status, literal(when)]])}, ${objectLiteral([[column, valueCode]])}${optionsCode(table)})`,
        columns: [columnOf(table, status), columnOf(table, column)],
        name: impliesName(table.name, { [status]: when }, { [column]: value }),
        likelihood: wanted === "empty" ? 0.7 : 0.68,
        evidence: `${chosen.join(", ")} in ${judged.size} states; ${columnOf(table, column)} is ${wanted === "empty" ? full : empty} with ${counter}`,
        judged: judged.size,
        broken: [...broken.values()],
        nearest: undefined,
      },
    ];
  };
  return [...side("empty"), ...side("full")];
}

/** The largest number of exceptions for a status, as a share of the states that fit the rule. */
const FEW = 0.25;

/**
 * Returns the value that counts as empty: `null`, or 0 in a column of numbers without `null`. Returns `undefined` if the column is always or never
 * empty.
 */
function emptiness(table: ExploredTable, column: string): { readonly value: null | 0; readonly of: (cell: Cell) => boolean } | undefined {
  let [nulls, zeros, others] = [0, 0, 0];
  let isNumber = true;
  eachRow(table, (row) => {
    const cell = row.get(column) ?? "null";
    if (isNull(cell)) nulls++;
    else if (numberIn(cell) === 0) zeros++;
    else {
      others++;
      if (numberIn(cell) === undefined) isNumber = false;
    }
  });
  if (nulls > 0 && zeros + others > 0) return { value: null, of: isNull };
  return zeros > 0 && others > 0 && isNumber && nulls === 0 ? { value: 0, of: (cell) => numberIn(cell) === 0 } : undefined;
}
