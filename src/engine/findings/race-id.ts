import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a race. A race has the same id in every run, although chance decides if a run finds the race. Only ids of races begin with `r`,
 * so a list of known findings shows which findings need a run with races.
 */
export function raceId(exploration: string, first: string, second: string): string {
  return `r${hashOf(JSON.stringify([exploration, "race", ...[first, second].sort()]))}`;
}

export const isRaceId = (id: string): boolean => id.startsWith("r");
