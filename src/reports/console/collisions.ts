import type { ExplorationFacts } from "../../model/results/result.ts";
import { plural } from "./numbers.ts";

type Collisions = Pick<ExplorationFacts, "collisions" | "collisionProbability" | "statesVisited">;

/** The probability from which on the reader is informed. */
const WORTH_TELLING = 1e-6;

/** Returns `true` if one state was taken for another, or if so many states were found that this is conceivable. */
export function isWorthTelling({ collisions, collisionProbability }: Collisions): boolean {
  return collisions > 0 || collisionProbability >= WORTH_TELLING;
}

/** Returns one line about how reliably states are distinguished. */
export function collisionText({ collisions, collisionProbability, statesVisited }: Collisions): string {
  const among = `of ${plural(statesVisited, "state")}`;
  if (collisions > 0)
    return `${plural(collisions, "step")} reached a state that was mistaken for another one ${among}: what follows it is missing`;
  return `none seen; the probability that two ${among} were mistaken for one is at most ${collisionProbability.toExponential(1)}`;
}
