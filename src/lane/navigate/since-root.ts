/**
 * Returns the lines of a state that differ from the root state. In a state, rows are relative to the root state already, but clients and the context
 * are complete. The sign of a row is at the beginning of its line.
 * @param root The lines of the root state.
 */
export function sinceRoot(root: readonly string[], state: readonly string[]): readonly string[] {
  const before = new Set(root);
  const now = new Set(state.map(nameOf));
  return [
    ...state.filter((line) => !before.has(line)).map((line) => line.replace(/^(\S+) ([+-]) \{/, "$2 $1 {")),
    ...root.filter((line) => !now.has(nameOf(line))).map((line) => `- ${line}`),
  ];
}

const nameOf = (line: string): string => line.split(" = ", 1)[0]!;
