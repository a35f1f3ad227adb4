import { cellsOf, differences, ROW_LINE } from "../compare/differences.ts";

/**
 * The lines of a described state, with a placeholder for each generated value. No text in a state contains such placeholders. {@link shownNames}
 * converts them into lines for people.
 */
export type Marked = readonly string[];

const [OPEN, CLOSE] = ["\u{F0000}", "\u{F0001}"];
const MARK = /\u{F0000}(t?)\d+\u{F0001}/gu;
const STRAY = /[\u{F0000}\u{F0001}]/gu;
/** The largest group of similar lines that is compared in pairs. In a larger group, values keep their own names. */
const MOST_COMPARED = 100;

/** Returns the placeholder for a generated value. `kind` is `t` for a value that looks like a time. */
export const mark = (kind: "" | "t", number: number): string => `${OPEN}${kind}${number}${CLOSE}`;

export const isMark = (text: string): boolean => text.startsWith(OPEN);

export const withoutMarks = (text: string): string => text.replace(STRAY, "\uFFFD");

/** Returns the lines sorted, with `#1`, `#2` for generated values. */
export function shownNames(lines: Marked): readonly string[] {
  // A shortened text may end inside a placeholder, so the two delimiters are replaced separately.
  return lines.map((line) => line.replaceAll(OPEN, "#").replaceAll(CLOSE, "")).sort();
}

export function markedDifferences(expected: Marked, actual: Marked, limit: number): readonly string[] {
  return differences(shownNames(expected), shownNames(actual), limit);
}

/**
 * Returns the lines of the second state, in which each generated value has the name of the corresponding value in the first state. Values correspond
 * if they are in lines that differ only in names, or else in the most similar rows. Each name is used for one value only, so two different values
 * never become equal.
 */
export function sameNames(first: Marked, second: Marked): Marked {
  const names = new Names();
  const [left, right] = [first, second].map((lines) => [...new Set(lines)].filter((line) => line.includes(OPEN)).map(readMarks));
  const groups = grouped(left!, right!, ({ shape }) => shape);
  // Pair rows before other values. If a value refers to another row in the second state, the difference is then shown in the line of the value and
  // not in the line of the row.
  const inTurn = [true, false].map((isRow) => groups.filter((group) => [...group.first][0]!.isRow === isRow));
  for (const some of inTurn) pairForced(some, names);
  for (const some of inTurn) pairOthers(some, names);
  const [rows, ownRows] = [left!, right!].map((lines) => lines.filter((line) => line.isRow && !names.paired.has(line)));
  for (const group of grouped(rows!, ownRows!, ({ place }) => place)) pairRows(group, names);
  const used = new Set(first.flatMap(marksOf));
  let number = used.size;
  const named = (own: string, kind: "" | "t"): string => {
    const known = names.of(own);
    if (known !== undefined) return known;
    // A value without a partner keeps its own name. If the first state uses this name for another value, the value gets a new name.
    let name = own;
    while (used.has(name)) name = mark(kind, ++number);
    used.add(name);
    names.take(name, own);
    return name;
  };
  return second.map((line) => line.replace(MARK, named));
}

interface Line {
  readonly isRow: boolean;
  /** The line without the names of its values. Two lines that differ only in names have the same shape. */
  readonly shape: string;
  readonly marks: readonly string[];
  /** The table and the sign (`+` or `-`) of a row. */
  readonly place: string;
  readonly cells: readonly (readonly [name: string, value: string])[];
}

function readMarks(line: string): Line {
  const row = ROW_LINE.exec(line);
  return {
    isRow: row !== null,
    shape: shapeOf(line),
    marks: marksOf(line),
    place: row?.[1] ?? "",
    cells: row === null ? [] : cellsOf(row[2]!),
  };
}

export const shapeOf = (text: string): string => text.replace(MARK, `${OPEN}$1${CLOSE}`);

const marksOf = (text: string): readonly string[] => text.match(MARK) ?? [];

/** Removes an incomplete placeholder or character from the end of a shortened text. */
export const cutBeforeMark = (text: string): string => text.replace(/(?:\u{F0000}t?\d*|[\uD800-\uDBFF])$/u, "");

/** Maps placeholders of the second state to placeholders of the first state, one to one. */
class Names {
  readonly #first = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly paired: Set<Line> = new Set();

  of(second: string): string | undefined {
    return this.#first.get(second);
  }

  take(first: string, second: string): void {
    this.#first.set(second, first);
    this.#taken.add(first);
  }

