import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a race: the same in every run, whatever chance decides. Only ids of races begin with `r`, so a list of known findings shows
 * whether a run without races could have found one.
 */
export function raceId(exploration: string, first: string, second: string): string {
  return `r${hashOf(JSON.stringify([exploration, "race", ...[first, second].sort()]))}`;
}

export const isRaceId = (id: string): boolean => id.startsWith("r");
