import type { StepOfRun } from "../../run-log/index.ts";
import type { Row, Table } from "./explored-rows.ts";

/** Maps each placeholder in the state before a step to the placeholder of the same value in the state after it. */
export type Renaming = ReadonlyMap<string, string>;

/** Matches a placeholder for a generated id (`#1`) or a time (`#t1`). Names of the root state (`root#1`) are the same in all states. */
const PLACEHOLDER = /(?<!root)#t?\d+/g;
/** The score of an equal row for a placeholder that is the key of the row. For other placeholders in the row, the score is 1. */
const KEY_WEIGHT = 3;
/**
 * Added to the score of two placeholders that occur only in equal rows. Such a pair wins against a pair with additional rows before or after the
 * step.
 */
const ALL_EQUAL = 0.5;

/**
 * Returns a function that finds out which placeholders before and after a step stand for the same value. Each state numbers its own placeholders, so
 * `#2` can become `#1` if a step removes another row. The function returns `undefined` if the state before the step has no placeholders.
 */
export function renamings(tables: readonly Table[]): (step: StepOfRun) => Renaming | undefined {
  const known = new Map<number, readonly Place[]>();
  const found = new Map<string, Renaming>();
  const placesOf = (state: number): readonly Place[] => {
    const places = known.get(state) ?? tables.flatMap((table) => (table.rows[state] ?? []).flatMap((row) => placeOf(table, row)));
    known.set(state, places);
    return places;
  };
  return ({ from, to }) => {
    const [before, after] = [placesOf(from), placesOf(to)];
    if (before.length === 0) return undefined;
    const id = `${from} ${to}`;
    const renaming = found.get(id) ?? renamingOf(before, after);
    found.set(id, renaming);
    return renaming;
  };
}

/** Replaces a placeholder whose value does not exist after the step. No state contains this text. */
const NONE = "#0";

/** Returns a copy of a row of the state before a step in which each placeholder is replaced with the placeholder of the same value after the step. */
export function renamed(row: Row, renaming: Renaming): Row {
  if (![...row.values()].some((cell) => cell.includes("#"))) return row;
  return new Map([...row].map(([column, cell]) => [column, cell.replace(PLACEHOLDER, (one) => renaming.get(one) ?? NONE)]));
}

export const rowText = (row: Row): string => JSON.stringify([...row]);

/** A row with placeholders. */
interface Place {
  readonly table: Table;
  readonly row: Row;
  readonly placeholders: readonly string[];
}

function placeOf(table: Table, row: Row): readonly Place[] {
  const placeholders = [...new Set([...row.values()].flatMap((cell) => (cell.includes("#") ? (cell.match(PLACEHOLDER) ?? []) : [])))];
  return placeholders.length === 0 ? [] : [{ table, row, placeholders }];
}

/**
 * Pairs the placeholders before a step with those after it, beginning with the placeholders that occur in the most equal rows. Once some placeholders
 * of a row are paired, the row is equal only to a row with their partners.
 */
function renamingOf(before: readonly Place[], after: readonly Place[]): Renaming {
  const names = (places: readonly Place[]): string[] => [...new Set(places.flatMap(({ placeholders }) => placeholders))];
  const pairs = new Map<string, string>();
  const partners = new Map<string, string>();
  const [all, others] = [names(before), names(after)];
  for (const scoresOf of [equalRows, similarRows]) {
    for (;;) {
      const [left, right] = [all.filter((one) => !pairs.has(one)), others.filter((one) => !partners.has(one))];
      const best = bestPairs(left, right, scoresOf({ before, after, pairs, partners }));
      if (best.length === 0) break;
      for (const [one, other] of best) {
        pairs.set(one, other);
        partners.set(other, one);
      }
    }
  }
  // Give a placeholder without a partner a name that no state contains.
  for (const one of all) if (!pairs.has(one)) pairs.set(one, `${NONE}${one.slice(1).replace("t", "0")}`);
  return pairs;
}

type Score = (one: string, other: string) => number;

