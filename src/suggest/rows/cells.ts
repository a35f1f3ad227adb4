/**
 * A value of a row as text: `12`, `"paid"`, `null`. Values that differ between runs have placeholders: `#1` for an id, `<now + 5 min>` for a time.
 * Within one state, equal texts stand for equal values.
 */
export type Cell = string;

export const isNull = (cell: Cell): boolean => cell === "null";

/** Returns the number in a cell; `undefined` if the cell is not a number. */
export function numberIn(cell: Cell): number | undefined {
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) ? Number(cell) : undefined;
}

/** Returns the number in a cell with a decimal text such as `"12.50"`, with its fraction. Returns `undefined` for other cells. */
export function decimalIn(cell: Cell): Cell | undefined {
  return /^"(-?(?:0|[1-9]\d*)\.\d+)"$/.exec(cell)?.[1];
}

/** Returns the text in a cell; `undefined` if the cell is not a text, or contains placeholders for ids or times. */
export function textIn(cell: Cell): string | undefined {
  if (!cell.startsWith('"')) return undefined;
  try {
    const text: unknown = JSON.parse(cell);
    return typeof text === "string" && !/#t?\d|<time>|\[redacted\]|<masked>/.test(text) ? text : undefined;
  } catch {
    // A long text is cut in the run log, so it is not valid JSON and its value is unknown.
    return undefined;
  }
}

/**
 * Returns `true` for a value that the text of a state hides or abbreviates, such as a time or a secret. A change of such a value may be invisible.
 */
export const isHidden = (cell: Cell): boolean => /<(?:now|start|time|masked)\b|\[redacted\]|#\?/.test(cell);

/** Returns `true` for a value that is the same in every run: a number, a text, `true`, `false` or `null`. */
export function isPlain(cell: Cell): boolean {
  return isNull(cell) || cell === "true" || cell === "false" || numberIn(cell) !== undefined || textIn(cell) !== undefined;
}
