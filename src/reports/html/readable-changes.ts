import { differences, ROW_LINE } from "../../state/compare/differences.ts";

/** A line of a change: its sign, then a line of a state. */
const CHANGE = /^([+-]) (.*)$/s;

/**
 * Returns the changes of a step as readers expect them. States are described relative to the root state, so a row of the root state that a step
 * changed comes as two new lines: one for the row that is new, one for the row that is gone (`+ orders - {...}`). Here it is one row before and one
 * after, with the cells that differ.
 */
export function readableChanges(changes: readonly string[]): readonly string[] {
  const rows = changes.map((line) => ROW_LINE.exec(CHANGE.exec(line)?.[2] ?? ""));
  if (!rows.some((row) => row?.[1]!.at(-2) === "-")) return changes.map(withoutRowSign);
  const [before, after, rest]: [string[], string[], string[]] = [[], [], []];
  changes.forEach((line, index) => {
    const [, sign, text] = CHANGE.exec(line) ?? [];
    if (sign === undefined || text === undefined) return void rest.push(line);
    const isGone = rows[index]?.[1]!.at(-2) === "-";
    const state = isGone ? text.replace(" - {", " + {") : text;
    ((sign === "+") === isGone ? before : after).push(state);
  });
  return [...differences(before, after, Infinity).map(withoutRowSign), ...rest];
}

/** Returns a change, or a line of a state, without the sign that a row has in a state. */
export function withoutRowSign(line: string): string {
  return line.replace(/^((?:[+-] )?\S+) \+ \{/, "$1 {");
}

/**
 * Returns the lines of a whole state: the rows of the root state, as far as they are still there, and what the state has beside them.
 * @param root the lines of the root state
 * @param state the lines of a state, relative to the root state
 */
export function wholeState(root: readonly string[], state: readonly string[]): readonly string[] {
  const gone = new Map<string, number>();
  const own: string[] = [];
  for (const line of state) {
    const row = ROW_LINE.exec(line);
    if (row?.[1]!.at(-2) === "-") {
      const name = `${row[1].slice(0, -3)} {${row[2]}}`;
      gone.set(name, (gone.get(name) ?? 0) + 1);
    } else own.push(withoutRowSign(line));
  }
  const kept = root
    .filter((line) => ROW_LINE.test(line))
    .map(withoutRowSign)
    .filter((line) => {
      const count = gone.get(line) ?? 0;
      if (count > 0) gone.set(line, count - 1);
      return count === 0;
    });
  return [...kept, ...own].toSorted();
}
