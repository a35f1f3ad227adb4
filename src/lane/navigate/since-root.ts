/**
 * Returns the lines of a state that differ from the root state. In `state`, the lines of rows already contain only changes since the root state, but
 * the lines of clients and the context are complete. Each returned line of a row begins with its sign (`+` or `-`).
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
