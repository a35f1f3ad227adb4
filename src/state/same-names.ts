import { cellsOf, ROW_LINE } from "./differences.ts";

/** A described state in lines in which each generated value is a mark that no text of a state contains. {@link shownNames} makes lines for people of them. */
export type Marked = readonly string[];

const [OPEN, CLOSE] = ["\u{F0000}", "\u{F0001}"];
const MARK = /\u{F0000}(t?)\d+\u{F0001}/gu;
const STRAY = /[\u{F0000}\u{F0001}]/gu;
/** Lines of one shape, or rows of one table, that are compared each with each. */
const MOST_COMPARED = 100;

/** `kind`: `t` for what is a time by its looks. */
export const mark = (kind: "" | "t", number: number): string => `${OPEN}${kind}${number}${CLOSE}`;

export const isMark = (text: string): boolean => text.startsWith(OPEN);

export const withoutMarks = (text: string): string => text.replace(STRAY, "\uFFFD");

/** The lines with `#1`, `#2` for generated values, sorted. */
export function shownNames(lines: Marked): readonly string[] {
  // A long text may have been cut within a mark.
  return lines.map((line) => line.replaceAll(OPEN, "#").replaceAll(CLOSE, "")).sort();
}

/**
 * The second state with the names that its generated values have in the first one, where they stand in its place: in a line that is equal but for
 * names, else in the row that has most in common. No two values get one name, so that what differs still does.
 */
export function sameNames(first: Marked, second: Marked): Marked {
  const names = new Names();
  const [left, right] = [first, second].map((lines) => lines.filter((line) => line.includes(OPEN)).map(readMarks));
  // Rows first: a value that refers to another row than before is then what differs.
  for (const isRow of [true, false]) {
    const of = (lines: readonly Line[]): Line[] => lines.filter((line) => line.isRow === isRow);
    pair(of(left!), of(right!), names);
  }
  const used = new Set(first.flatMap((line) => line.match(MARK) ?? []));
  let number = used.size;
  const named = (own: string, kind: "" | "t"): string => {
    let name = names.of(own);
    // One of its own, that the first state does not have.
    for (name ??= own; names.of(own) === undefined && used.has(name);) name = mark(kind, ++number);
    used.add(name);
    names.take(name, own);
    return name;
  };
  return second.map((line) => line.replace(MARK, named));
}

interface Line {
  readonly isRow: boolean;
  /** Alike in lines that are equal but for names. */
  readonly shape: string;
  readonly marks: readonly string[];
  /** Of a row, by table and sign. */
  readonly place: string;
  readonly cells: readonly (readonly [name: string, value: string])[];
}

function readMarks(line: string): Line {
  const row = ROW_LINE.exec(line);
  return {
    isRow: row !== null,
    shape: shapeOf(line),
    marks: line.match(MARK) ?? [],
    place: row?.[1] ?? "",
    cells: row === null ? [] : cellsOf(row[2]!),
  };
}

const shapeOf = (text: string): string => text.replace(MARK, `${OPEN}$1${CLOSE}`);

/** Which mark of the first state stands for one of the second; each for one at most. */
class Names {
  readonly #first = new Map<string, string>();
  readonly #taken = new Set<string>();

  of(second: string): string | undefined {
    return this.#first.get(second);
  }

  take(first: string, second: string): void {
    this.#first.set(second, first);
    this.#taken.add(first);
  }

  /** How many of the marks stand for each other by now; `undefined`: they cannot all. */
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

/** Pairs lines that are equal but for names, those first that leave no choice; then rows that have something in common. */
function pair(first: readonly Line[], second: readonly Line[], names: Names): void {
  const others = new Set(first);
  const left = new Set(second);
  const byShape = grouped(first, ({ shape }) => shape);
  const fitting = (line: Line): Line[] =>
    (byShape.get(line.shape) ?? []).filter((other) => others.has(other) && names.fit(other.marks, line.marks) !== undefined);
  const take = (line: Line, other: Line): void => {
    names.takeAll(other.marks, line.marks);
    others.delete(other);
    left.delete(line);
  };
  for (let progress = true; progress;) {
    progress = false;
    for (const mayChoose of [false, true]) {
      for (const line of left) {
        const found = fitting(line);
        if (found.length === 0 || (found.length > 1 && !mayChoose)) continue;
        const known = (other: Line): number => names.fit(other.marks, line.marks) ?? -1;
        take(line, found.toSorted((a, b) => known(b) - known(a))[0]!);
        progress = true;
        if (mayChoose) break;
      }
      if (progress) break;
    }
  }
  const byPlace = grouped([...others], ({ place }) => place);
  for (const line of left) {
    const alike = (byPlace.get(line.place) ?? [])
      .map((other) => ({ other, common: commonCells(other, line, names) }))
      .toSorted((a, b) => b.common.length - a.common.length)[0];
    if (alike === undefined || alike.common.length === 0) continue;
    for (const [one, own] of alike.common) names.takeAll(one, own);
    const rows = byPlace.get(line.place)!;
    rows.splice(rows.indexOf(alike.other), 1);
  }
}

/** The marks of the cells that are equal but for names. */
function commonCells(first: Line, second: Line, names: Names): (readonly [readonly string[], readonly string[]])[] {
  return second.cells.flatMap(([name, value], index) => {
    const other = first.cells[index];
    if (other === undefined || other[0] !== name || shapeOf(other[1]) !== shapeOf(value)) return [];
    const [one, own] = [other[1].match(MARK) ?? [], value.match(MARK) ?? []];
    return names.fit(one, own) === undefined ? [] : [[one, own] as const];
  });
}

function grouped(lines: readonly Line[], by: (line: Line) => string): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const group = groups.get(by(line)) ?? [];
    if (group.length < MOST_COMPARED) group.push(line);
    groups.set(by(line), group);
  }
  return groups;
}