  /**
   * Returns how many of the placeholders of two lines, compared in order, are already paired with each other. Returns `undefined` if a placeholder is
   * already paired with a different placeholder.
   */
  fit(first: readonly string[], second: readonly string[]): number | undefined {
    const tried = new Map<string, string>();
    for (const [place, own] of second.entries()) {
      const one = first[place]!;
      const name = this.#first.get(own) ?? tried.get(own);
      if (name === undefined ? this.#taken.has(one) || [...tried.values()].includes(one) : name !== one) return undefined;
      if (name === undefined) tried.set(own, one);
    }
    return second.length - tried.size;
  }

  takeAll(first: readonly string[], second: readonly string[]): void {
    for (const [place, own] of second.entries()) this.take(first[place]!, own);
  }
}

/** Lines of the first and the second state that may describe the same rows or values. */
interface Group {
  readonly first: Set<Line>;
  readonly second: Set<Line>;
}

function take(group: Group, one: Line, own: Line, names: Names): void {
  names.takeAll(one.marks, own.marks);
  names.paired.add(one).add(own);
  group.first.delete(one);
  group.second.delete(own);
}

/**
 * Pairs lines that have only one possible partner. First pairs lines that are alone in their group in both states. Then pairs lines for which only
 * one candidate contains values that are already paired with values of the line.
 */
function pairForced(groups: readonly Group[], names: Names): void {
  for (const group of groups) {
    const [[one], [own]] = [[...group.first], [...group.second]];
    const isOnly = group.first.size === 1 && group.second.size === 1;
    if (isOnly && names.fit(one!.marks, own!.marks) !== undefined) take(group, one!, own!, names);
  }
  for (let progress = true; progress;) {
    progress = false;
    for (const group of groups) {
      for (const own of group.second) {
        const known = [...group.first].filter((one) => (names.fit(one.marks, own.marks) ?? 0) > 0);
        if (known.length !== 1) continue;
        take(group, known[0]!, own, names);
        progress = true;
      }
    }
  }
}

/**
 * Pairs the remaining lines of each group in their order. The order is the same in both states, because states are described in the order of their
 * canonical names.
 */
function pairOthers(groups: readonly Group[], names: Names): void {
  for (const group of groups) {
    for (const own of group.second) {
      const one = [...group.first].find(({ marks }) => names.fit(marks, own.marks) !== undefined);
      if (one !== undefined) take(group, one, own, names);
    }
  }
}

/** Pairs each remaining row with the most similar row of its table, and gives its values the names of that row. */
function pairRows({ first, second }: Group, names: Names): void {
  for (const own of second) {
    const [most] = [...first]
      .map((one) => ({ one, cells: commonCells(one, own, names) }))
      .toSorted((a, b) => b.cells.count - a.cells.count);
    if (most === undefined || most.cells.count === 0) continue;
    names.takeAll(most.cells.first, most.cells.second);
    first.delete(most.one);
  }
}

interface Common {
  readonly count: number;
  readonly first: readonly string[];
  readonly second: readonly string[];
}

const NOTHING: Common = { count: 0, first: [], second: [] };

/**
 * Compares the cells of two rows. Returns the number of cells that are equal apart from names, with the placeholders in these cells. Cells with a
 * placeholder that is already paired with a different placeholder are left out.
 */
function commonCells(one: Line, own: Line, names: Names): Common {
  let common = NOTHING;
  for (const [index, [name, value]] of own.cells.entries()) {
    const other = one.cells[index];
    if (other === undefined || other[0] !== name || shapeOf(other[1]) !== shapeOf(value)) continue;
    const [first, second] = [
      [...common.first, ...marksOf(other[1])],
      [...common.second, ...marksOf(value)],
    ];
    if (names.fit(first, second) !== undefined) common = { count: common.count + 1, first, second };
  }
  return common;
}

/** Groups lines of both states by a text. Groups with lines of only one state, and groups that are too large to compare in pairs, are left out. */
function grouped(first: readonly Line[], second: readonly Line[], by: (line: Line) => string): readonly Group[] {
  const groups = new Map<string, Group>();
  const of = (line: Line): Group => {
    const key = by(line);
    const group = groups.get(key) ?? { first: new Set(), second: new Set() };
    groups.set(key, group);
    return group;
  };
  for (const line of first) of(line).first.add(line);
  for (const line of second) of(line).second.add(line);
  return [...groups.values()].filter(({ first: a, second: b }) => a.size > 0 && b.size > 0 && Math.max(a.size, b.size) <= MOST_COMPARED);
}
