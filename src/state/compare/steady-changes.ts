import { eachDifference, type Difference } from "./differing-fields.ts";

export interface SteadyChanges {
  /** Fields that get a new value in each step, in the form of {@link differingFields}. */
  readonly fields: readonly string[];
  readonly tables: readonly string[];
  readonly lists: readonly string[];
}

/**
 * Finds the changes that all steps have in common. A field counts only if each step gives it a value that no earlier step gave it. A field that each
 * step sets to the same value, such as "done", does not count, because it stops changing once it has that value.
 *
 * @param steps For each step, the lines of {@link differences} between the states before and after the step.
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
