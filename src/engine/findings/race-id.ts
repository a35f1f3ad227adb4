import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a race. The id is the same in every run, although chance decides if the race is found. Only these ids begin with `r`. A list of
 * known findings therefore shows which of them a run without races cannot find.
 */
export function raceId(exploration: string, first: string, second: string): string {
  return `r${hashOf(JSON.stringify([exploration, "race", ...[first, second].sort()]))}`;
}

export const isRaceId = (id: string): boolean => id.startsWith("r");
