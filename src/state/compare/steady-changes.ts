import { eachDifference, type Difference } from "./differing-fields.ts";

/** The parts of a state that every one of several steps changes. */
export interface SteadyChanges {
  /** Fields that have a new value after each step, as {@link differingFields} names them. */
  readonly fields: readonly string[];
  /** Tables that each step adds a row to. */
  readonly tables: readonly string[];
  /** Lists that each step adds an item to. */
  readonly lists: readonly string[];
}

/**
 * Finds the common changes of all these steps. A field counts only if each step gives it a value that none of the steps before gave it. If each step
 * sets another row to "done", the field has the same value each time and the changes come to an end.
 *
 * @param steps For each step the lines that {@link differences} gives for the states around it.
 */
export function steadyChanges(steps: readonly (readonly string[])[]): SteadyChanges {
  const given = new Map<string, Set<string>>();
  let steady: Map<string, Difference["kind"]> | undefined;
  for (const lines of steps) {
    const now = new Map<string, Difference["kind"]>();
    const seen: Difference[] = [];
    eachDifference(linesOf(lines, "- "), linesOf(lines, "+ "), (one) => {
      seen.push(one);
      if (one.kind !== "field" || given.get(one.name)?.has(one.value) !== true) now.set(`${one.kind} ${one.name}`, one.kind);
    });
    for (const one of seen) if (one.kind === "field") given.set(one.name, (given.get(one.name) ?? new Set()).add(one.value));
    steady = steady === undefined ? now : new Map([...steady].filter(([key]) => now.has(key)));
    if (steady.size === 0) break;
  }
  const named = (kind: Difference["kind"]): string[] =>
    [...(steady ?? [])].flatMap(([key, own]) => (own === kind ? [key.slice(kind.length + 1)] : [])).toSorted();
  return { fields: named("field"), tables: named("row"), lists: named("item") };
}

function linesOf(lines: readonly string[], sign: string): readonly string[] {
  return lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(sign.length)] : []));
}
