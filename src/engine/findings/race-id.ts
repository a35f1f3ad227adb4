import { hashOf } from "../graph/digest.ts";

/**
 * The id of a race: the same in every run, whatever luck decides. It begins with `r`, which no other finding's does, so that a list of known findings can tell
 * whether a run without races could have found it.
 */
export function raceId(exploration: string, first: string, second: string): string {
  return `r${hashOf(JSON.stringify([exploration, "race", ...[first, second].sort()]))}`;
}

export const isRaceId = (id: string): boolean => id.startsWith("r");