/**
 * Returns the pairs that have a higher score than every other pair with one of their placeholders. If there are no such pairs, returns one pair with
 * the highest score. Returns an empty list if all scores are 0.
 */
function bestPairs(left: readonly string[], right: readonly string[], score: Score): readonly (readonly [string, string])[] {
  const scores = left.map((one) => right.map((other) => (one.startsWith("#t") === other.startsWith("#t") ? score(one, other) : 0)));
  const most = Math.max(0, ...scores.flat());
  if (most === 0) return [];
  const isBest = (list: readonly number[], value: number): boolean =>
    list.every((one) => one <= value) && list.filter((one) => one === value).length === 1;
  const clear = scores.flatMap((row, at) =>
    row.flatMap((value, index) =>
      value > 0 &&
      isBest(row, value) &&
      isBest(
        scores.map((list) => list[index]!),
        value,
      )
        ? [[left[at]!, right[index]!] as const]
        : [],
    ),
  );
  if (clear.length > 0) return clear;
  const at = scores.findIndex((row) => row.includes(most));
  return [[left[at]!, right[scores[at]!.indexOf(most)]!]];
}

interface Pairing {
  readonly before: readonly Place[];
  readonly after: readonly Place[];
  readonly pairs: Renaming;
  readonly partners: Renaming;
}

/** Returns a function that scores two placeholders by the number of equal rows in which they occur. */
function equalRows({ before, after, pairs, partners }: Pairing): Score {
  const left = rowsByName(before, (one) => pairs.get(one));
  const right = rowsByName(after, (one) => (partners.has(one) ? one : undefined));
  return (one, other) => {
    const [rows, others] = [left.get(one)!, right.get(other)!];
    let [score, isSame] = [0, rows.size === others.size];
    for (const [text, { count, weight }] of rows) {
      const equal = Math.min(count, others.get(text)?.count ?? 0);
      if (equal !== count || equal !== others.get(text)?.count) isSame = false;
      score += equal * weight;
    }
    return score > 0 && isSame ? score + ALL_EQUAL : score;
  };
}

type RowsOfName = Map<string, { count: number; readonly weight: number }>;

/** Returns, for each unpaired placeholder, the rows that contain it, as texts. In these texts, all other unpaired placeholders are `#`. */
function rowsByName(places: readonly Place[], nameOf: (placeholder: string) => string | undefined): ReadonlyMap<string, RowsOfName> {
  const byName = new Map<string, RowsOfName>();
  for (const { table, row, placeholders } of places) {
    for (const one of placeholders) {
      if (nameOf(one) !== undefined) continue;
      const named = [...row].map(([column, cell]) => [
        column,
        cell.includes("#") ? cell.replace(PLACEHOLDER, (other) => (other === one ? "#this" : (nameOf(other) ?? "#"))) : cell,
      ]);
      const text = `${table.store} ${table.name} ${JSON.stringify(named)}`;
      const rows = byName.get(one) ?? new Map<string, { count: number; weight: number }>();
      byName.set(one, rows);
      const known = rows.get(text) ?? { count: 0, weight: row.get(table.key ?? "") === one ? KEY_WEIGHT : 1 };
      known.count++;
      rows.set(text, known);
    }
  }
  return byName;
}

/** Returns a function that scores two keys of the same table by the number of equal cells in their rows. It pairs rows that the step changed. */
function similarRows({ before, after, pairs }: Pairing): Score {
  const keyed = (places: readonly Place[]): ReadonlyMap<string, Place> =>
    new Map(places.flatMap((place) => (place.table.key === undefined ? [] : [[place.row.get(place.table.key) ?? "", place] as const])));
  const [left, right] = [keyed(before), keyed(after)];
  return (one, other) => {
    const [place, partner] = [left.get(one), right.get(other)];
    if (place === undefined || partner?.table !== place.table) return 0;
    return [...renamed(place.row, pairs)].filter(([column, cell]) => cell !== "null" && partner.row.get(column) === cell).length;
  };
}
