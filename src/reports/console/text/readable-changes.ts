import { differences, ROW_LINE } from "../../../state/compare/differences.ts";

/** Matches a line of a change: `+` or `-`, a blank, and a line of a state. */
const CHANGE = /^([+-]) (.*)$/s;

/**
 * Returns the changes of a step for people. Each changed row becomes a `-` line and a `+` line that show only the differing columns. The recorded
 * lines are less readable, because states are relative to the root state: if a row of the root state was changed, a state contains the new row, and a
 * line which says that the old row is missing (`orders - {...}`).
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

/** Removes the `+` or `-` that a state writes between table and row. The line may be from a change or from a state. */
export function withoutRowSign(line: string): string {
  return line.replace(/^((?:[+-] )?\S+) \+ \{/, "$1 {");
}

/**
 * Returns the lines of a whole state: the rows of the root state that still exist, and everything that was added since.
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
