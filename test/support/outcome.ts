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

/** What a run found of each exploration, without what is measured: its size, and what `rest` takes of it. */
export function outcomeIn(output: string, rest: (one: Explored) => object): readonly object[] {
  return writtenIn(output).explorations.map((one) => ({ ...Object.fromEntries(FACTS.map((key) => [key, one[key]])), ...rest(one) }));
}
