/**
 * What tells two described states apart, for people: first `- line` for what was expected and is not there, then `+ line` for what is there
 * unexpectedly. At most `limit` lines (default 20), then one that counts the rest.
 */
export function differences(expected: readonly string[], actual: readonly string[], limit: number = 20): readonly string[] {
  const { onlyA, onlyB } = onlyIn(expected, actual);
  const lines = [...onlyA.map((line) => `- ${line}`), ...onlyB.map((line) => `+ ${line}`)];
  return lines.length <= limit ? lines : [...lines.slice(0, limit), `... and ${lines.length - limit} more`];
}

/** The lines that stand in one list alone, each as often as it has no partner in the other. */
export function onlyIn(a: readonly string[], b: readonly string[]): { onlyA: string[]; onlyB: string[] } {
  const counts = new Map<string, number>();
  for (const line of b) counts.set(line, (counts.get(line) ?? 0) + 1);
  const onlyA: string[] = [];
  for (const line of a) {
    const count = counts.get(line) ?? 0;
    if (count === 0) onlyA.push(line);
    else counts.set(line, count - 1);
  }
  const onlyB: string[] = [];
  for (const line of b) {
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    onlyB.push(line);
    counts.set(line, count - 1);
  }
  return { onlyA, onlyB };
}
