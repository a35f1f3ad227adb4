import { writtenIn, type Explored } from "./e2e.ts";

const FACTS = [
  "name",
  "statesVisited",
  "transitions",
  "steps",
  "skipped",
  "open",
  "stopReason",
  "digest",
  "coverage",
  "completeToDepth",
] as const satisfies readonly (keyof Explored)[];

/** Returns the result of each exploration of a run without measured values: its size, and the parts that `rest` selects. */
export function outcomeIn(output: string, rest: (one: Explored) => object): readonly object[] {
  return writtenIn(output).explorations.map((one) => ({ ...Object.fromEntries(FACTS.map((key) => [key, one[key]])), ...rest(one) }));
}
