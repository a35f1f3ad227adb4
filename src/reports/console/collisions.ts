import type { ExplorationFacts } from "../../model/results/result.ts";
import { plural } from "./numbers.ts";

type Collisions = Pick<ExplorationFacts, "collisions" | "collisionProbability" | "statesVisited">;

/** From which probability on the reader is told of it. */
const WORTH_TELLING = 1e-6;

/** Whether states were taken for others, or so many were found that this is thinkable. */
export function isWorthTelling({ collisions, collisionProbability }: Collisions): boolean {
  return collisions > 0 || collisionProbability >= WORTH_TELLING;
}

/** How far states can be trusted to be told apart, in a line. */
export function collisionText({ collisions, collisionProbability, statesVisited }: Collisions): string {
  const among = `of ${plural(statesVisited, "state")}`;
  if (collisions > 0)
    return `${plural(collisions, "step")} reached a state that was taken for another one ${among}: what is behind it is missing`;
  return `none seen; that two ${among} were taken for one has a probability of at most ${collisionProbability.toExponential(1)}`;
}
