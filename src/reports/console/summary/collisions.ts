import type { ExplorationFacts } from "../../../model/results/result.ts";
import { plural } from "../text/numbers.ts";

type Collisions = Pick<ExplorationFacts, "collisions" | "collisionProbability" | "statesVisited">;

/** Reports mention the probability of collisions (different states with equal fingerprints) only from this value on. */
const WORTH_TELLING = 1e-6;

/** Returns `true` if different states had equal fingerprints, or if such a collision has at least the probability `WORTH_TELLING`. */
export function isWorthTelling({ collisions, collisionProbability }: Collisions): boolean {
  return collisions > 0 || collisionProbability >= WORTH_TELLING;
}

/** Returns one line about different states with equal fingerprints (collisions): their number, or their probability. */
export function collisionText({ collisions, collisionProbability, statesVisited }: Collisions): string {
  const among = `of ${plural(statesVisited, "state")}`;
  if (collisions > 0)
    return `${plural(collisions, "step")} reached a state that seqqa mistook for another state ${among}, so later states are missing`;
  return `none seen; the probability that two ${among} were mistaken for each other is at most ${collisionProbability.toExponential(1)}`;
}
