/**
 * A value of a row, as the lines of a state show it: `12`, `"paid"`, `null`, and names for what differs from run to run: `#1` an id, `<now + 5 min>` a
 * time. Equal texts within one state are equal values.
 */
export type Cell = string;

export const isNull = (cell: Cell): boolean => cell === "null";

/** Returns the number of a cell; `undefined` if it is none. */
export function numberIn(cell: Cell): number | undefined {
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) ? Number(cell) : undefined;
}

/** Returns the text of a cell; `undefined` if it is none, or contains names of ids or times. */
export function textIn(cell: Cell): string | undefined {
  if (!cell.startsWith('"')) return undefined;
  try {
    const text: unknown = JSON.parse(cell);
    return typeof text === "string" && !/#t?\d|<time>|\[redacted\]|<masked>/.test(text) ? text : undefined;
  } catch {
    // Cut, because it is long.
    return undefined;
  }
}

/** `true` for a value that is the same in every run: a number, a text, `true`, `false` or `null`. */
export function isPlain(cell: Cell): boolean {
  return isNull(cell) || cell === "true" || cell === "false" || numberIn(cell) !== undefined || textIn(cell) !== undefined;
}
